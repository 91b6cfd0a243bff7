package pellucid.observe

import java.util.concurrent.atomic.AtomicLong

/** What this executor has sent of its shuffle files to others, and how long its disks kept the threads that do. */
object Served {
  private val bytes, blockedNanos, queuedNanos = new AtomicLong

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

  /** What was to be sent was read first, by monotasks that waited for their disk's other ones. */
  def read(queued: Long, blocked: Long): Unit = {
    queuedNanos.addAndGet(queued)
    blockedNanos.addAndGet(math.max(0, blocked))
    ()
  }

  /** Something that nobody has taken. */
  private[observe] def some: Boolean = bytes.get > 0

  /** Bytes, and blocked and queued microseconds, since the last call. */
  private[observe] def take(): (Long, Long, Long) =
    (bytes.getAndSet(0), blockedNanos.getAndSet(0) / 1000, queuedNanos.getAndSet(0) / 1000)
}
