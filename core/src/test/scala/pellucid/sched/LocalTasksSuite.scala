package pellucid.sched

import scala.util.Random

class LocalTasksSuite extends munit.FunSuite {

  /** Spark's way: machines in turn take one of their tasks for each core of theirs. How many tasks none has taken, or not as local ones. */
  private def leftAfterFirstWave(cores: Array[Int], orders: Array[Array[Int]], tasks: Int): Int = {
    val left = (0 until tasks).to(scala.collection.mutable.Set)
    for (round <- 0 until cores.max; machine <- cores.indices if round < cores(machine))
      orders(machine).find(left).foreach(left.remove)
    left.size
  }

  test("machines take tasks that leave the others some of theirs") {
    // both have task 0's input, one of them alone task 1's: in the tasks' order that one would take task 0, and the other none
    val orders = LocalTasks.orders(Array(1, 1), Array(Array(0, 1), Array(0)))
    assertEquals(orders.map(_.toSeq).toSeq, Seq(Seq(1, 0), Seq(0)))
  }

  test("a task makes room by a chain of others: 2 takes machine 0, 0 moves from there to 1, and 1 to 2") {
    val orders = LocalTasks.orders(Array(1, 1, 1), Array(Array(0, 1), Array(1, 2), Array(0)))
    assertEquals(orders.map(_.head).toSeq, Seq(2, 0, 1))
  }

  test("a machine's own tasks come from the first on, then those of others from their last on") {
    val everywhere = Array.fill(6)(Array(0, 1))
    val orders = LocalTasks.orders(Array(1, 1), everywhere)
    assertEquals(orders.map(_.toSeq).toSeq, Seq(Seq(0, 2, 4, 5, 3, 1), Seq(1, 3, 5, 4, 2, 0)))
  }

  test("machines have tasks by their cores, and one whose cores are not known has all of its own last") {
    val everywhere = Array.fill(9)(Array(0, 1, 2))
    val orders = LocalTasks.orders(Array(4, 2, 0), everywhere)
    assertEquals(leftAfterFirstWave(Array(4, 2), orders, 6), 0)
    assertEquals(orders.map(_.length).toSeq, Seq(9, 9, 9))
    assertEquals(orders(0).take(6).toSet ++ orders(1).take(3), (0 until 9).toSet)
    assertEquals(orders(2).toSeq, 8 to 0 by -1)
  }

  test("tasks that no machine with cores has are in no one's way") {
    val orders = LocalTasks.orders(Array(1, 0), Array(Array.empty[Int], Array(1), Array(0)))
    assertEquals(orders.map(_.toSeq).toSeq, Seq(Seq(2), Seq(1)))
  }

  test(
    "of what tasks and machines there may be, the fullest machine has as few tasks for each core as any assignment could give it"
  ) {
    val random = new Random(1)
    for (_ <- 1 to 500) {
      val cores = Array.fill(1 + random.nextInt(4))(1 + random.nextInt(2))
      val machines =
        Array.fill(1 + random.nextInt(7))(random.shuffle(cores.indices.toList).take(1 + random.nextInt(3)).toArray)
      val orders = LocalTasks.orders(cores, machines)
      for ((order, machine) <- orders.zipWithIndex)
        assertEquals(order.sorted.toSeq, machines.indices.filter(machines(_).contains(machine)))
      val (fewest, ours) = (best(cores, machines), waves(cores, orders, machines.length))
      assert(ours <= fewest, s"$ours waves, $fewest would do: ${cores.toSeq}, ${machines.map(_.toSeq).toSeq}")
    }
  }

  /** Waves until all tasks are taken where each core takes one in each. */
  private def waves(cores: Array[Int], orders: Array[Array[Int]], tasks: Int): Int = {
    val left = (0 until tasks).to(scala.collection.mutable.Set)
    var waves = 0
    while (left.nonEmpty) {
      waves += 1
      for (round <- 0 until cores.max; machine <- cores.indices if round < cores(machine))
        orders(machine).find(left).foreach(left.remove)
    }
    waves
  }

  /** By trying all assignments. */
  private def best(cores: Array[Int], machines: Array[Array[Int]]): Int =
    machines.foldLeft(Set(Seq.fill(cores.length)(0))) { (sofar, its) =>
      sofar.flatMap(taken => its.map(machine => taken.updated(machine, taken(machine) + 1)))
    }.map(_.zip(cores).map { case (tasks, its) => (tasks + its - 1) / its }.max).min

  test(
    "three replicas on four machines with two cores each: of eight tasks none waits for a core, but where a machine has fewer than two"
  ) {
    val random = new Random(2)
    val cores = Array.fill(4)(2)
    val draws = for (_ <- 1 to 1000) yield {
      val machines = Array.fill(8)(random.shuffle((0 until 4).toList).take(3).toArray)
      val inOrder = Array.tabulate(4)(machine => (0 until 8).filter(machines(_).contains(machine)).toArray)
      assertEquals(leftAfterFirstWave(cores, LocalTasks.orders(cores, machines), 8) > 0, inOrder.exists(_.length < 2))
      leftAfterFirstWave(cores, inOrder, 8) > 0
    }
    assert(draws.count(identity) > 200) // as Spark does it
  }

  test("a hundred thousand tasks of a thousand machines are no work to speak of, whichever machines have them") {
    val random = new Random(3)
    for (few <- Seq(1000, 3)) {
      val machines = Array.fill(100000)(Array.fill(3)(random.nextInt(few)).distinct)
      val orders = LocalTasks.orders(Array.fill(1000)(16), machines)
      assertEquals(orders.map(_.length).sum, machines.map(_.length).sum)
    }
  }
}
