package pellucid.observe

/** Whether a container's limit on the CPU leaves its threads some of it. The kernel gives it so much CPU time for each period (often 100 ms); where
  * threads have used that up they are held up until the next one, and more threads would wait for the same.
  *
  * It has no clock.
  *
  * @param counted periods so far, none where there is no limit, and those in which threads were held up
  */
private[pellucid] final class CpuLimit(counted: => (Long, Long)) {
  import CpuLimit._
  private var (periods, heldUp) = counted
  private var since = 0L
  private var leaves, asked = false

  /** What was seen was of other tasks than those that run now. */
  def forget(): Unit = { leaves = false; asked = false }

  /** In the last periods threads were held up in fewer than three of four; false until that has been seen. */
  def leavesSome(now: Long): Boolean = {
    if (!asked || now - since >= EveryNanos) {
      val (allNow, heldUpNow) = counted
      leaves = allNow == 0 || asked && (heldUpNow == heldUp || (heldUpNow - heldUp) * 4 < (allNow - periods) * 3)
      periods = allNow
      heldUp = heldUpNow
      since = now
      asked = true
    }
    leaves
  }
}

private object CpuLimit {
  private[observe] final val EveryNanos = 100000000L
}
