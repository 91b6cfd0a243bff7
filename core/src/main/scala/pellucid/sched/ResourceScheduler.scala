package pellucid.sched

/** The scheduler of one resource: runs as few monotasks at once as keep it busy, and lets the others wait where they can be counted
  * (thesis section 5.3.3). It has neither threads nor a clock: an executor's threads drive it in real time, a simulation in its own.
  *
  * Each method that may start monotasks returns those that run from now on.
  *
  * @param slots how many may run at once: the cores, 1 for a hard disk, 4 for a flash drive, 4 multitasks on the network
  */
final class ResourceScheduler[M <: Monotask](private var slots: Int) {
  private val queue = new PhaseQueue[M]
  private var running = 0
  private var youngest = Long.MaxValue

  /** Memory is short: let what moves data out of it go first. */
  var freeingFirst = false

  def runs: Int = running
  def waits: Int = queue.size

  /** One more would run at once. */
  def isFree: Boolean = running < slots && queue.size == 0

  def submit(monotask: M): Seq[M] =
    if (isFree && monotask.multitask <= youngest) {
      queue.passes(monotask.phase)
      running += 1
      List(monotask)
    } else {
      queue.add(monotask)
      start()
    }

  /** One that ran has ended, or will use the resource no longer. */
  def finish(): Seq[M] = {
    require(running > 0, "none is running")
    running -= 1
    start()
  }

  /** One that runs is blocked and leaves the resource idle: one more may run in its place until one of them finishes. */
  def overdraw(): Seq[M] = next().toSeq

  /** Whether it waited; it will not run. */
  def withdraw(monotask: M): Boolean = queue.withdraw(monotask)

  /** Those that run beyond fewer slots run to their end. */
  def resize(to: Int): Seq[M] = {
    require(to > 0, s"$to slots")
    slots = to
    start()
  }

  /** Multitasks after this one begin no monotask here. */
  def upTo(multitask: Long): Seq[M] = { youngest = multitask; start() }

  private def start(): List[M] =
    if (running < slots) next().fold(List.empty[M])(_ :: start()) else Nil

  private def next(): Option[M] = {
    val started = queue.next(freeingFirst, youngest)
    if (started.nonEmpty) running += 1
    started
  }
}
