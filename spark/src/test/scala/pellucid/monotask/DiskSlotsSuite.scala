package pellucid.monotask

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._

class DiskSlotsSuite extends munit.FunSuite {
  private val disks =
    Files.list(Paths.get("/sys/block")).iterator.asScala.filter(d => Files.exists(d.resolve("queue/rotational"))).toSeq

  private def slots(of: java.nio.file.Path) = if (Files.readString(of.resolve("queue/rotational")).trim == "1") 1 else 4

  test("what the kernel says of a disk, of a partition what it says of its disk") {
    assume(disks.nonEmpty)
    for (disk <- disks) {
      assertEquals(new DiskSlots(None, Nil).of(s"disk:${disk.getFileName}"), slots(disk))
      for (part <- Files.list(disk.toRealPath()).iterator.asScala if Files.exists(part.resolve("partition")))
        assertEquals(new DiskSlots(None, Nil).of(s"disk:${part.getFileName}"), slots(disk))
    }
  }

  test("a disk that the kernel does not know has what Spark's disks have, and one where nothing is known") {
    assume(disks.nonEmpty)
    val name = s"disk:${disks.head.getFileName}"
    assertEquals(new DiskSlots(None, Seq(name, "disk:overlay")).of("disk:DS-1-2-3"), slots(disks.head))
    assertEquals(new DiskSlots(None, Seq("disk:overlay")).of("disk:DS-1-2-3"), 1)
    assertEquals(new DiskSlots(None, Seq(name, "disk:overlay")).ofLocal, 2 * slots(disks.head))
  }

  test("no more than a disk takes at once: a partition has its disk's queue") {
    val devices = Files.createTempDirectory("devices")
    def slots(rotational: Int, depth: Option[Int]) = {
      val disk = Files.createTempDirectory(devices, "sd")
      Seq("queue", "device", "part").foreach(folder => Files.createDirectory(disk.resolve(folder)))
      Files.writeString(disk.resolve("queue/rotational"), s"$rotational\n")
      depth.foreach(d => Files.writeString(disk.resolve("device/queue_depth"), s"$d\n"))
      val names = Seq(s"disk:${disk.getFileName}", s"disk:${disk.getFileName}/part")
      names.map(new DiskSlots(None, Nil, devices).of(_)).distinct
    }
    val cases = Seq((0, None), (0, Some(31)), (0, Some(1)), (0, Some(2)), (0, Some(0)), (1, Some(31)))
    assertEquals(cases.map { case (r, d) => slots(r, d) }, Seq(4, 4, 1, 2, 4, 1).map(Seq(_)))
    Files.walk(devices).iterator.asScala.toSeq.reverse.foreach(Files.delete(_))
  }

  test("what the user says") {
    assertEquals(new DiskSlots(Some(3), Nil).of("disk:DS-1-2-3"), 3)
    assertEquals(new DiskSlots(Some(3), Seq("disk:a", "disk:b")).ofLocal, 6)
  }
}
