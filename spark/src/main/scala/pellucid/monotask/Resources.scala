package pellucid.monotask

import java.util.concurrent.ConcurrentHashMap

/** The resources of an executor, each with its own scheduler (thesis section 5.3.3). */
private[pellucid] final class Resources(cores: Int, diskSlots: Int, networkSlots: Int) {
  val cpu = new Gate("cpu", cores)
  val network = new Gate("network", networkSlots)
  private val disks = new ConcurrentHashMap[String, Gate]

  /** `disk:NAME` is a disk of this machine; all else comes through the network. */
  def of(place: String): Gate =
    if (Resources.isDisk(place)) disks.computeIfAbsent(place, new Gate(_, diskSlots)) else network
}

object Resources {
  final val Disk = "disk:"

  /** Of this machine. */
  def isDisk(place: String): Boolean = place.startsWith(Disk)
}
