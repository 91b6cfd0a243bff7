package pellucid.monotask

import pellucid.disk.Devices

/** How many monotasks a disk runs at once (thesis section 5.3.3): one where it rotates, so that it reads and writes in long sequences,
  * and four of a flash drive, whose channels work side by side.
  *
  * @param set by the user, for all disks
  * @param local the disks of Spark's local folders
  */
private[monotask] final class DiskSlots(set: Option[Int], local: Seq[String]) {
  import DiskSlots._

  /** Of a disk that the kernel does not know by this name, such as a datanode's, what Spark's own have. */
  def of(disk: String): Int = set.orElse(known(disk)).getOrElse(local.flatMap(known).minOption.getOrElse(Rotating))

  /** Of all local disks. */
  val ofLocal: Int = local.map(of).sum

  private def known(disk: String) = Devices.rotates(disk).map(if (_) Rotating else Flash)
}

private object DiskSlots {
  private final val Rotating = 1
  private final val Flash = 4
}
