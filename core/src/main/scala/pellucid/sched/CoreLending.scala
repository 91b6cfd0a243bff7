package pellucid.sched

/** How many cores are lent while tasks that hold one wait for other threads. Who gets such a core computes on when the waiting is over, beside
  * the task that lent it, with all that both hold in the heap. So some cores are lent at once; beyond that, and while the heap is short, only
  * to tasks that stock Spark would have begun; and one more whenever no task has computed for a while, as that one may be what they wait for.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  */
final class CoreLending(cores: Int) {
  import CoreLending._
  private val few = (cores + 1) / 2
  private var computedAt = 0L // a task did, or a core was lent that made one

  /** @param tasks that have begun and not ended
    * @param lent cores, by now
    */
  def look(tasks: Seq[Task], lent: Int, heapIsShort: => Boolean, now: Long): Allowed = {
    val (waiting, others) = tasks.partition(_.state == Waits)
    if (waiting.isEmpty || others.exists(_.state == Computes)) computedAt = now
    val still = now - computedAt > StillNanos
    val careful = lent >= few || heapIsShort
    Allowed(
      if (careful) oldest(if (still) others else tasks) else Long.MaxValue,
      math.min(waiting.size, if (still) lent + 1 else if (careful) Int.MaxValue else few)
    )
  }

  /** A task does now: one that was lent a core, or that begins where there was none. */
  def computes(now: Long): Unit = computedAt = now

  /** The last of as many as there are cores, which is how many stock Spark would have begun. */
  private def oldest(tasks: Seq[Task]): Long = tasks.map(_.number).sorted.lift(cores - 1).getOrElse(Long.MaxValue)
}

object CoreLending {

  /** What a task does: its thread computes on its core, or waits there for another thread; or it has no core. */
  sealed trait State
  case object Computes extends State
  case object Waits extends State
  case object HasNone extends State

  /** @param number in the order in which tasks began */
  final case class Task(number: Long, state: State)

  /** @param youngest multitask that may begin to compute
    * @param lent cores, in all
    */
  final case class Allowed(youngest: Long, lent: Int)

  /** Without any task computing, until one more core is lent. */
  final val StillNanos = 100000000L
}
