package pellucid.sched

/** Whether a container's limit on the CPU leaves its threads some of it. The kernel gives it so much CPU time for each period (often 100 ms); where
  * threads have used that up they are held up until the next one, and more threads would wait for the same.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  *
  * @param counted periods so far in which threads ran, none where there has been no limit, and those in which some were held up
  */
final class CpuLimit(counted: => (Long, Long)) {
  import CpuLimit._
  private var periods, heldUp, since = 0L
  private var began, leaves = false

  /** What was seen was of other tasks than those that run now. */
  def forget(): Unit = began = false

  /** Threads were held up in fewer than three of four of the last periods. To be asked again and again: false until that has been seen. */
  def leavesSome(now: Long): Boolean = {
    if (!began || now - since > MostNanos) {
      begin(counted, now)
      leaves = periods == 0
    } else if (periods > 0 && now - since >= LeastNanos) {
      val all @ (periodsNow, heldUpNow) = counted
      if (periodsNow - periods >= LeastPeriods) {
        leaves = (heldUpNow - heldUp) * 4 < (periodsNow - periods) * 3
        begin(all, now)
      }
    }
    leaves
  }

  private def begin(counts: (Long, Long), now: Long): Unit = {
    periods = counts._1
    heldUp = counts._2
    since = now
    began = true
  }
}

private object CpuLimit {

  /** What is seen in so many periods, and for as long as that, but not longer ago, says something of the next ones. */
  private[sched] final val LeastPeriods = 4
  private[sched] final val LeastNanos = 100000000L
  private[sched] final val MostNanos = 1000000000L
}
