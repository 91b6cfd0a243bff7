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
    granted.spread.remain(44) // six have one of six cores each
    assertEquals(granted.all, Seq(5, 1, 0))
  }

  test("of the last wave none has more than one per core while all that is left is assigned to other machines") {
    val tasks = mutable.Map.empty[String, Int].withDefaultValue(0)
    val spread = new Spread[String]((e, more) => tasks(e) += more)
    val machines = Seq("a", "b", "c")
    machines.foreach(machine => spread.begins(machine, 2, machine))
    spread.remain(100, Some(Set("b", "c")))
    machines.foreach(spread.wants(_, 4))
    assertEquals(machines.map(tasks), Seq(2, 2, 2)) // there are some for all
    spread.remain(11, Some(Set("b", "c"))) // fewer than 6 cores and 6
    assertEquals(machines.map(tasks), Seq(0, 2, 2))
    spread.remain(10, Some(Set("c")))
    assertEquals(machines.map(tasks), Seq(0, 0, 2))
    spread.remain(11, None) // some are nobody's
    assertEquals(machines.map(tasks), Seq(2, 2, 2))
  }

  test("a stage's first tasks are one per core, also on an executor that wanted more at the end of the one before") {
    val granted = new Granted(3)
    granted.spread.remain(100)
    for (left <- Seq(20, 0)) granted.spread.remain(left)
    granted.spread.wants(1, 4)
    granted.spread.wants(2, 3)
    assertEquals(granted.all, Seq(1, 1, 0)) // on average
    granted.spread.remain(10)
    assertEquals(granted.all, Seq(0, 0, 0))
    granted.spread.remain(5)
    assertEquals(granted.all, Seq(0, 0, 0)) // a core is without
    granted.spread.remain(4)
    assertEquals(granted.all, Seq(1, 1, 0))
  }

  test("a first wave ends when all cores have a task, also of a stage that began meanwhile") {
    val granted = new Granted(2)
    granted.spread.remain(100)
    granted.spread.wants(1, 4)
    granted.spread.wants(2, 4)
    granted.spread.remain(0)
    granted.spread.remain(2)
    granted.spread.remain(1002) // of the other side of a join
    granted.spread.remain(999) // three have one of four cores each
    assertEquals(granted.all, Seq(0, 0))
    granted.spread.remain(998)
    assertEquals(granted.all, Seq(2, 2))
  }

  test("who asks while a stage's first tasks are given out need not wait for all of them") {
    val granted = new Granted(2)
    granted.spread.remain(0)
    granted.spread.wants(1, 3)
    granted.spread.remain(10)
    assertEquals(granted.all, Seq(0, 0))
    granted.spread.wants(2, 3) // it has no fewer tasks than cores, and the other one none yet
    assertEquals(granted.all, Seq(0, 1))
    granted.spread.remain(6)
    assertEquals(granted.all, Seq(1, 1))
  }

  test("tasks that come while others are left begin no first wave, nor those that are no more than executors to come") {
    val granted = new Granted(2)
    granted.spread.remain(20)
    granted.spread.remain(16)
    granted.spread.wants(1, 4)
    granted.spread.remain(40) // of another stage
    assertEquals(granted.all, Seq(2, 0))
    val none = new Granted(0)
    none.spread.remain(20)
    none.spread.begins(1, 2)
    none.spread.wants(1, 4)
    assertEquals(none.tasks(1), 2)
  }

  test("an executor that cannot have fewer again keeps what it has") {
    var tasks = 0
    val spread = new Spread[Int]((_, more) => tasks += more, givesBack = false)
    spread.begins(1, 2)
    spread.remain(10)
    spread.wants(1, 5)
    spread.remain(0)
    spread.remain(10)
    assertEquals(tasks, 3)
    for (wanted <- Seq(2, 4, 2, 6)) spread.wants(1, wanted)
    assertEquals(tasks, 4)
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
