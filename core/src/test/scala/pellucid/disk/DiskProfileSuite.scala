package pellucid.disk

import java.nio.charset.StandardCharsets.UTF_8

import org.scalacheck.Gen
import org.scalacheck.Prop._

import pellucid.Properties

class DiskProfileSuite extends Properties {
  import DiskProfileSuite._

  test("between two sizes the time of a request is linear in its size") {
    // 1 kB takes 10 ms, 9 kB take 30 ms: 5 kB take 20 ms, that is 250 kB/s
    val curve = BandwidthCurve(Vector(BandwidthPoint(1e3, 1e5), BandwidthPoint(9e3, 3e5)))
    assertEqualsDouble(curve(5e3), 2.5e5, 1e-6)
    assertEquals((curve(1e3), curve(9e3)), (1e5, 3e5))
  }

  test("beyond the ends the bandwidth is that of the nearest size") {
    val curve = BandwidthCurve(Vector(BandwidthPoint(1e3, 1e5), BandwidthPoint(9e3, 3e5)))
    assertEquals((curve(1), curve(1e12)), (1e5, 3e5))
  }

  test(
    "a seek is what the smallest two sizes say of no bytes, and no more than the smallest; one size alone says none"
  ) {
    // 1 kB takes 10 ms, 9 kB take 30 ms: none 7.5 ms
    val curve = BandwidthCurve(Vector(BandwidthPoint(1e3, 1e5), BandwidthPoint(9e3, 3e5)))
    assertEqualsDouble(curve.seekSeconds, 7.5e-3, 1e-9)
    // 9 kB as soon as 1 kB; 2 kB after 33 ms, which leaves no time for a seek
    assertEqualsDouble(
      BandwidthCurve(Vector(BandwidthPoint(1e3, 1e5), BandwidthPoint(9e3, 1e6))).seekSeconds,
      0.01,
      1e-9
    )
    assertEqualsDouble(
      BandwidthCurve(Vector(BandwidthPoint(1e3, 1e5), BandwidthPoint(2e3, 6e4))).seekSeconds,
      1 / 6e4,
      1e-9
    )
    assertEqualsDouble(BandwidthCurve(Vector(BandwidthPoint(1e8, 1e8))).seekSeconds, 1e-8, 1e-15)
  }

  property("a bandwidth lies between those of the sizes beside it") {
    forAll(curves, Gen.choose(1.0, 1e9)) { (curve, size) =>
      val at = curve.points.map(_.requestBytes).indexWhere(_ >= size)
      val beside =
        if (at < 0) Seq(curve.points.last)
        else if (at == 0) Seq(curve.points.head) else curve.points.slice(at - 1, at + 1)
      val rates = beside.map(_.bytesPerSecond)
      assert(
        curve(size) >= rates.min * (1 - 1e-9) && curve(size) <= rates.max * (1 + 1e-9),
        s"${curve(size)} of $rates"
      )
    }
  }

  property("a profile that is written and read is the same") {
    forAll(curves, curves) { (read, write) =>
      val profile = DiskProfile("sda \"1\"", read, write)
      assertEquals(DiskProfile.read(DiskProfile.write(profile)), profile)
    }
  }

  private def mistake(json: String)(line: Int, says: String)(implicit at: munit.Location): Unit = {
    val e = intercept[NotReadable](DiskProfile.read(json.getBytes(UTF_8)))
    assertEquals(e.line, line, e.reason)
    assert(e.reason.contains(says), s"'${e.reason}' does not say '$says'")
  }

  test("mistakes in the JSON are named with their line") {
    val point = """[{"requestBytes":4096,"bytesPerSecond":1}]"""
    mistake("")(1, "unexpected end")
    mistake("{\n\"name\": 3}")(2, "expected '\"'")
    mistake(s"""{"schemaVersion":1,\n"name":"a",\n"reads":$point}""")(3, "reads")
    mistake(s"""{"schemaVersion":1,"name":"a","read":$point}""")(0, "write: no request size")
    mistake(s"""{"schemaVersion":2,"name":"a","read":$point,"write":$point}""")(0, "schemaVersion 2")
    mistake(s"""{"schemaVersion":1,"name":"a","read":[],"write":$point}""")(0, "read: no request size")
    mistake(s"""{"schemaVersion":1,"name":"a","read":$point,"write":[{"requestBytes":1,"bytesPerSecond":-1}]}""")(
      0,
      "write: requests of 1.0 bytes at -1.0 bytes/s"
    )
    mistake(
      s"""{"schemaVersion":1,"name":"a","read":$point,"write":[{"requestBytes":2,"bytesPerSecond":1},{"requestBytes":2,"bytesPerSecond":1}]}"""
    )(0, "write: request sizes are not ascending")
  }

  test("published limits: requests per second for small requests, bytes per second for large ones") {
    // 0.75 requests/s and 0.12 MB/s per GB, 1000 GB: 750 requests/s; 120 MB/s is met between 128 KB (98 MB/s) and 256
    // KB
    val limits = PublishedLimits(
      "pd",
      SizeLimit(0.75, most = 7500),
      SizeLimit(1.5, most = 15000),
      SizeLimit(1.2e5, most = 1.8e8),
      SizeLimit(1.2e5, most = 1.2e8)
    )
    val disk = limits.of(1000, 8)
    assertEquals(disk.readBytesPerSecond(4096), 750.0 * 4096)
    assertEquals(disk.readBytesPerSecond(131072), 750.0 * 131072)
    assertEquals(disk.readBytesPerSecond(262144), 1.2e8)
    assertEquals(disk.writeBytesPerSecond(4096), 1500.0 * 4096)
    assertEquals(limits.of(100000, 8).readBytesPerSecond(1e8), 1.8e8)
    assertEquals(SizeLimit(3, 100, 16000).of(10), 100.0)
    assertEquals(SizeLimit(most = 125).of(10), 125.0)
  }
}

object DiskProfileSuite {
  private val positive = Gen.choose(1e-3, 1e10)

  val curves: Gen[BandwidthCurve] = for {
    sizes <- Gen.nonEmptyListOf(Gen.choose(1, 1 << 28)).map(_.distinct.sorted)
    rates <- Gen.listOfN(sizes.size, positive)
  } yield BandwidthCurve(sizes.zip(rates).map { case (size, rate) => BandwidthPoint(size, rate) }.toVector)
}
