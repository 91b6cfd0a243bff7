package pellucid.sched

class ConcurrencySuite extends munit.FunSuite {
  private val Millis = 1000000L

  private def grown(tasks: Int) = {
    val concurrency = new Concurrency(2, 8)
    for (_ <- 2 until tasks; at <- Seq(0, 6)) concurrency.look(helps = true, begun = 8, waits = 0, at * Millis)
    assertEquals(concurrency.tasks, tasks)
    concurrency
  }

  private def tasksAt(looks: (Int, Boolean)*) = {
    val concurrency = new Concurrency(2, 8)
    looks.map { case (millis, helps) =>
      concurrency.look(helps, begun = 8, waits = 0, millis * Millis); concurrency.tasks
    }
  }

  test("one task more when it has helped for 6 ms, and again after as long") {
    val looks =
      Seq(0 -> true, 4 -> true, 5 -> false, 6 -> true, 10 -> true, 12 -> true, 13 -> true, 18 -> true, 19 -> true)
    assertEquals(tasksAt(looks: _*), Seq(2, 2, 2, 2, 2, 3, 3, 3, 4))
  }

  test("where looks are far apart one task more at every second one, and none after a single one") {
    assertEquals(
      tasksAt(0 -> false, 64 -> true, 128 -> true, 192 -> true, 256 -> true, 320 -> false),
      Seq(2, 2, 3, 3, 4, 4)
    )
    assertEquals(tasksAt(0 -> true, 64 -> false, 128 -> true, 192 -> false), Seq(2, 2, 2, 2))
  }

  test("a task counts as blocked at the second look at which it is: tasks that are short are other ones each time") {
    val concurrency = new Concurrency(2, 8)
    assertEquals(
      Seq(Seq(1L, 2L), Seq(2L, 3L), Seq(4L), Nil, Seq(4L), Seq(4L)).map(concurrency.stillBlocked(_)),
      Seq(0, 1, 0, 0, 0, 1)
    )
  }

  test("never more than at most, and no more where there is no room") {
    val concurrency = grown(8)
    for (i <- 1 to 4) concurrency.look(helps = true, begun = 8, waits = 0, i * 6 * Millis)
    assertEquals(concurrency.tasks, 8)
    val full = grown(3)
    for (i <- 1 to 8) full.look(helps = true, begun = 8, waits = 0, i * 6 * Millis, hasRoom = false)
    assertEquals(full.tasks, 3)
  }

  test("one more helps where a core idles, all that may have begun, and what the youngest wants is free") {
    val concurrency = grown(3)
    assert(concurrency.oneMoreHelps(begun = 3, runs = 1, waits = 0, isFree = true))
    assert(!concurrency.oneMoreHelps(begun = 2, runs = 1, waits = 0, isFree = true))
    assert(!concurrency.oneMoreHelps(begun = 3, runs = 2, waits = 0, isFree = true))
    assert(!concurrency.oneMoreHelps(begun = 3, runs = 1, waits = 1, isFree = true))
    assert(!concurrency.oneMoreHelps(begun = 3, runs = 1, waits = 0, isFree = false))
    assert(!grown(8).oneMoreHelps(begun = 8, runs = 1, waits = 0, isFree = true))
  }

  test("of those that have waited in a queue for half a second all but one are too many") {
    val concurrency = grown(8)
    def tasks(begun: Int, waits: Int, millis: Int) = {
      concurrency.look(helps = false, begun, waits, millis * Millis)
      concurrency.tasks
    }
    assertEquals(tasks(begun = 8, waits = 5, 0), 8)
    assertEquals(tasks(begun = 8, waits = 3, 250), 8)
    assertEquals(tasks(begun = 8, waits = 4, 499), 8)
    assertEquals(tasks(begun = 8, waits = 6, 500), 6) // at least 3 waited
    assertEquals(tasks(begun = 8, waits = 3, 501), 6) // from now on
    assertEquals(tasks(begun = 8, waits = 3, 1001), 6) // those that are too many have not ended yet
    assertEquals(tasks(begun = 6, waits = 3, 1002), 6)
    assertEquals(tasks(begun = 6, waits = 3, 1502), 4)
    assertEquals(tasks(begun = 5, waits = 2, 1503), 4)
    assertEquals(tasks(begun = 5, waits = 2, 2003), 4) // 4 do not wait, or one alone
  }

  test("none is too many where at some moment one or none waited for a core") {
    val concurrency = grown(8)
    for (i <- 0 to 100) concurrency.look(helps = false, begun = 8, waits = if (i % 40 == 39) 1 else 5, i * 12 * Millis)
    assertEquals(concurrency.tasks, 8)
  }

  test("never fewer than there are cores") {
    val concurrency = grown(3)
    for (i <- 0 to 4) concurrency.look(helps = false, begun = 3, waits = 9, i * 501 * Millis)
    assertEquals(concurrency.tasks, 2)
  }

  test("one per core when it is empty") {
    val concurrency = grown(8)
    concurrency.empty()
    assertEquals(concurrency.tasks, 2)
    // that one more helped before it was empty says nothing of what begins then
    concurrency.look(helps = true, begun = 8, waits = 0, 0)
    concurrency.empty()
    concurrency.look(helps = true, begun = 8, waits = 0, 6 * Millis)
    assertEquals(concurrency.tasks, 2)
  }

  test("one per core for ever") {
    val concurrency = grown(8)
    concurrency.onePerCore()
    for (i <- 1 to 4) concurrency.look(helps = true, begun = 8, waits = 0, i * 6 * Millis)
    assertEquals((concurrency.tasks, concurrency.atMost), (2, 2))
  }
}
