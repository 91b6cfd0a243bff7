package pellucid.monotask

class LiveObjectsSuite extends munit.FunSuite {
  private val period = LiveObjects.PeriodNanos

  test("what comes at once is in use; what has been there for two periods is garbage until a collection has looked") {
    val live = new LiveObjects
    assertEquals(live.bytes(used = 100, left = 0, now = 0), 0L)
    assertEquals(live.bytes(used = 400, left = 0, now = 1), 300L)
    // the least of the period before was 100, of this one 400
    assertEquals(live.bytes(used = 400, left = 0, now = period + 2), 300L)
    assertEquals(live.bytes(used = 450, left = 0, now = 2 * period + 3), 50L)
    assertEquals(live.bytes(used = 450, left = 0, now = 3 * period + 4), 0L)
  }

  test("what a collection left is in use, however old, and what came since") {
    val live = new LiveObjects
    live.bytes(used = 450, left = 0, now = 0)
    assertEquals(live.bytes(used = 200, left = 200, now = 1), 200L)
    assertEquals(live.bytes(used = 260, left = 200, now = 2), 260L)
    live.bytes(used = 290, left = 200, now = period + 3)
    live.bytes(used = 290, left = 200, now = 2 * period + 4)
    assertEquals(live.bytes(used = 290, left = 200, now = 3 * period + 5), 200L)
  }

  test("a heap where nothing was asked for long is known anew") {
    val live = new LiveObjects
    live.bytes(used = 100, left = 0, now = 0)
    assertEquals(live.bytes(used = 400, left = 0, now = 5 * period), 0L)
    assertEquals(live.bytes(used = 430, left = 0, now = 5 * period + 1), 30L)
  }
}
