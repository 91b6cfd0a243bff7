package pellucid.sched

import scala.collection.mutable

/** Which executors get the tasks that they want beyond one per core: all of them, until the tasks that no executor has yet fit into one more wave.
  * What one of them takes early then is missing where cores are idle at the stage's end, so none has more than all want on average.
  *
  * And none has more than one per core once all that are left then are assigned to other machines: what queued here might begin there a moment later.
  *
  * What they wanted when no task was left was for a stage that came to its end: of the next one's first tasks each has one per core, as in stock Spark,
  * until there is one for all cores, or until it asks for more.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  *
  * @param grant is told how many tasks more an executor may have at once, or fewer where it is negative
  * @param givesBack an executor can have fewer again
  */
final class Spread[E](grant: (E, Int) => Unit, givesBack: Boolean = true) {
  private final class Executor(val cores: Int, val machine: String) {
    var wanted, granted = 0 // beyond one per core
    var waits = false // for the first wave
  }
  private val executors = mutable.LinkedHashMap.empty[E, Executor]
  private var cores, wanted = 0L // of all
  private var left = 0L
  private var firstWave = false
  private var afterFirstWave = 0L // so many tasks are left then
  private var most = Int.MaxValue // that any may be granted
  private var owners = Option.empty[Set[String]]
  private var closed = false

  def begins(executor: E, cores: Int, machine: String = ""): Unit = if (!executors.contains(executor)) {
    executors(executor) = new Executor(cores, machine)
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
    if (more > e.wanted) e.waits = false
    wanted += more - e.wanted
    e.wanted = more
    spread()
    level(executor, e)
  }

  /** So many tasks are there that no executor has.
    *
    * @param owners the machines that they are assigned to, where each is
    */
  def remain(tasks: Long, owners: Option[Set[String]] = None): Unit = {
    if (left == 0 && tasks > 0 && givesBack) {
      afterFirstWave = tasks - cores
      waitForFirstWave(true)
    } else if (firstWave) {
      afterFirstWave += math.max(0, tasks - left) // those of a stage that begins meanwhile
      if (tasks <= math.max(0, afterFirstWave)) waitForFirstWave(false)
    }
    left = tasks
    val others = owners != this.owners
    this.owners = owners
    spread()
    if (others) levelAll()
  }

  /** None has more than one per core from now on. */
  def onePerCore(): Unit = { closed = true; spread() }

  private def waitForFirstWave(now: Boolean): Unit = {
    firstWave = now
    executors.values.foreach(_.waits = now)
    levelAll()
  }

  private def spread(): Unit = {
    val now =
      if (closed) 0
      else if (left >= cores + wanted || executors.isEmpty) Int.MaxValue
      else math.round(wanted.toDouble / executors.size).toInt
    if (now != most) {
      most = now
      levelAll()
    }
  }

  private def levelAll(): Unit = executors.foreach { case (executor, e) => level(executor, e) }

  private def level(executor: E, e: Executor): Unit = {
    val areOthers = most < Int.MaxValue && owners.exists(!_(e.machine))
    val change = (if (e.waits || areOthers) 0 else math.min(e.wanted, most)) - e.granted
    if (change > 0 || change < 0 && givesBack) {
      e.granted += change
      grant(executor, change)
    }
  }
}
