package pellucid.observe

import java.io.{IOException, RandomAccessFile}
import java.nio.charset.StandardCharsets.US_ASCII

import scala.util.Try

/** How long task threads were ready to run and had no CPU: other work, or a limit on the container's CPU. */
private[pellucid] object RunQueue {

  /** What the kernel had counted of a thread, and when it was asked: that takes microseconds. */
  private final class Counted(val waited: Long, val at: Long)
  private val last = new ThreadLocal[Counted]

  /** Each thread's own, and open as long as it lives: opening it takes most of the time, of a task of a millisecond some percent. */
  private val file = ThreadLocal.withInitial[Option[RandomAccessFile]](() =>
    Try(new RandomAccessFile("/proc/thread-self/schedstat", "r")).toOption
  )

  /** When a task starts. Within [[ShortNanos]] of the last time the kernel is not asked again. */
  private[observe] def know(): Unit = {
    val known = last.get
    if (known == null || System.nanoTime() - known.at > ShortNanos) ask()
  }

  /** Nanoseconds since [[know]], of a task of [[ShortNanos]] and more; -1 where the kernel does not tell. */
  private[observe] def waitedNanos(): Long = {
    val before = last.get.waited
    val now = ask().waited
    if (before >= 0 && now >= before) now - before else -1
  }

  private def ask(): Counted = {
    val counted = new Counted(nanos(), System.nanoTime()); last.set(counted); counted
  }

  final val ShortNanos = 5000000L

  /** Of the current thread since it began; -1 where the kernel does not tell. */
  def nanos(): Long =
    try file.get.fold(-1L) { in =>
        in.seek(0)
        val text = new Array[Byte](96)
        val fields =
          new String(text, 0, math.max(0, in.read(text)), US_ASCII).split(' ') // CPU time, waiting, time slices
        if (fields.length >= 2) fields(1).toLong else -1
      }
    catch { case _: IOException | _: NumberFormatException => -1 }
}
