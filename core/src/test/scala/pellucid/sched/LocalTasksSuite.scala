package pellucid.sched

import scala.util.Random

class LocalTasksSuite extends munit.FunSuite {
  private def machineOf(slots: Int*)(machines: Seq[Int]*): Seq[Option[Int]] =
    LocalTasks.machineOf(slots.toArray, machines.map(_.toList).toArray).toSeq

  test("a machine that two tasks could have goes to that which has no other") {
    assertEquals(machineOf(1, 1)(Seq(0, 1), Seq(0)), Seq(Some(1), Some(0)))
  }

  test("a task makes room by a chain of others: 2 takes machine 0, 0 moves from there to 1, and 1 to 2") {
    assertEquals(machineOf(1, 1, 1)(Seq(0, 1), Seq(1, 2), Seq(0)), Seq(Some(1), Some(2), Some(0)))
  }

  test("machines have tasks by their slots") {
    val its = machineOf(4, 2)(Seq.fill(12)(Seq(0, 1)): _*)
    assertEquals(Seq(0, 1).map(machine => its.count(_.contains(machine))), Seq(8, 4))
  }

  test(
    "a machine that alone has many tasks keeps no others from making room: t3 needs machine 1, and 2 could have t2"
  ) {
    val its = machineOf(1, 1, 1)(Seq(0), Seq(0), Seq(1, 2), Seq(1))
    assertEquals(its, Seq(Some(0), Some(0), Some(2), Some(1)))
  }

  test("of tasks with the same machines each machine has those that follow each other") {
    val blocks = Seq.fill(4)(Seq(0, 1)) ++ Seq.fill(4)(Seq(1, 2)) // eight tasks for three machines: 3, 3 and 2
    val its = machineOf(1, 1, 1)(blocks: _*).map(_.get)
    for (of <- Seq(its.take(4), its.drop(4))) assertEquals(of, of.sorted)
    assertEquals(Seq(0, 1, 2).map(machine => its.count(_ == machine)).sorted, Seq(2, 3, 3))
  }

  test("a machine without slots gets none, and a task that no other has is nobody's") {
    assertEquals(machineOf(1, 0)(Seq(), Seq(1), Seq(0, 1)), Seq(None, None, Some(0)))
    assertEquals(machineOf(0)(Seq(0)), Seq(None))
  }

  test(
    "the fullest machine has as few tasks for each slot as any assignment could give it, and among the other tasks it is so again"
  ) {
    val random = new Random(1)
    for (_ <- 1 to 500) {
      val slots = Seq.fill(1 + random.nextInt(4))(1 + random.nextInt(2))
      val machines = Seq.fill(1 + random.nextInt(7))(random.shuffle(slots.indices.toList).take(1 + random.nextInt(3)))
      val its = machineOf(slots: _*)(machines: _*)
      for ((machine, its) <- its.zip(machines)) assert(machine.exists(its.contains))
      val taken = slots.indices.map(machine => its.count(_.contains(machine)))
      assertEquals(beyond(taken, slots), best(slots, machines), s"$slots, $machines: $its")
    }
  }

  /** Tasks beyond one for each slot, beyond two and so on, from the last on: the fewer, the better. */
  private def beyond(taken: Seq[Int], slots: Seq[Int]): Seq[Int] = (1 to 7).map(each =>
    taken.zip(slots).map { case (tasks, its) => math.max(0, tasks - its * each) }.sum
  )

  /** By trying all assignments: the fewest tasks have no slot at first, of these again, and so on. */
  private def best(slots: Seq[Int], machines: Seq[List[Int]]): Seq[Int] = {
    val all = machines.foldLeft(Set(Seq.fill(slots.length)(0))) { (sofar, its) =>
      sofar.flatMap(taken => its.map(machine => taken.updated(machine, taken(machine) + 1)))
    }
    import scala.math.Ordering.Implicits.seqOrdering
    all.map(beyond(_, slots)).min
  }

  test(
    "three replicas on four machines with two slots each: of eight tasks none is without, but where a machine has fewer than two"
  ) {
    val random = new Random(2)
    val draws = for (_ <- 1 to 1000) yield {
      val machines = Seq.fill(8)(random.shuffle((0 until 4).toList).take(3))
      val its = machineOf(2, 2, 2, 2)(machines: _*)
      val most = (0 until 4).map(machine => its.count(_.contains(machine))).max
      assertEquals(most > 2, (0 until 4).exists(machine => machines.count(_.contains(machine)) < 2))
      leftBySpark(machines) > 0
    }
    assert(draws.count(identity) > 200) // in Spark's order
  }

  /** Where machines in turn take any of theirs, until each has two. */
  private def leftBySpark(machines: Seq[List[Int]]): Int = {
    val left = machines.indices.to(scala.collection.mutable.LinkedHashSet)
    for (_ <- 1 to 2; machine <- 0 until 4) left.find(machines(_).contains(machine)).foreach(left.remove)
    left.size
  }

  test("a hundred thousand tasks, on many machines and on few, of which one alone has half: all are assigned") {
    val random = new Random(3)
    val many = Seq.fill(100000)(List.fill(3)(random.nextInt(1000)).distinct)
    val few = Seq.fill(50000)(List(0, 1)) ++ Seq.fill(50000)(List(0))
    for ((machines, slots) <- Seq(many -> Seq.fill(1000)(16), few -> Seq(16, 16))) {
      val its = machineOf(slots: _*)(machines: _*)
      assert(its.forall(_.nonEmpty))
      val taken = its.flatten.groupMapReduce(identity)(_ => 1)(_ + _)
      val average = its.length / slots.length
      assert(taken.values.max <= average * 1.1, taken.values.max)
    }
  }
}
