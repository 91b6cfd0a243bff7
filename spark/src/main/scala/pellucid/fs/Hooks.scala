package pellucid.fs

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileSystem, LocalFileSystem, Path}
import org.apache.hadoop.hdfs.client.HdfsDataInputStream

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
    ObservedInput.of(stock, datanode(stock))(place(fs, path))

  def created(fs: FileSystem, path: Path, stock: FSDataOutputStream): FSDataOutputStream =
    ObservedOutput.of(stock)(place(fs, path))

  private def place(fs: FileSystem, path: Path): String = fs match {
    case local: LocalFileSystem => Devices.of(local.pathToFile(path))
    case _ => fs.getScheme
  }

  /** HDFS names the datanode of reads in sequence, not of positioned ones. */
  private def datanode(stock: FSDataInputStream): Option[() => String] = stock match {
    case hdfs: HdfsDataInputStream =>
      Some(() => Option(hdfs.getCurrentDatanode).fold("hdfs")(node => s"hdfs:${node.getHostName}"))
    case _ => None
  }
}
