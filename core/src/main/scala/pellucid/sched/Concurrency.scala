package pellucid.sched

/** How many tasks an executor has at once: one per core, and more as long as resources are left without work (thesis section 5.3.4). What is
  * more than that makes nothing faster, and a machine that has it cannot leave it to one that is faster.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock. It is asked again and again.
  *
  * @param most enough for each resource to be in use, and one more
  */
final class Concurrency(cores: Int, @volatile private var most: Int) {
  import Concurrency._
  private var allowed = cores
  private var helpsSince = Long.MaxValue // without a look at which it did not
  private var leastWaits = Int.MaxValue // for one resource, while more than one task has waited for some all the time
  private var wantedSince = 0L // when that began
  private var blocked = Set.empty[Long] // at the last look

  /** That may run at once now. */
  def tasks: Int = allowed

  /** That may ever, which any thread may ask. */
  def atMost: Int = math.max(most, cores)

  /** How many tasks of those that are blocked though they have a core, by their numbers, were so at the last look: others wait for a lock for a moment,
    * as all do that are shorter than the time between looks, and one more task would only be one more of these.
    */
  def stillBlocked(tasks: Iterable[Long]): Int = {
    val still = tasks.count(blocked)
    blocked = tasks.toSet
    still
  }

  /** A core does nothing though as many tasks have begun as may, and one more would find free what it wants.
    *
    * @param runs on cores
    * @param waits of tasks for a core
    * @param isFree what the youngest task wants: it waits in no queue, and no other one is long; nor is all in use that output to other machines has, while a
    *               task is there to follow
    */
  def oneMoreHelps(begun: Int, runs: Int, waits: Int, isFree: => Boolean): Boolean =
    allowed < most && waits == 0 && runs < cores && begun >= allowed && isFree

  /** One more where it has helped for some time, at each look; fewer where too many have waited for a core or a disk for long. By time, not by
    * looks: where CPUs are slow these are few.
    *
    * @param begun tasks
    * @param waits in the longest queue
    * @param hasRoom for one more, in memory
    */
  def look(helps: Boolean, begun: Int, waits: Int, now: Long, hasRoom: => Boolean = true): Unit = {
    helpsSince = if (helps) math.min(helpsSince, now) else Long.MaxValue
    if (waits <= 1) forget()
    else {
      if (leastWaits == Int.MaxValue) wantedSince = now
      leastWaits = math.min(leastWaits, waits)
    }
    if (helps && now - helpsSince >= HelpsNanos) {
      helpsSince = Long.MaxValue
      if (hasRoom) allowed = math.min(allowed + 1, atMost)
    } else if (leastWaits < Int.MaxValue && now - wantedSince >= WantedNanos) {
      allowed = math.max(cores, math.min(allowed, begun - (leastWaits - 1)))
      forget()
    }
  }

  /** None has run for [[Concurrency.EmptyNanos]]. What has come to an end was a stage: the next one's tasks are spread over machines as in
    * stock Spark, and those machines have more whose cores idle.
    */
  def empty(): Unit = {
    helpsSince = Long.MaxValue
    allowed = cores
  }

  /** One per core from now on. */
  def onePerCore(): Unit = { most = cores; allowed = cores }

  private def forget(): Unit = leastWaits = Int.MaxValue
}

object Concurrency {

  /** Tasks at once, at most: enough for each resource to be in use, and one more (thesis section 5.3.4), but no more than the user's bound; one per core at
    * least.
    *
    * @param disk slots of all disks, and `network` of the network
    */
  def most(cores: Int, disk: Int, network: Int, bound: Option[Int]): Int =
    math.max(cores, bound.foldLeft(cores + disk + network + 1)(math.min))

  /** From one task to the next of a stage whose tasks are short. */
  final val EmptyNanos = 5000000L

  /** For longer than it takes a task that was let in to begin. */
  private[sched] final val HelpsNanos = 6000000L

  /** For longer than tasks take for what the disk or the network has for them at once. */
  private[sched] final val WantedNanos = 500000000L
}
