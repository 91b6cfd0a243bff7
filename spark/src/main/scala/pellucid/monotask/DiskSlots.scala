package pellucid.monotask

import pellucid.disk.Devices
import pellucid.sched.Monotask

/** How many monotasks a disk runs at once, as the kernel says what it is.
  *
  * @param set by the user, for all disks
  * @param local the disks of Spark's local folders
  */
private[monotask] final class DiskSlots(set: Option[Int], local: Seq[String]) {

  /** Of a disk that the kernel does not know by this name, such as a datanode's, what Spark's own have. */
  def of(disk: String): Int =
    set.orElse(known(disk)).getOrElse(local.flatMap(known).minOption.getOrElse(Monotask.slotsOfDisk(rotates = true)))

  /** Of all local disks. */
  val ofLocal: Int = local.map(of).sum

  private def known(disk: String) = Devices.rotates(disk).map(Monotask.slotsOfDisk)
}
