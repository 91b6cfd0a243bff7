package pellucid.model

import scala.collection.mutable.{ArrayBuffer, ArrayBuilder}

import pellucid.blocked.Schedule
import pellucid.sched.MonotaskPhase

/** How the work of stages is divided into tasks: as it was recorded, or that of each stage that reads a shuffle, and no input, into another number of tasks
  * (`spark.sql.shuffle.partitions`); a single task stays one, and what failed, was killed or ran a stage again stays as it was.
  *
  * Such a stage's tasks are taken as a line, in the order of their launch, that is cut into equal parts. A new task does the part that it covers of each step of
  * each task, all first steps first. What a task costs however little it does, its launch and the answers that it waits for, each new one has as the
  * mean of those that it covers.
  *
  * Tasks and steps have the recording's numbers; new tasks, and their parts of steps, have those behind them.
  *
  * @param partitions None: as recorded
  */
final class Division(schedule: Schedule, work: Work, partitions: Option[Int]) {
  import schedule.{awaited, queued, trace}
  private val recordedTasks = trace.tasks.size
  private val recordedSteps = work.table.size

  private final class Task(
      val stage: Int,
      val host: Int,
      val before: Long,
      val after: Long,
      val first: Int,
      val last: Int
  )
  private val made = ArrayBuffer.empty[Task]
  private var newParts = 0
  private val (stepsOfParts, shares, lotsOfParts) =
    (new ArrayBuilder.ofInt, new ArrayBuilder.ofDouble, new ArrayBuilder.ofDouble)

  /** Tasks of each stage, in the order in which they are launched. */
  val rows: Array[Array[Int]] = Array.tabulate(schedule.stages) { s =>
    val all = recorded(s)
    partitions.filter(_ => divides(s, all)).fold(all) { n =>
      val (done, others) = all.partition(isDivisible)
      others ++ divide(s, done, n)
    }
  }

  private def recorded(stage: Int) = (queued(stage) ++ trace.tasksOfStage(stage).filter(awaited(_))).distinct

  /** Of each new part, the step, how much of it, and how much of what does not depend on how much it is. */
  private val (ofSteps, parts, lots) = (stepsOfParts.result(), shares.result(), lotsOfParts.result())

  /** How many tasks the end of each stage waits for. */
  val awaitedOfStage: Array[Int] = rows.map(_.count(isAwaited))

  /** By machine of the recording. */
  val rowsOfHost: Array[Array[Array[Int]]] = rows.map { all =>
    val ofHost = all.groupBy(hostOf)
    Array.tabulate(work.hosts.size)(ofHost.getOrElse(_, Array.emptyIntArray))
  }

  /** Whether another number of partitions divides any stage's work in another way. */
  def mayDiffer: Boolean = (0 until schedule.stages).exists(s => divides(s, recorded(s)))

  /** It is known what it did. */
  private def isDivisible(task: Int) = awaited(task) && trace.tasks.succeeded(task) && steps(task).nonEmpty

  private def divides(stage: Int, all: Array[Int]) = trace.stages(stage).attempt == 0 && {
    val tasks = all.filter(isDivisible)
    tasks.length > 1 && tasks.exists(t => trace.tasks.shuffleReadBytes(t) > 0) &&
    !tasks.exists(t => trace.tasks.inputBytes(t) > 0 || readsInput(steps(t)))
  }

  private def readsInput(parts: Range) = parts.exists(part => work.phase(step(part)) == MonotaskPhase.InputRead)

  private def steps(task: Int) = work.first(task) until work.last(task)

  private def divide(stage: Int, tasks: Array[Int], into: Int): Array[Int] = Array.tabulate(into) { n =>
    val each = tasks.length.toDouble / into
    val (from, to) = (n * each, (n + 1) * each)
    val covered = (from.toInt until math.min(tasks.length, math.ceil(to).toInt))
      .map(i => (tasks(i), math.min(to, i + 1.0) - math.max(from, i.toDouble))).filter(_._2 > each * Division.Nothing)
    def mean(micros: Int => Long) = math.round(covered.map { case (t, part) => micros(t) * part }.sum / each)
    val first = recordedSteps + newParts
    val inTurn = for ((t, part) <- covered; s <- steps(t))
      yield ((s - work.first(t) + 0.5) / (work.last(t) - work.first(t)), s, part)
    for ((_, s, part) <- inTurn.sortBy { case (place, s, _) => (place, s) }) {
      stepsOfParts += s
      shares += part
      lotsOfParts += part / each
      newParts += 1
    }
    made += new Task(
      stage,
      work.hostOf(covered.maxBy(_._2)._1),
      mean(work.beforeMicros(_)),
      mean(work.afterMicros(_)),
      first,
      recordedSteps + newParts
    )
    recordedTasks + made.size - 1
  }

  /** Numbers of tasks. */
  val size: Int = recordedTasks + made.size

  private def isMade(task: Int) = task >= recordedTasks
  private def madeAt(task: Int) = made(task - recordedTasks)
  def stageOf(task: Int): Int = if (isMade(task)) madeAt(task).stage else trace.tasks.stage(task)
  def hostOf(task: Int): Int = if (isMade(task)) madeAt(task).host else work.hostOf(task)
  def isAwaited(task: Int): Boolean = isMade(task) || awaited(task)
  def beforeMicros(task: Int): Long = if (isMade(task)) madeAt(task).before else work.beforeMicros(task)
  def afterMicros(task: Int): Long = if (isMade(task)) madeAt(task).after else work.afterMicros(task)

  /** A task's steps, or parts of steps, are those from `first` until `last`. */
  val first: Array[Int] = work.first ++ made.map(_.first)
  val last: Array[Int] = work.last ++ made.map(_.last)

  /** Those of each stage that read input, of which each is taken to read one block. */
  lazy val readers: Array[Int] = rows.map(_.count(task => readsInput(first(task) until last(task))))

  /** The recorded one. */
  def step(part: Int): Int = if (part < recordedSteps) part else ofSteps(part - recordedSteps)

  /** How much of it. */
  def share(part: Int): Double = if (part < recordedSteps) 1 else parts(part - recordedSteps)
  def bytes(part: Int): Long = math.round(work.table.bytes(step(part)) * share(part))

  /** What each takes of its resource alone. */
  def micros(scaling: Scaling): Array[Double] =
    scaling.micros ++ Array.tabulate(ofSteps.length)(i => scaling.part(ofSteps(i), parts(i), lots(i)))
}

private object Division {

  /** Of a task: what rounding leaves. */
  private final val Nothing = 1e-9
}
