package pellucid.sched

import scala.collection.mutable

/** Assigns each task of a stage to one of the machines that have its input, so that the fullest machine has as few of them for each of its slots as can be.
  *
  * Spark offers executors in turn any task whose input they have. Of eight tasks with three replicas each, on four machines with two slots, that leaves one
  * in a draw of four when all machines that have its input are full, while the fourth idles.
  *
  * Machines fill up slot by slot. A task goes to that of its machines which has the fewest; where all are full, tasks there make room, along the shortest chain
  * in which each moves to another machine of its own (augmenting paths of a bipartite matching). Where there is no such chain the task waits for the next slots.
  *
  * In the end tasks that have the same machines, as those of one block of a file have, change places so that each machine's follow each other: it reads on
  * where it read, and what it has read ahead is its own.
  */
final class LocalTasks private (slots: Array[Int], machines: Array[List[Int]]) {
  import LocalTasks._
  private val taken = Array.fill(slots.length)(mutable.LinkedHashSet.empty[Int])
  private val full = new Array[Boolean](slots.length) // and no task there can move to one that is not
  private val all = math.max(1, slots.sum)
  private var each = 1L // tasks that a slot may have by now
  private var looks = 0L // at a task's machine

  private def assign(): Unit = {
    var left = machines.indices.filter(machines(_).nonEmpty)
    while (left.nonEmpty && looks < MostLooks) {
      left = left.filterNot(assign)
      each += math.max(1, left.size / all / Steps)
      java.util.Arrays.fill(full, false)
    }
    left.foreach(task => taken(leastTaken(task)) += task)
  }

  private def assign(task: Int): Boolean = {
    val least = leastTaken(task)
    val machine =
      if (hasRoom(least)) Some(least)
      else if (machines(task).forall(full(_)) || looks >= MostLooks) None
      else makeRoom(task)
    machine.foreach(taken(_) += task)
    machine.nonEmpty
  }

  private def hasRoom(machine: Int) = taken(machine).size < slots(machine) * each

  private def leastTaken(task: Int): Int =
    machines(task).minBy(machine => taken(machine).size.toDouble / slots(machine))

  /** That of a task's machines which has room now that other tasks have moved. */
  private def makeRoom(task: Int): Option[Int] = {
    val reached = mutable.HashMap.from(machines(task).map(_ -> Option.empty[Move]))
    val queue = mutable.Queue.from(machines(task))
    var last = Option.empty[Int]
    while (last.isEmpty && queue.nonEmpty) {
      val from = queue.dequeue()
      for (other <- taken(from).iterator.takeWhile(_ => last.isEmpty); to <- machines(other)) {
        looks += 1
        if (last.isEmpty && !reached.contains(to)) {
          reached(to) = Some(Move(other, from))
          if (hasRoom(to)) last = Some(to) else queue += to
        }
      }
    }
    if (last.isEmpty) reached.keys.foreach(full(_) = true)
    last.map(moveAlong(_, reached))
  }

  /** The first machine of the chain to the last one. */
  private def moveAlong(last: Int, reached: collection.Map[Int, Option[Move]]): Int = {
    var to = last
    while (reached(to).nonEmpty) {
      for (Move(task, from) <- reached(to)) {
        taken(from) -= task
        taken(to) += task
        to = from
      }
    }
    to
  }
}

object LocalTasks {
  private final case class Move(task: Int, from: Int)

  /** Of stages with many tasks for each slot machines fill up by an eighth of what is left. */
  private final val Steps = 8

  /** What is left then goes to the machine that has the fewest: the driver's scheduler waits. */
  private final val MostLooks = 2L * 1000 * 1000

  /** The machine of each task; none where no machine with slots has its input.
    *
    * @param slots of each machine, 0 where none are known
    * @param machines that have a task's input, by their index in `slots`
    */
  def machineOf(slots: Array[Int], machines: Array[List[Int]]): Array[Option[Int]] = {
    val local = new LocalTasks(slots, machines.map(_.filter(slots(_) > 0)))
    local.assign()
    val its = Array.fill(machines.length)(Option.empty[Int])
    for ((tasks, machine) <- local.taken.zipWithIndex; task <- tasks) its(task) = Some(machine)
    for (alike <- machines.indices.groupBy(machines(_)).values; (task, machine) <- alike.zip(alike.map(its(_)).sorted))
      its(task) = machine
    its
  }
}
