package pellucid.sched

import scala.collection.mutable

/** Which executors get the tasks that they want beyond one per core: all of them, until the tasks that no executor has yet fit into one more wave.
  * What one of them takes early then is missing where cores are idle at the stage's end, so none has more than all want on average.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  *
  * @param grant is told how many tasks more an executor may have at once, or fewer where it is negative
  */
final class Spread[E](grant: (E, Int) => Unit) {
  private final class Executor(val cores: Int) { var wanted, granted = 0 } // beyond one per core
  private val executors = mutable.LinkedHashMap.empty[E, Executor]
  private var cores, wanted = 0L // of all
  private var left = 0L
  private var most = Int.MaxValue // that any may be granted
  private var closed = false

  def begins(executor: E, cores: Int): Unit = if (!executors.contains(executor)) {
    executors(executor) = new Executor(cores)
    this.cores += cores
    spread()
  }

  def ends(executor: E): Unit = executors.remove(executor).foreach { e =>
    cores -= e.cores
    wanted -= e.wanted
    spread()
  }

  /** So many at once in all. */
  def wants(executor: E, tasks: Int): Unit = executors.get(executor).foreach { e =>
    val more = math.max(0, tasks - e.cores)
    wanted += more - e.wanted
    e.wanted = more
    spread()
    level(executor, e)
  }

  /** So many tasks are there that no executor has. */
  def remain(tasks: Long): Unit = { left = tasks; spread() }

  /** None has more than one per core from now on. */
  def onePerCore(): Unit = { closed = true; spread() }

  private def spread(): Unit = {
    val now =
      if (closed) 0
      else if (left >= cores + wanted || executors.isEmpty) Int.MaxValue
      else math.round(wanted.toDouble / executors.size).toInt
    if (now != most) {
      most = now
      executors.foreach { case (executor, e) => level(executor, e) }
    }
  }

  private def level(executor: E, e: Executor): Unit = {
    val change = math.min(e.wanted, most) - e.granted
    e.granted += change
    if (change != 0) grant(executor, change)
  }
}
