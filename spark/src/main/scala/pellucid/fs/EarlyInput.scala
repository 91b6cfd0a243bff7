package pellucid.fs

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FileSystem, FSDataInputStream, Path}
import org.apache.hadoop.hdfs.client.HdfsDataInputStream
import org.apache.spark.pellucid.TaskInput

import pellucid.monotask.{Multitask, Resources}
import pellucid.observe.TaskRecord

/** The first chunks of what a task reads in sequence, read while the task waits for its code or a broadcast variable. Of a file of ten blocks at most, which
  * the name node tells of at once.
  */
private[fs] final class EarlyInput private (
    task: Multitask,
    in: HdfsDataInputStream,
    fs: FileSystem,
    start: Long,
    size: Int,
    disk: String,
    datanode: String
) extends InputAhead(task, in, fs, start, size, disk, datanode) {
  import EarlyInput._
  private val length = in.getVisibleLength
  private val content = HdfsSource.content(in)

  override protected def piece(n: Int): Int = ChunkedInput.after(n)

  override protected def discard(): Unit = {
    if (isSome) credit.decrementAndGet()
    super.discard()
  }

  override def isAt(from: Long, stream: FSDataInputStream): Boolean = super.isAt(from, stream) &&
    (stream match {
      case hdfs: HdfsDataInputStream =>
        try hdfs.getVisibleLength == length && HdfsSource.content(hdfs) == content
        catch { case _: IOException => false }
      case _ => false
    })

  override def take(record: TaskRecord): Option[InputAhead.Taken] = {
    val taken = super.take(record)
    if (taken.nonEmpty) credit.set(Credit)
    taken
  }
}

private[pellucid] object EarlyInput {
  import InputAhead.{guard, threads}

  /** By their authority, those that tasks of this executor have opened files of. */
  private val known = new ConcurrentHashMap[String, FileSystem]

  /** How many more may be for nothing, as those of what is cached, or read in another order, are. */
  private[fs] val credit = new AtomicInteger(Credit)
  private[fs] final val Credit = 4
  private val otherFormats = Seq(".parquet", ".orc", ".avro")

  private[fs] def knows(fs: FileSystem): Unit = { known.put(fs.getUri.getAuthority, fs); () }

  /** On another thread. */
  def begin(task: Multitask): Unit = {
    guard(if (!known.isEmpty) threads.execute { () =>
      guard(for ((file, start, length) <- TaskInput.of(task.attempt)) begin(task, file, start, length))
      ()
    })
    ()
  }

  private[pellucid] def begin(task: Multitask, file: Path, start: Long, length: Long): Unit =
    if (credit.get > 0 && !otherFormats.exists(file.getName.endsWith))
      for (fs <- Option(file.toUri.getAuthority).flatMap(at => Option(known.get(at))))
        try
          fs.open(file) match {
            case in: HdfsDataInputStream =>
              try of(task, in, fs, file, start, length).filter(task.beginsEarly).foreach(_.run())
              finally in.close()
            case other => other.close()
          }
        catch { case _: IOException => () }

  private def of(task: Multitask, in: HdfsDataInputStream, fs: FileSystem, file: Path, start: Long, length: Long) = {
    val size = math.min(ChunkedInput.early(length).toLong, in.getVisibleLength - start).toInt
    val source = HdfsSource.of(fs, file, in)
    for {
      disk <- Option.when(HdfsSource.isShort(fs, file, in) && size > 0)(source.resource(start))
      datanode <- source.exact(start, true) if Resources.isDisk(disk)
    } yield {
      in.setReadahead(0L) // of what is not asked for
      new EarlyInput(task, in, fs, start, size, disk, datanode)
    }
  }
}
