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
  private var asked, leaves = false

  /** What was seen was of other tasks than those that run now. */
  def forget(): Unit = asked = false

  /** In the last periods threads were held up in fewer than three of four. To be asked again and again: false until that has been seen. */
  def leavesSome(now: Long): Boolean = {
    val passed = now - since
    if (!asked || passed >= EveryNanos) {
      val (allNow, heldUpNow) = counted
      val seen = asked && passed < 2 * EveryNanos
      leaves = allNow == 0 || seen && (heldUpNow == heldUp || (heldUpNow - heldUp) * 4 < (allNow - periods) * 3)
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
