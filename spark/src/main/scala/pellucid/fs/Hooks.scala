package pellucid.fs

import java.net.URI

import scala.util.Try

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileSystem, LocalFileSystem, Path}
import org.apache.hadoop.hdfs.client.HdfsDataInputStream
import org.apache.spark.pellucid.InputSplit

import pellucid.disk.Devices
import pellucid.observe.{Kind, TaskRecord}
import pellucid.plugin.Guard

/** What the [[Subclass]]es of file systems call, on whatever thread uses them. Paths are block devices of local files, the
  * datanodes that were read from, and else the scheme: what is written to HDFS goes through several datanodes.
  */
object Hooks {
  private val guard = new Guard("measuring calls of file systems")

  /** When a call began; 0 where no task runs. */
  def before(): Long = if (TaskRecord.current == null) 0 else System.nanoTime()

  /** A call to a name server ended. Local files have none. */
  def after(before: Long, fs: FileSystem): Unit =
    if (before != 0 && !fs.isInstanceOf[LocalFileSystem]) {
      guard(TaskRecord.current.requests(Kind.Metadata, fs.getScheme).ended(0, before, -1))
      ()
    }

  def opened(fs: FileSystem, path: Path, stock: FSDataInputStream): FSDataInputStream =
    ObservedInput.of(stock, source(fs, path, stock), split(path))

  def created(fs: FileSystem, path: Path, stock: FSDataOutputStream): FSDataOutputStream =
    ObservedOutput.of(stock, HdfsReplicas.of(fs, path, stock))(place(fs, path))

  private def place(fs: FileSystem, path: Path): String = fs match {
    case local: LocalFileSystem => Devices.of(local.pathToFile(path))
    case _ => fs.getScheme
  }

  private[fs] def source(fs: FileSystem, path: Path, stock: FSDataInputStream): Source = stock match {
    case hdfs: HdfsDataInputStream =>
      EarlyInput.knows(fs)
      HdfsSource.of(fs, path, hdfs)
    case _ =>
      val name = place(fs, path)
      val local = Option(fs).collect { case local: LocalFileSystem => local }
      // its streams count what they read as the file system's below
      new Source(name, None, _ => name, fs = local.map(_.getRaw), length = () => local.map(_.pathToFile(path).length))
  }

  /** What Spark says that the task reads, where it is of this file. */
  private def split(path: Path): Option[Split] =
    InputSplit.current.collect { case (file, start, length) if samePath(file, path) => Split(start, start + length) }

  /** What a data source of Spark SQL says is encoded, as in `a%20b`. */
  private[fs] def samePath(file: String, path: Path): Boolean = {
    val opened = path.toUri.getPath
    file.endsWith(path.getName) && new Path(file).toUri.getPath == opened ||
    file.contains('%') && Try(new URI(file).getPath).toOption.contains(opened)
  }
}
