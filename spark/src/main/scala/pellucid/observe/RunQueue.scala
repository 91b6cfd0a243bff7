package pellucid.observe

import java.io.{IOException, RandomAccessFile}

import scala.util.Try

/** How long task threads were ready to run and had no CPU: other work, or a limit on the container's CPU. */
private[pellucid] object RunQueue {

  /** What the kernel counts of a thread. Asking takes microseconds, of a task of a millisecond some percent: so the file stays open as long as its
    * thread lives, and what was known when the task started is kept for the next ones.
    */
  private final class Counted {
    private val file = Try(new RandomAccessFile("/proc/thread-self/schedstat", "r")).toOption
    private val text = new Array[Byte](96)
    private var waited, at = 0L
    private var isKnown = false

    /** Nanoseconds since the thread began; -1 where the kernel does not tell. */
    def ask(): Long =
      try file.fold(-1L) { in => in.seek(0); second(text, in.read(text)) }
      catch { case _: IOException => -1 }

    def know(): Unit = { waited = ask(); at = System.nanoTime(); isKnown = true }
    def isOld: Boolean = !isKnown || System.nanoTime() - at > ShortNanos

    def since(): Long = {
      val before = waited
      know()
      if (before >= 0 && waited >= before) waited - before else -1
    }
  }
  private val counted = ThreadLocal.withInitial[Counted](() => new Counted)

  /** When a task starts. Within [[ShortNanos]] of the last time the kernel is not asked again. */
  private[observe] def know(): Unit = { val thread = counted.get; if (thread.isOld) thread.know() }

  /** Nanoseconds since [[know]], of a task of [[ShortNanos]] and more; -1 where the kernel does not tell. */
  private[observe] def waitedNanos(): Long = counted.get.since()

  final val ShortNanos = 5000000L

  /** Of the current thread since it began; -1 where the kernel does not tell. */
  def nanos(): Long = counted.get.ask()

  /** The second of numbers with a space between them: CPU time, waiting, time slices. -1 where there is none. */
  private def second(text: Array[Byte], length: Int): Long = {
    var i = 0
    while (i < length && text(i) != ' ') i += 1
    i += 1
    val from = i
    var number = 0L
    while (i < length && text(i) >= '0' && text(i) <= '9') { number = 10 * number + (text(i) - '0'); i += 1 }
    if (i > from) number else -1
  }
}
