package pellucid.observe

import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable.ArrayBuffer

/** What this executor has sent of its shuffle files to others, and how long its disks kept the threads that do. */
object Served {

  /** In a second, one by one; what is beyond is added to the last one of its disk. */
  private final val Most = 1000
  private val bytes, blockedNanos, queuedMicros = new AtomicLong
  private val monotasks = ArrayBuffer.empty[One]

  /** A monotask of a disk.
    *
    * @param resource `NAME=SLOTS`
    * @param mapTask Spark's number of the one that wrote the last of the blocks, where it is known
    * @param queuedMicros when it was queued, microseconds since 1970
    */
  final case class One(
      resource: String,
      mapTask: Option[Long],
      bytes: Long,
      queuedMicros: Long,
      waitMicros: Long,
      serviceMicros: Long,
      cpuMicros: Long
  ) {
    private[Served] def and(o: One): One = copy(
      bytes = bytes + o.bytes,
      waitMicros = waitMicros + o.waitMicros,
      serviceMicros = serviceMicros + o.serviceMicros,
      cpuMicros = cpuMicros + o.cpuMicros
    )
  }

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

  /** What was to be sent was read first, by a monotask. */
  def read(one: One): Unit = monotasks.synchronized {
    queuedMicros.addAndGet(one.waitMicros)
    blockedNanos.addAndGet(1000 * math.max(0, one.serviceMicros - one.cpuMicros))
    val last = if (monotasks.size < Most) -1 else monotasks.lastIndexWhere(_.resource == one.resource)
    if (last < 0) monotasks += one else monotasks(last) = monotasks(last).and(one)
    ()
  }

  /** Something that nobody has taken. */
  private[observe] def some: Boolean = bytes.get > 0 || monotasks.synchronized(monotasks.nonEmpty)

  /** Bytes, and blocked and queued microseconds, since the last call. */
  private[observe] def take(): (Long, Long, Long) =
    (bytes.getAndSet(0), blockedNanos.getAndSet(0) / 1000, queuedMicros.getAndSet(0))

  /** In the order in which they ended, since the last call. */
  private[pellucid] def takeMonotasks(): Seq[One] = monotasks.synchronized {
    val all = monotasks.toList
    monotasks.clear()
    all
  }
}
