package pellucid.observe

import java.util.concurrent.atomic.AtomicLong

/** What this executor has sent of its shuffle files to others, and how long its disks kept the threads that send. */
object Served {
  private val bytes, blockedNanos = new AtomicLong

  /** @param send returns how many bytes it sent, and waits for nothing but a disk */
  def measured(send: => Long): Long = {
    val (wall, cpu) = (System.nanoTime(), CpuClock.nanos())
    val sent = send
    bytes.addAndGet(sent)
    blockedNanos.addAndGet(math.max(0, System.nanoTime() - wall - (CpuClock.nanos() - cpu)))
    sent
  }

  /** By the kernel, which keeps no thread for it. */
  def byKernel(sent: Long): Unit = { bytes.addAndGet(sent); () }

  /** Something that nobody has taken. */
  private[observe] def some: Boolean = bytes.get > 0

  /** Bytes, and blocked microseconds, since the last call. */
  private[observe] def take(): (Long, Long) = (bytes.getAndSet(0), blockedNanos.getAndSet(0) / 1000)
}
