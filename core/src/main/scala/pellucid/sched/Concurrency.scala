package pellucid.sched

/** How many tasks an executor should have at once: enough for each resource to be in use, and one more (thesis section 5.3.4). What is more
  * than that makes nothing faster, and a machine that has it cannot leave it to one that is faster.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock. It is asked again and again.
  */
final class Concurrency(cores: Int) {
  import Concurrency._
  private var idleLooks = 0
  private var leastWaits = Int.MaxValue // for a core, while more than one task has waited for one all the time
  private var wantedSince = 0L // when that began

  /** How many tasks more there should be: fewer if negative.
    *
    * @param tasks that there may be
    * @param idles a core does, though as many tasks have begun, and the youngest waits in no queue: what one more wants at first is free
    * @param waits of tasks for a core
    */
  def look(tasks: Int, idles: Boolean, waits: Int, now: Long): Int = {
    idleLooks = if (idles) idleLooks + 1 else 0
    if (waits <= 1) forget()
    else {
      if (leastWaits == Int.MaxValue) wantedSince = now
      leastWaits = math.min(leastWaits, waits)
    }
    if (idleLooks >= LooksBeforeMore) { idleLooks = 0; 1 }
    else if (leastWaits < Int.MaxValue && now - wantedSince >= WantedNanos) {
      val fewer = math.max(0, math.min(leastWaits - 1, tasks - cores))
      forget()
      -fewer
    } else 0
  }

  private def forget(): Unit = leastWaits = Int.MaxValue
}

private object Concurrency {
  private[sched] final val LooksBeforeMore = 4

  /** For longer than tasks take for what the disk or the network has for them at once. */
  private[sched] final val WantedNanos = 500000000L
}
