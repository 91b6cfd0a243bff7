package pellucid.monotask

import java.nio.file.Path

import pellucid.disk.Devices
import pellucid.sched.Monotask

/** How many monotasks a disk runs at once, as the kernel says what it is.
  *
  * @param set by the user, for all disks
  * @param local the disks of Spark's local folders
  * @param devices where the kernel tells of them
  */
private[monotask] final class DiskSlots(set: Option[Int], local: Seq[String], devices: Path = Devices.Known) {

  /** Of a disk that the kernel does not know by this name, such as a datanode's, what Spark's own have. */
  def of(disk: String): Int =
    set.orElse(known(disk)).getOrElse(local.flatMap(known).minOption.getOrElse(Monotask.slotsOfDisk(rotates = true)))

  /** Of all local disks. */
  val ofLocal: Int = local.map(of).sum

  /** Of what is written to other machines, whose disks are taken to be as these. */
  def ofOutput: Int = local.map(disk => Monotask.slotsOfOutput(of(disk))).sum

  /** No more than it takes. */
  private def known(disk: String) = Devices.rotates(disk, devices).map { rotates =>
    Devices.queueDepth(disk, devices).foldLeft(Monotask.slotsOfDisk(rotates))(math.min)
  }
}
