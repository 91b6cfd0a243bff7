package pellucid.fs

import java.util.concurrent.Executors

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, FSDataInputStream}
import org.apache.spark.pellucid.Fields

import pellucid.monotask.{Ahead, Arrays, Multitask}
import pellucid.observe.{Daemons, Kind, PageCache, Requests, TaskRecord}
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** A part of a file that is read from a disk of this machine before its task asks for it.
  *
  * @param path under which its requests are counted: the datanode that sends it, or the disk
  */
private[fs] class InputAhead(
    task: Multitask,
    in: FSDataInputStream,
    fs: FileSystem,
    start: Long,
    size: Int,
    disk: String,
    path: String
) extends Ahead(task, disk, MonotaskPhase.InputRead) {
  import InputAhead._
  private var chunk = Array.emptyByteArray
  private var n = 0 // bytes of it that are there
  private var isAll = false // what is there
  private var blockedNanos = 0L
  private var counted = 0L // as Hadoop counts them: checksums are read, too
  private val statistics = statisticsOf(fs)

  /** How many bytes one monotask reads where there are so many already. */
  protected def piece(n: Int): Int = size

  /** As large as those that the task would read itself: what is under way when it comes it has to wait for. */
  override protected def io(): Int = {
    val has = hasRoom
    val room = math.min(size, chunk.length)
    val left = room - n
    val wanted = if (left < piece(n) + Requests.Large) left else piece(n)
    val began = PageCache.blockedNanos()
    val before = statistics.getThreadStatistics.getBytesRead
    val more =
      if (!has) 0
      else
        try math.max(0, in.read(start + n, chunk, n, wanted))
        catch { case NonFatal(_) => 0 } // the task will meet it, or has closed the file
    blockedNanos += PageCache.blockedNanos() - began
    n += more
    isAll = n == room || more < wanted
    val bytes = statistics.getThreadStatistics.getBytesRead - before
    statistics.incrementBytesRead(-bytes)
    counted += bytes
    more
  }
  private def hasRoom = {
    if (chunk.isEmpty) chunk = task.memory.array(size)
    chunk.length >= math.min(size, Requests.Large)
  }
  override protected def isComplete: Boolean = isAll

  override protected def discard(): Unit = {
    task.memory.release(chunk.length.toLong)
    Arrays.put(chunk)
    chunk = Array.emptyByteArray
  }
  protected final def isSome: Boolean = n > 0

  /** Whether it is what `stream` has there. */
  def isAt(from: Long, stream: FSDataInputStream): Boolean = from == start

  /** For who reads a stream that has the same there. */
  def take(record: TaskRecord): Option[Taken] = task.takes(this).map { waited =>
    record.requests(Kind.Input, path).add(n.toLong, waited)
    statistics.incrementBytesRead(counted)
    Taken(chunk, n, PageCache.had(n, blockedNanos))
  }

  /** It is nothing to streams but this one. */
  def isOf(stream: FSDataInputStream): Boolean = stream eq in

  /** On another thread, for a task that computes. False: there is no memory for it. */
  def begin(): Boolean = {
    val has = hasRoom
    if (has) {
      task.begins(this)
      threads.execute { () => guard(run()); () }
    } else discard()
    has
  }
}

private[fs] object InputAhead {
  val guard = new Guard("reading input ahead of tasks")
  lazy val threads = Executors.newCachedThreadPool(new Daemons("pellucid-input-ahead"))
  private lazy val statistics = Fields.of(classOf[FileSystem], "statistics")

  /** Of what each thread has read: Spark reports it of tasks. */
  private[fs] def statisticsOf(fs: FileSystem): FileSystem.Statistics =
    statistics.get(fs).asInstanceOf[FileSystem.Statistics]

  /** A chunk, and how many bytes it has. */
  final case class Taken(chunk: Array[Byte], bytes: Int, wasCached: Boolean)
}
