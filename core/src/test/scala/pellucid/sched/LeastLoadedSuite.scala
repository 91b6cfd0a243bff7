package pellucid.sched

import scala.util.Random

class LeastLoadedSuite extends munit.FunSuite {
  private val all = Seq("a", "b", "c")
  private val alike = (_: Any) => 0.0

  test("the one with the least to do, then the one with the fewest bytes") {
    val disks = new LeastLoaded[String]
    assertEquals(disks.next(5, all, "c")(Map("a" -> 2.0, "b" -> 0.5, "c" -> 0.5)), "b") // 0, 5, 0
    assertEquals(disks.next(9, all, "c")(alike), "a") // 9, 5, 0
    assertEquals(disks.next(6, all, "a")(alike), "c") // 9, 5, 6
    assertEquals(disks.next(2, all, "a")(alike), "b") // 9, 7, 6
    assertEquals(disks.next(1, all, "b")(Map("a" -> 0.0, "b" -> 1.0, "c" -> 1.0)), "a")
  }

  test("one of those that may; what the other gets as there is none counts, too") {
    val disks = new LeastLoaded[String]
    assertEquals(disks.next(5, Seq("b", "c"), "a")(alike), "b") // 0, 5, 0
    assertEquals(disks.next(7, Nil, "c")(alike), "c") // 0, 5, 7
    assertEquals(disks.next(1, Seq("b", "c"), "a")(alike), "b")
  }

  test("whatever files there are, no disk gets more than the largest of them beyond any other") {
    val random = new Random(1)
    for (count <- 2 to 5) {
      val got = Array.fill(count)(0L)
      val disks = new LeastLoaded[Int]
      for (_ <- 1 to 1000) {
        val bytes = random.nextInt(100).toLong
        got(disks.next(bytes, got.indices, 0)(alike)) += bytes
        assert(got.max - got.min < 100, got.toSeq)
      }
    }
  }
}
