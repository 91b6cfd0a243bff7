package pellucid.disk

import java.nio.file.Files

import pellucid.Samples

class DoppioCsvSuite extends munit.FunSuite {

  // two sizes, the larger of which was measured on machines of 8 and of 16 cores
  private val text =
    """vCPU 8,,,100GB,,vCPU 8,,,300GB,,vCPU 16,,,300GB
      |block size,bw in KB,bw in MB,iops,,block size,bw in KB,bw in MB,iops,,block size,bw in KB,bw in MB,iops
      |64,2048,2,32,,64,6144,6,96,,64,8192,8,128
      |4,1024,1,256,,4,3072,9,768,,4,4096,4,1024
      |""".stripMargin.replace("\n", "\r\n")
  private val disk = DoppioCsv.read("pd", text)
  private final val KB = 1024.0

  test("a size that was measured, with the machine of the most cores that are not more than asked for") {
    assertEquals(disk.of(100, 8).readBytesPerSecond(64 * KB), 2048 * KB)
    assertEquals(disk.of(300, 8).readBytesPerSecond(4 * KB), 3072 * KB)
    assertEquals(disk.of(300, 15).readBytesPerSecond(4 * KB), 3072 * KB)
    assertEquals(disk.of(300, 64).readBytesPerSecond(4 * KB), 4096 * KB)
    assertEquals(disk.of(300, 2).readBytesPerSecond(4 * KB), 3072 * KB) // fewer than any: the fewest
  }

  test("between two sizes linear in the size, below in proportion to it, above the largest") {
    assertEquals(disk.of(150, 8).readBytesPerSecond(64 * KB), 3072 * KB)
    assertEquals(disk.of(50, 8).readBytesPerSecond(64 * KB), 1024 * KB)
    assertEquals(disk.of(9000, 8).readBytesPerSecond(64 * KB), 6144 * KB)
  }

  test("a column that disagrees is told, and the bandwidth in KB taken; writes are taken to be as fast") {
    assertEquals(
      disk.notes,
      Seq(
        "line 4: 3072 KB/s of the 300 GB disk is taken, not its 9216 KB/s in MB",
        "only reads were measured: writes are taken to be as fast"
      )
    )
    assertEquals(disk.of(100, 8).writeBytesPerSecond(64 * KB), 2048 * KB)
  }

  private def mistake(text: String)(line: Int, says: String)(implicit at: munit.Location): Unit = {
    val e = intercept[NotReadable](DoppioCsv.read("pd", text))
    assertEquals(e.line, line, e.reason)
    assert(e.reason.contains(says), s"'${e.reason}' does not say '$says'")
  }

  test("mistakes are named with their line") {
    mistake("a\n")(1, "three lines")
    mistake(text.replace("block size", "size"))(2, "no column 'block size'")
    mistake(text.replace("100GB", "small"))(1, "no disk size like '100GB' above column 1")
    mistake(text.replace("bw in KB", "bw"))(2, "no column 'bw in KB' for 100 GB")
    mistake(text.replace("6144", "fast"))(3, "column 7: 'fast'")
    mistake(text.replace("2048,2,32", "-1,2,32"))(3, "column 2: '-1'")
    mistake(text.replace("vCPU 16", "vCPU 8"))(1, "two disks of 300 GB")
    mistake(text.replace("\r\n4,1024", "\r\n8,1024"))(0, "not measured with the same block sizes")
  }

  private def shared(name: String): MeasuredSizes = {
    val path = Samples.shared(s"disk-profiles/$name")
    assume(path.isDefined, s"skipped: there is no shared/data/disk-profiles/$name beside the repository")
    DoppioCsv.read(name, Files.readString(path.get))
  }

  test("Google's standard persistent disks, as Doppio's authors measured them") {
    val hdd = shared("gcloud_hdd_read.csv")
    assertEquals(hdd.disks.map(_.gigabytes), Vector(100.0, 200, 300, 1000, 2000, 3000, 4000, 5000, 6000))
    assertEquals(hdd.disks.head.profile.read.points.size, 16)
    assertEquals(hdd.of(2000, 16).readBytesPerSecond(32 * KB), 41471 * KB)
    // 1.5 TB lies between 1 TB and 2 TB: (121468 + 182076) / 2
    assertEquals(hdd.of(1500, 16).readBytesPerSecond(131072 * KB), 151772 * KB)
    assertEquals(hdd.notes.size, 2)
    assert(clue(hdd.notes.head).startsWith("line 18: 1029 KB/s of the 300 GB disk"))
  }

  test("Google's SSD persistent disks: 1 TB reads twice as fast on 16 cores as on 8") {
    val ssd = shared("gcloud_ssd_read.csv")
    assertEquals(ssd.of(1000, 8).readBytesPerSecond(32 * KB), 248184 * KB)
    assertEquals(ssd.of(1000, 16).readBytesPerSecond(32 * KB), 496306 * KB)
    assertEquals(ssd.of(200, 16).readBytesPerSecond(32 * KB), 100601 * KB)
  }
}
