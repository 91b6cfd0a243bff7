package pellucid.observe

import java.io.{FileInputStream, IOException}
import java.nio.charset.StandardCharsets.US_ASCII

/** How long task threads were ready to run and had no CPU: other work, or a limit on the container's CPU. */
private[observe] object RunQueue {

  /** By thread, what the kernel had counted when it was last asked. */
  private val last = ThreadLocal.withInitial[java.lang.Long](() => countedNanos())

  /** To be called when a task starts: it makes the kernel's number of a new thread known. */
  def know(): Unit = { last.get; () }

  /** Nanoseconds since this was last asked on the current thread; -1 where the kernel does not tell. Asking takes 6 microseconds, so
    * it is not asked for a task of less than [[ShortNanos]]: its waiting is added to the thread's next longer task.
    */
  def waitedNanos(): Long = {
    val before = last.get
    val now = countedNanos()
    last.set(now)
    if (before >= 0 && now >= before) now - before else -1
  }

  final val ShortNanos = 5000000L

  /** Of the current thread since it began; -1 where the kernel does not tell. */
  private def countedNanos(): Long =
    try {
      val in = new FileInputStream("/proc/thread-self/schedstat")
      try {
        val text = new Array[Byte](96)
        val fields =
          new String(text, 0, math.max(0, in.read(text)), US_ASCII).split(' ') // CPU time, waiting, time slices
        if (fields.length >= 2) fields(1).toLong else -1
      } finally in.close()
    } catch { case _: IOException | _: NumberFormatException => -1 }
}
