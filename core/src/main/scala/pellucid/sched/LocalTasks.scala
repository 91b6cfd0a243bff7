package pellucid.sched

import scala.collection.mutable

/** Which machine runs which tasks of a stage where several have a task's input: those that leave no core without while another has two to run.
  *
  * Spark gives each core in turn any task whose input its machine has. Of eight tasks with three replicas each, on four machines with two cores, that
  * leaves one in a draw of four where all machines that have its input are taken while the fourth idles.
  *
  * Each task goes to that of its machines which has the fewest for its cores. Where all of them have as many as the tasks so far need anywhere, others
  * make room along the shortest chain of tasks that move to another machine of theirs; where there is none, none could be (alternating paths of a
  * bipartite matching), and machines may have one more for each core.
  *
  * @param cores of each machine, 0 where none are known
  * @param machines that have the input of each task, by their index in `cores`
  */
final class LocalTasks private (cores: Array[Int], machines: Array[Array[Int]]) {
  import LocalTasks._
  private val taken = Array.fill(cores.length)(mutable.ArrayBuffer.empty[Int])
  private val all = cores.map(_.toLong).sum
  private var assigned = 0L
  private var most = 1L // tasks for each core
  private var looks = 0L

  private def assign(): Unit =
    for (task <- machines.indices; its = machines(task).filter(cores(_) > 0) if its.nonEmpty) {
      most = math.max(most, assigned / all + 1)
      val least = its.minBy(machine => taken(machine).size.toDouble / cores(machine))
      if (hasRoom(least)) taken(least) += task
      else
        makeRoom(its) match {
          case Some(machine) => taken(machine) += task
          case None =>
            if (looks <= MostLooks) most += 1
            taken(least) += task
        }
      assigned += 1
    }

  private def hasRoom(machine: Int) = taken(machine).size < cores(machine) * most

  /** That of these machines which has room now that others' tasks have moved. */
  private def makeRoom(its: Array[Int]): Option[Int] = {
    val reachedBy = mutable.HashMap.from(its.map(_ -> Moved(NoTask, NoMachine)))
    val queue = mutable.Queue.from(its)
    var found = Option.empty[Int]
    while (found.isEmpty && queue.nonEmpty && looks <= MostLooks) {
      val from = queue.dequeue()
      for (task <- taken(from) if found.isEmpty; to <- machines(task)) {
        looks += 1
        if (found.isEmpty && cores(to) > 0 && !reachedBy.contains(to)) {
          reachedBy(to) = Moved(task, from)
          if (hasRoom(to)) found = Some(to) else queue += to
        }
      }
    }
    found.map(move(_, reachedBy))
  }

  private def move(last: Int, reachedBy: collection.Map[Int, Moved]): Int = {
    var to = last
    while (reachedBy(to).task != NoTask) {
      val Moved(task, from) = reachedBy(to)
      taken(from) -= task
      taken(to) += task
      to = from
    }
    to
  }
}

object LocalTasks {
  private final case class Moved(task: Int, from: Int)
  private final val NoTask = -1
  private final val NoMachine = -1

  /** At tasks' machines, of a stage: some hundredths of a second. What is left then goes to the machine that has the fewest. */
  private final val MostLooks = 2L * 1000 * 1000

  /** In which order each machine is to take the tasks whose input it has: its own from the first on, then others' from their last on. */
  def orders(cores: Array[Int], machines: Array[Array[Int]]): Array[Array[Int]] = {
    val local = new LocalTasks(cores, machines)
    local.assign()
    val ofOthers = Array.fill(cores.length)(mutable.ArrayBuffer.empty[Int])
    val own = local.taken.map(_.toSet)
    for (task <- machines.indices.reverse; machine <- machines(task) if !own(machine)(task)) ofOthers(machine) += task
    local.taken.zip(ofOthers).map { case (own, others) => own.sorted.toArray ++ others }
  }
}
