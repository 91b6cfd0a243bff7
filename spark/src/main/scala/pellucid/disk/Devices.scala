package pellucid.disk

import java.io.{File, IOException}
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.ConcurrentHashMap

/** What holds a file. */
object Devices {

  /** `disk:NAME` with the kernel's name of the block device, or the file system's type where it has none of its own (overlay, tmpfs);
    * `mount:TYPE` of a file system on the network; `disk` where neither is known.
    */
  def of(file: File): String =
    try {
      val there = existing(file.toPath.toAbsolutePath)
      val number = Files.getAttribute(there, "unix:dev").asInstanceOf[Long]
      val known = names.get(number)
      if (known != null) known
      else {
        val found = name(there, number)
        names.put(number, found)
        found
      }
    } catch { case _: IOException | _: UnsupportedOperationException | _: IllegalArgumentException => "disk" }

  /** Where the kernel tells of them. */
  val Known: Path = Paths.get("/sys/class/block")

  /** Whether the kernel says of what [[of]] returned that it rotates, a partition's disk for the partition; None where it does not know
    * such a device.
    */
  def rotates(name: String, known: Path = Known): Option[Boolean] = told(name, "queue/rotational", known).map(_ != 0)

  /** How many requests it takes at once, where it tells that the kernel: those of SATA and SCSI do. */
  def queueDepth(name: String, known: Path = Known): Option[Int] = told(name, "device/queue_depth", known).filter(_ > 0)

  private def told(name: String, file: String, known: Path) =
    try {
      val device = known.resolve(name.stripPrefix("disk:")).toRealPath()
      Seq(device, device.getParent).map(_.resolve(file)).find(Files.exists(_)).map(Files.readString(_).trim.toInt)
    } catch { case _: IOException | _: IllegalArgumentException => None }

  private val names = new ConcurrentHashMap[Long, String]

  private def name(path: Path, number: Long): String = {
    // as the kernel packs it: 12 bits of the major number lie above 8 of the minor one, whose other bits lie above those
    val (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00))
    val device = Paths.get(s"/sys/dev/block/$major:$minor")
    if (Files.exists(device)) s"disk:${device.toRealPath().getFileName}"
    else {
      val kind = Files.getFileStore(path).`type`
      if (network.exists(kind.startsWith)) s"mount:$kind" else s"disk:$kind"
    }
  }

  private val network = Seq("nfs", "cifs", "smb", "ceph", "gluster", "lustre", "fuse", "9p", "afs", "beegfs", "gpfs")

  private def existing(path: Path): Path =
    if (Files.exists(path) || path.getParent == null) path else existing(path.getParent)
}
