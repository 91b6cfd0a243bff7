package pellucid.observe

import java.io.FileInputStream
import java.nio.charset.StandardCharsets.US_ASCII

/** How long the current thread was ready to run and had no CPU: other work, or a limit on the container's CPU. */
private[observe] object RunQueue {

  /** Nanoseconds since the thread began; -1 where the kernel does not tell. */
  def waitedNanos(): Long =
    try {
      val in = new FileInputStream("/proc/thread-self/schedstat")
      try {
        val text = new Array[Byte](96)
        val fields =
          new String(text, 0, math.max(0, in.read(text)), US_ASCII).split(' ') // CPU time, waiting time, time slices
        if (fields.length >= 2) fields(1).toLong else -1
      } finally in.close()
    } catch { case _: java.io.IOException | _: NumberFormatException => -1 }
}
