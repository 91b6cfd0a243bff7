package pellucid.disk

import pellucid.disk.DiskMeasurement._

class DiskMeasurementSuite extends munit.FunSuite {
  test("what was moved in how long: 300 requests of 4 KB in 2 s are 614,400 bytes/s") {
    assertEquals(Moved(4096, 300 * 4096, 2000000000L).point, BandwidthPoint(4096, 614400))
  }

  test("places are multiples of the request within the file, and all of them come up") {
    val places = new Places(10 * 4096 + 100, 4096, seed = 1)
    assertEquals(Seq.fill(1000)(places.next()).distinct.sorted, (0L until 10).map(_ * 4096))
    intercept[IllegalArgumentException](new Places(100, 4096, seed = 1))
  }

  test("eight requests at once, fewer of the largest: 128 MB in all") {
    assertEquals(Seq(4096L, 1L << 24, 1L << 25, 1L << 27, 1L << 28).map(atOnce), Seq(8, 8, 4, 1, 1))
  }

  test("a profile has the sizes in order, whatever the order of the measurements") {
    val moved = Seq(Moved(8192, 8192, 1000000000L), Moved(4096, 4096, 1000000000L))
    val profile = DiskMeasurement.profile("sda", moved, moved)
    assertEquals(profile.read.points, Vector(BandwidthPoint(4096, 4096), BandwidthPoint(8192, 8192)))
  }
}
