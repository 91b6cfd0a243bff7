package pellucid.disk

import java.io.{File, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

/** Which block device holds a file. */
object Devices {

  /** `disk:NAME` with the kernel's name of the device, or `disk` where there is none (memory, network, not Linux). */
  def of(file: File): String = {
    val folder = Option(file.getParent).getOrElse("/")
    known.computeIfAbsent(folder, f => find(Paths.get(f)))
  }

  private val known = new ConcurrentHashMap[String, String]

  private def find(folder: Path): String =
    try {
      val real = existing(folder.toAbsolutePath).toRealPath()
      // fields: id, parent, major:minor, root, mount point, ...; a later mount hides an earlier one
      val mounts = Files.readAllLines(Paths.get("/proc/self/mountinfo"), UTF_8).asScala.map(_.split(' '))
      val (_, number) = mounts.foldLeft((-1, "")) { case ((depth, found), fields) =>
        val point = Paths.get(fields(4).replace("\\040", " "))
        if (real.startsWith(point) && point.getNameCount >= depth) (point.getNameCount, fields(2)) else (depth, found)
      }
      val device = Paths.get(s"/sys/dev/block/$number")
      if (Files.exists(device)) s"disk:${device.toRealPath().getFileName}" else "disk"
    } catch { case _: IOException => "disk" }

  private def existing(path: Path): Path =
    if (Files.exists(path) || path.getParent == null) path else existing(path.getParent)
}
