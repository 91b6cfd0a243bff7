package pellucid.fs

import java.io.File
import java.net.URI
import java.util.concurrent.CompletableFuture

import scala.util.Try

import org.apache.hadoop.fs._
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.hdfs.client.HdfsDataInputStream
import org.apache.spark.pellucid.InputSplit

import pellucid.disk.Devices
import pellucid.observe.{Kind, TaskRecord}
import pellucid.plugin.Guard
import pellucid.trace.PathTable

/** What the [[Subclass]]es of file systems call, on whatever thread uses them. Paths are block devices of local files, the
  * datanodes that were read from, `hdfs` of what is written there, through several datanodes, and the scheme of an object store.
  */
object Hooks {
  private val guard = new Guard("measuring calls of file systems")

  /** When a call began, less the time in which the task was in such calls before; 0 where no task runs. */
  def before(): Long = {
    val record = TaskRecord.current
    if (record == null) 0 else System.nanoTime() - record.inCallsNanos
  }

  /** A call to a name server or an object store ended; calls that it has made of its own have been counted. Local files have none. */
  def after(before: Long, fs: FileSystem): Unit =
    if (before != 0 && !isLocal(fs)) {
      guard {
        val record = TaskRecord.current
        val began = before + record.inCallsNanos
        record.requests(Kind.Metadata, remote(fs)).ended(0, began, -1)
        record.inCallsNanos += System.nanoTime() - began
      }
      ()
    }

  def opened(fs: FileSystem, path: Path, stock: FSDataInputStream): FSDataInputStream =
    ObservedInput.of(stock, source(fs, path, stock), split(path))

  /** Perhaps by another thread than the task's. */
  def opening(
      fs: FileSystem,
      path: Path,
      stock: CompletableFuture[FSDataInputStream]
  ): CompletableFuture[FSDataInputStream] = {
    val record = TaskRecord.current
    if (record == null) stock
    else {
      val part = guard(split(path)).flatten
      stock.thenApply(in => ObservedInput.of(in, source(fs, path, in), part, record))
    }
  }

  def created(fs: FileSystem, path: Path, stock: FSDataOutputStream): FSDataOutputStream =
    ObservedOutput.of(stock, HdfsReplicas.of(fs, path, stock))(place(fs, path))

  private def place(fs: FileSystem, path: Path): String = local(fs, path).fold(remote(fs))(Devices.of)

  private def remote(fs: FileSystem) = fs match {
    case _: DistributedFileSystem => "hdfs"
    case _ => PathTable.Store + Option(fs.getUri).fold("")(_.getScheme)
  }

  private def isLocal(fs: FileSystem) = fs.isInstanceOf[LocalFileSystem] || fs.isInstanceOf[RawLocalFileSystem]

  private def local(fs: FileSystem, path: Path): Option[File] = fs match {
    case checked: LocalFileSystem => Some(checked.pathToFile(path))
    case raw: RawLocalFileSystem => Some(raw.pathToFile(path))
    case _ => None
  }

  private[fs] def source(fs: FileSystem, path: Path, stock: FSDataInputStream): Source = stock match {
    case hdfs: HdfsDataInputStream =>
      EarlyInput.knows(fs)
      HdfsSource.of(fs, path, hdfs)
    case _ =>
      val name = place(fs, path)
      val counts = fs match { // its streams count what they read as the file system's below
        case checked: LocalFileSystem => Some(checked.getRaw)
        case _ => Option.when(isLocal(fs))(fs)
      }
      new Source(name, None, _ => name, fs = counts, length = () => local(fs, path).map(_.length))
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
