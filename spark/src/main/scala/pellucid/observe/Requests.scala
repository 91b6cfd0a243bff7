package pellucid.observe

/** The requests of one kind that one task sent along one path.
  *
  * `blockedNanos` is the time in which the task's thread did nothing but wait for them. For a request of [[Requests.Large]] bytes
  * and more it is the wall time less the thread's CPU time. Reading the CPU clock twice costs a microsecond, a few percent of a
  * small request, so one counts as blocked for what it took beyond [[Requests.quickNanos]].
  */
final class Requests(val kind: Kind, val path: String, thread: Thread) {
  private var count, bytes, blockedNanos = 0L
  private val sizes = new Array[Int](Requests.Buckets)

  /** The CPU clock before a request of at most `size` bytes, or -1 where it is not needed. */
  def cpuBefore(size: Long): Long = if (size >= Requests.Large) CpuClock.nanos() else -1

  /** A request that moved `moved` bytes ended; it began at `wallBefore` (`System.nanoTime`) and [[cpuBefore]]. */
  def ended(moved: Long, wallBefore: Long, cpuBefore: Long): Unit = {
    val wall = System.nanoTime() - wallBefore
    val waited = if (cpuBefore >= 0) wall - (CpuClock.nanos() - cpuBefore) else wall - Requests.quickNanos(moved)
    // a helper thread's waiting is not the task's
    add(moved, if (waited > 0 && (Thread.currentThread eq thread)) waited else 0)
  }

  def add(moved: Long, waitedNanos: Long): Unit = synchronized {
    if (moved > 0) {
      count += 1
      bytes += moved
      sizes(63 - java.lang.Long.numberOfLeadingZeros(math.min(moved, Requests.Largest))) += 1
    }
    blockedNanos += waitedNanos
  }

  /** No request, but one of the looks at a task's stack. */
  def sampled(nanos: Long): Unit = synchronized { count += 1; blockedNanos += nanos }

  /** `kind,path,requests,bytes,blocked microseconds,sizes`; sizes are `b:n` for n requests of 2^b up to 2^(b+1) bytes. */
  def write(out: StringBuilder): Unit = synchronized {
    out ++= kind.name += ',' ++= path += ',' ++= count.toString += ',' ++= bytes.toString += ','
    out ++= (blockedNanos / 1000).toString += ','
    var first = true
    for (b <- sizes.indices if sizes(b) > 0) {
      if (!first) out += ' '
      first = false
      out ++= b.toString += ':' ++= sizes(b).toString
    }
  }

  def isEmpty: Boolean = synchronized(count == 0 && blockedNanos == 0)
}

object Requests {
  final val Large = 256 << 10

  /** That one monotask moves at most where there is more: at a hard disk's 130 MB/s 64 ms, six times what a seek takes. */
  final val Monotask = 8 << 20

  /** What copying takes where nothing blocks: 10 microseconds and half a nanosecond per byte. */
  private def quickNanos(bytes: Long): Long = 10000 + bytes / 2
  private final val Buckets = 41
  private final val Largest = 1L << (Buckets - 1)
}
