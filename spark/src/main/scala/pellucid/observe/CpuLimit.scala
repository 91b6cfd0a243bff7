package pellucid.observe

/** Whether what keeps a container's threads from running is its limit on the CPU: more threads would wait for the same. The kernel gives it so much CPU
  * time for each period (often 100 ms); where threads have used that up they are held up until the next one.
  *
  * It has no clock.
  *
  * @param counted periods so far, and those in which threads were held up
  */
private[pellucid] final class CpuLimit(counted: => (Long, Long)) {
  import CpuLimit._
  private var (periods, heldUp) = counted
  private var reached = false
  private var since = Long.MinValue

  /** In most of the last periods. */
  def isReached(now: Long): Boolean = {
    if (since == Long.MinValue || now - since >= EveryNanos) {
      val (allNow, heldUpNow) = counted
      reached = allNow > periods && (heldUpNow - heldUp) * 4 >= (allNow - periods) * 3
      periods = allNow
      heldUp = heldUpNow
      since = now
    }
    reached
  }
}

private object CpuLimit {
  private[observe] final val EveryNanos = 200000000L
}
