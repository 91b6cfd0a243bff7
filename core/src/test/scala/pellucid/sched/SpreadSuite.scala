package pellucid.sched

import scala.collection.mutable

class SpreadSuite extends munit.FunSuite {
  private class Granted(executors: Int) {
    val tasks = mutable.Map.empty[Int, Int].withDefaultValue(0)
    val spread = new Spread[Int]((e, more) => tasks(e) += more)
    (1 to executors).foreach(spread.begins(_, 2))
    def all: Seq[Int] = (1 to executors).map(tasks)
  }

  test("while more tasks are left than fit into one wave, each executor has what it wants") {
    val granted = new Granted(3)
    granted.spread.remain(100)
    granted.spread.wants(1, 7)
    granted.spread.wants(2, 3)
    assertEquals(granted.all, Seq(5, 1, 0))
    granted.spread.wants(1, 5)
    assertEquals(granted.all, Seq(3, 1, 0))
  }

  test("of the last wave none has more than all want on average, and in the next stage again what it wants") {
    val granted = new Granted(3)
    granted.spread.remain(100)
    granted.spread.wants(1, 7)
    granted.spread.wants(2, 3)
    granted.spread.remain(12) // as many as fit: 3 * 2 cores and 6
    assertEquals(granted.all, Seq(5, 1, 0))
    granted.spread.remain(11)
    assertEquals(granted.all, Seq(2, 1, 0))
    granted.spread.remain(0)
    assertEquals(granted.all, Seq(2, 1, 0))
    granted.spread.remain(50)
    assertEquals(granted.all, Seq(5, 1, 0))
  }

  test("none has more than one per core once there shall be no more, whoever wants them and whatever is left") {
    val granted = new Granted(2)
    granted.spread.remain(100)
    granted.spread.wants(1, 7)
    granted.spread.onePerCore()
    assertEquals(granted.all, Seq(0, 0))
    granted.spread.wants(2, 5)
    granted.spread.remain(50)
    assertEquals(granted.all, Seq(0, 0))
  }

  test("who asks first in a short stage has one more when half of the others want it, too") {
    val granted = new Granted(4)
    granted.spread.remain(8)
    granted.spread.wants(1, 3)
    assertEquals(granted.all, Seq(0, 0, 0, 0)) // 1/4 of a task on average
    granted.spread.wants(2, 3)
    assertEquals(granted.all, Seq(1, 1, 0, 0)) // 2/4
    granted.spread.wants(1, 5)
    assertEquals(granted.all, Seq(1, 1, 0, 0)) // 4/4
    granted.spread.wants(1, 5) // told twice
    granted.spread.wants(3, 4)
    assertEquals(granted.all, Seq(2, 1, 2, 0)) // 6/4
  }

  test("an executor alone has what it wants, and one that is gone counts no more") {
    val granted = new Granted(2)
    granted.spread.wants(1, 5)
    assertEquals(granted.all, Seq(2, 0))
    granted.spread.ends(2)
    assertEquals(granted.all, Seq(3, 0))
    granted.spread.wants(2, 3)
    assertEquals(granted.all, Seq(3, 0))
  }
}
