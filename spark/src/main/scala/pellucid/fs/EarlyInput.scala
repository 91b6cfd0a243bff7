package pellucid.fs

import java.io.IOException
import java.util.concurrent.{ConcurrentHashMap, Executors}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FileSystem, FSDataInputStream, Path}
import org.apache.hadoop.hdfs.client.HdfsDataInputStream
import org.apache.spark.pellucid.{Fields, TaskInput}

import pellucid.monotask.{Arrays, Early, Multitask, Resources}
import pellucid.observe.{Daemons, Kind, Requests, TaskRecord}
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** The first chunks of what a task reads in sequence from a disk of this machine, in HDFS, read while the task waits for its code or a broadcast
  * variable. Of a file of ten blocks at most, which the name node tells of at once.
  *
  * @param datanode that sends it, as its requests are counted
  */
private[fs] final class EarlyInput private (
    task: Multitask,
    in: HdfsDataInputStream,
    fs: FileSystem,
    start: Long,
    size: Int,
    disk: String,
    datanode: String
) extends Early(task, disk, MonotaskPhase.InputRead) {
  import EarlyInput._
  private val length = in.getVisibleLength
  private val content = HdfsSource.content(in)
  private var chunk = Array.emptyByteArray
  private var n = 0 // bytes of it that are there

  /** As large as those that the task would read itself: what is under way when it comes it has to wait for. */
  override protected def io(): Int = {
    if (n == 0) chunk = task.memory.array(size)
    val left = room - n
    val wanted = ChunkedInput.after(n)
    val more =
      if (room < math.min(size, Requests.Large)) 0
      else
        try math.max(0, in.read(start + n, chunk, n, if (left < wanted + Requests.Large) left else wanted))
        catch { case _: IOException => 0 } // the task will meet it
    n += more
    counted(-more)
    more
  }
  private def room = math.min(size, chunk.length)
  override protected def isComplete: Boolean = n == room

  override protected def discard(): Unit = {
    if (n > 0) credit.decrementAndGet()
    task.memory.release(chunk.length.toLong)
    Arrays.put(chunk)
    chunk = Array.emptyByteArray
  }

  /** Of what this thread has read, as Hadoop counts it and Spark reports it of a task. */
  private def counted(bytes: Int): Unit =
    statistics.get(fs).asInstanceOf[FileSystem.Statistics].incrementBytesRead(bytes.toLong)

  /** Whether it is what `stream` has there. */
  def isAt(from: Long, stream: FSDataInputStream): Boolean = from == start &&
    (stream match {
      case hdfs: HdfsDataInputStream =>
        try hdfs.getVisibleLength == length && HdfsSource.content(hdfs) == content
        catch { case _: IOException => false }
      case _ => false
    })

  /** A chunk, and how many bytes it has, for who reads a stream that has the same there. */
  def take(record: TaskRecord): Option[(Array[Byte], Int)] = task.takes(this).map { nanos =>
    record.requests(Kind.Input, datanode).add(n.toLong, nanos)
    counted(n)
    credit.set(Credit)
    (chunk, n)
  }
}

private[pellucid] object EarlyInput {
  private[fs] val guard = new Guard("reading input while a task waits")
  private lazy val threads = Executors.newCachedThreadPool(new Daemons("pellucid-early-input"))
  private lazy val statistics = Fields.of(classOf[FileSystem], "statistics")

  /** By their authority, those that tasks of this executor have opened files of. */
  private val known = new ConcurrentHashMap[String, FileSystem]

  /** How many more may be for nothing, as those of what is cached, or read in another order, are. */
  private[fs] val credit = new AtomicInteger(Credit)
  private[fs] final val Credit = 4
  private val otherFormats = Seq(".parquet", ".orc", ".avro")

  private[fs] def knows(fs: FileSystem): Unit = { known.put(fs.getUri.getAuthority, fs); () }

  /** On another thread. */
  def begin(task: Multitask): Unit = {
    guard(threads.execute { () =>
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
              try of(task, in, fs, file, start, length).foreach(_.run())
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
