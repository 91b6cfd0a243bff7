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

  test("what the user says") {
    assertEquals(new DiskSlots(Some(3), Nil).of("disk:DS-1-2-3"), 3)
    assertEquals(new DiskSlots(Some(3), Seq("disk:a", "disk:b")).ofLocal, 6)
  }
}
