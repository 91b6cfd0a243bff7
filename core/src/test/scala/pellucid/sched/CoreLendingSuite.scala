package pellucid.sched

import pellucid.sched.CoreLending._

class CoreLendingSuite extends munit.FunSuite {
  private val Millis = 1000000L
  private val Any = Long.MaxValue

  /** Numbered from 0. */
  private def tasks(states: State*): Seq[Task] = states.zipWithIndex.map { case (state, n) => Task(n.toLong, state) }

  test("of four cores whose tasks all wait two are lent, to any task") {
    val lending = new CoreLending(4)
    val all = tasks(Waits, Waits, Waits, Waits, HasNone, HasNone)
    assertEquals(lending.look(all, lent = 0, heapIsShort = false, 1), Allowed(Any, 2))
  }

  test("no more cores than there are tasks that wait") {
    val lending = new CoreLending(4)
    assertEquals(lending.look(tasks(Computes, Computes, Computes, Waits), 0, heapIsShort = false, 1), Allowed(Any, 1))
    assertEquals(
      lending.look(tasks(Computes, Computes, Computes, Computes), 0, heapIsShort = false, 1),
      Allowed(Any, 0)
    )
  }

  test("beyond that, or while the heap is short, to those that stock Spark would have begun") {
    val lending = new CoreLending(2)
    // (2 + 1) / 2 = 1 is lent; of the tasks numbered 0 to 3 stock Spark would have begun 0 and 1
    val all = tasks(Waits, HasNone, Waits, Computes)
    assertEquals(lending.look(all, lent = 1, heapIsShort = false, 1), Allowed(1, 2))
    assertEquals(lending.look(all, lent = 0, heapIsShort = true, 1), Allowed(1, 2))
  }

  test("while no task computes one more core every 100 ms, to the oldest of the tasks that do not wait") {
    val lending = new CoreLending(2)
    val all = tasks(Waits, Waits, Waits, HasNone, HasNone, HasNone)
    lending.look(tasks(Computes, Waits, Waits, HasNone, HasNone, HasNone), lent = 1, heapIsShort = false, 0)
    // careful, as one is lent: of the oldest two both wait, so nobody gets what more could be lent
    assertEquals(lending.look(all, lent = 1, heapIsShort = false, 100 * Millis), Allowed(1, 3))
    // 3 and 4 are the oldest two of the others
    assertEquals(lending.look(all, lent = 1, heapIsShort = false, 101 * Millis), Allowed(4, 2))
    lending.computes(101 * Millis)
    assertEquals(lending.look(all, lent = 2, heapIsShort = false, 150 * Millis), Allowed(1, 3))
    assertEquals(lending.look(all, lent = 2, heapIsShort = false, 202 * Millis), Allowed(4, 3))
  }

  test("when nobody waits the time without computing is none") {
    val lending = new CoreLending(1)
    lending.look(tasks(HasNone), lent = 0, heapIsShort = false, 1000 * Millis)
    assertEquals(lending.look(tasks(Waits, HasNone), lent = 0, heapIsShort = false, 1050 * Millis), Allowed(Any, 1))
  }
}
