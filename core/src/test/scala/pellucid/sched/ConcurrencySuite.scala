package pellucid.sched

class ConcurrencySuite extends munit.FunSuite {
  private val Millis = 1000000L

  test("one task more when a core has idled for four looks in a row, and again after four more") {
    val concurrency = new Concurrency(2)
    val idles = Seq(true, true, true, false, true, true, true, true, true, true, true, true)
    val more = idles.zipWithIndex.map { case (idle, i) => concurrency.look(2, idle, waits = 0, i * Millis) }
    assertEquals(more, Seq(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1))
  }

  test("of those that have waited for a core for half a second all but one are too many") {
    val concurrency = new Concurrency(2)
    assertEquals(concurrency.look(8, idles = false, waits = 5, 0), 0)
    assertEquals(concurrency.look(8, idles = false, waits = 3, 250 * Millis), 0)
    assertEquals(concurrency.look(8, idles = false, waits = 4, 499 * Millis), 0)
    assertEquals(concurrency.look(8, idles = false, waits = 6, 500 * Millis), -2) // at least 3 waited
    assertEquals(concurrency.look(6, idles = false, waits = 3, 501 * Millis), 0) // from now on
    assertEquals(concurrency.look(6, idles = false, waits = 3, 1001 * Millis), -2)
  }

  test("none is too many where at some moment one or none waited for a core") {
    val concurrency = new Concurrency(2)
    for (i <- 0 to 100)
      assertEquals(concurrency.look(8, idles = false, waits = if (i % 40 == 39) 1 else 5, i * 12 * Millis), 0)
  }

  test("never fewer than there are cores") {
    val concurrency = new Concurrency(4)
    concurrency.look(5, idles = false, waits = 9, 0)
    assertEquals(concurrency.look(5, idles = false, waits = 9, 500 * Millis), -1)
    concurrency.look(4, idles = false, waits = 9, 501 * Millis)
    assertEquals(concurrency.look(4, idles = false, waits = 9, 1002 * Millis), 0)
  }
}
