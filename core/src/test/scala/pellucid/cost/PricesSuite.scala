package pellucid.cost

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import pellucid.disk.{BandwidthCurve, DiskProfile, DiskSpeed, NotReadable}

class PricesSuite extends munit.FunSuite {
  private val flat = DiskSpeed.same(DiskProfile("p", BandwidthCurve.flat(1e8), BandwidthCurve.flat(1e8)))
  private val machine = """{"name":"m","cores":[4],"dollarsPerHour":0.2}"""
  private val disk = """{"name":"d","gigabytes":[100],"dollarsPerGigabyteMonth":0.073,"profile":"p.json"}"""
  private def file(machines: String = machine, disks: String = disk, version: Int = 1) =
    s"""{"schemaVersion":$version,"name":"n","date":"2026","source":"s",\n"machines":[$machines],\n"disks":[$disks]}"""
  private def read(json: String) = Prices.read(json.getBytes(UTF_8), _ => flat)

  test("prices per hour, core-hour, gigabyte-hour and month of 730 hours") {
    val p = read(file())
    assertEquals((p.name, p.date, p.source), ("n", "2026", "s"))
    assertEquals((p.machines.head.dollarsPerCoreHour, MachineOption(p.machines.head, 4).dollarsPerHour), (0.05, 0.2))
    assertEqualsDouble(DiskOption(p.disks.head, 100).dollarsPerHour, 0.01, 1e-12)
    val hourly = disk.replace("Month\":0.073", "Hour\":0.0001")
    assertEqualsDouble(DiskOption(read(file(disks = hourly)).disks.head, 100).dollarsPerHour, 0.01, 1e-12)
    // two machines: 2 x (0.2 + 0.01 + 0.01)
    val c =
      Configuration(MachineOption(p.machines.head, 4), 2, DiskOption(p.disks.head, 100), DiskOption(p.disks.head, 100))
    assertEqualsDouble(c.dollarsPerHour, 0.44, 1e-12)
  }

  private def mistake(json: String)(line: Int, says: String)(implicit at: munit.Location): Unit = {
    val e = intercept[NotReadable](read(json))
    assertEquals(e.line, line, e.reason)
    assert(e.reason.contains(says), s"'${e.reason}' does not say '$says'")
  }

  test("mistakes are named") {
    mistake("{}")(1, "schemaVersion")
    mistake(file(version = 3))(0, "schemaVersion 3")
    mistake(file(machines = ""))(0, "machines: none")
    mistake(file(disks = ""))(0, "disks: none")
    mistake(file(machine.replace("cores", "vcpus")))(2, "vcpus")
    mistake(file(machine.replace("[4]", "[0]")))(0, "machine 'm': cores")
    mistake(file(machine.replace("[4]", "[4,8]")))(0, "dollarsPerHour is for one number of cores")
    mistake(file(machine.replace("0.2", "-0.2")))(0, "machine 'm': dollars: -0.05 is not positive")
    mistake(file(machine.replace(",\"dollarsPerHour\":0.2", "")))(0, "one of dollarsPerCoreHour and dollarsPerHour")
    mistake(file(disks = disk.replace("[100]", "[100,0]")))(0, "disk 'd': gigabytes: 0.0 is not positive")
    mistake(file(disks = disk.replace("0.073", "\"free\"")))(3, "number")
    mistake(file(disks = disk.replace(",\"profile\":\"p.json\"", "")))(0, "disk 'd': one of profile and limits")
    mistake(file(disks = disk.replace(",\"dollarsPerGigabyteMonth\":0.073", "")))(0, "one of dollarsPerGigabyteMonth")
    val limits =
      """"limits":{"readRequestsPerSecond":{"perGigabyte":1,"most":0},"writeRequestsPerSecond":{"most":9},""" +
        """"readMegabytesPerSecond":{"most":9},"writeMegabytesPerSecond":{"most":9}}"""
    mistake(file(disks = disk.replace("\"profile\":\"p.json\"", limits)))(0, "disk 'd': limits at 100.0 GB: 0.0")
  }

  test("the price files of the documentation are read, and say that they are list prices") {
    val folder = Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).map(_.resolve("docs/prices"))
      .find(Files.isDirectory(_)).get
    for (name <- Seq("google.json", "aws.json", "azure.json")) {
      val p = Prices.read(Files.readAllBytes(folder.resolve(name)), name => fail(s"a profile: $name"))
      assert(p.notes.contains("list price, check before use"), name)
      for (d <- p.disks; gb <- d.gigabytes) assert(d.speed.of(gb, 8).readBytesPerSecond(1e6) > 0)
    }
  }
}
