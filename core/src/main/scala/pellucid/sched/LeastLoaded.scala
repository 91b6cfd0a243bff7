package pellucid.sched

import scala.collection.mutable
import scala.math.Ordering.Double.TotalOrdering

/** Which disk takes the next file: the one with the least to do, and of those that are alike the one that has got the fewest bytes until now, as what is written to
  * the page cache waits in no queue. Where chance decides, the busier one of two disks gets five of eight files.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  */
final class LeastLoaded[D] {
  private val got = mutable.HashMap.empty[D, Long].withDefaultValue(0L)

  /** For a file of so many `bytes`.
    *
    * @param disks that may have it; `otherwise` gets it where there are none
    */
  def next(bytes: Long, disks: Seq[D], otherwise: D)(load: D => Double): D = {
    val disk = disks.minByOption(disk => (load(disk), got(disk))).getOrElse(otherwise)
    got(disk) += bytes
    disk
  }
}
