package pellucid.trace

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

/** Collects one application's events in the order of the log, and makes the [[Trace]] of them. */
final class TraceBuilder(
    mostPaths: Int = Int.MaxValue,
    mostSamples: Int = MachineTable.MostSamples,
    mostMonotasks: Int = Int.MaxValue
) {
  val tasks = new Tasks
  var application = ApplicationInfo("", "", "", "", 0, 0, Map.empty)

  private val stages = ArrayBuffer.empty[StageInfo]
  private val stageRows = mutable.LongMap.empty[Int]
  private val jobs = ArrayBuffer.empty[JobInfo]
  private val jobRows = mutable.LongMap.empty[Int]
  private val sql = ArrayBuffer.empty[SqlInfo]
  private val sqlRows = mutable.LongMap.empty[Int]
  private val executors = ArrayBuffer.empty[ExecutorInfo]
  private val executorRows = mutable.HashMap.empty[String, Int]
  private val profileOfExecutor = mutable.HashMap.empty[Int, Int]
  private val profiles = mutable.HashMap.empty[Int, ResourceProfile]
  private val reasons = ArrayBuffer("")
  private val reasonIds = mutable.HashMap("" -> 0)

  /** Started and not ended: all that a task start is kept for. */
  private val running = mutable.LongMap.empty[TaskStart]
  private var lastStageKey = -1L
  private var lastStageRow = -1
  private var latestMillis = 0L

  /** The log says that the application ended; its absence means that the log stops early. */
  var ended = false

  /** Starts of applications after the first, with another id or attempt. */
  var otherApplications = 0
  var attempt = "" // of the application

  /** Accumulators that time something: id to what and in which unit. */
  val timings = mutable.LongMap.empty[Timing]

  /** What the plugin measured by path and of machines, and how many of its measurements are written in a way not known here. */
  val paths = new PathTable(mostPaths)
  val machines = new MachineTable(mostSamples)
  val monotasks = new MonotaskTable(mostMonotasks)
  var unreadObservations = 0L

  /** What [[forgetOldest]] took away, and from which moment on the trace is complete since. */
  var forgottenTasks, forgottenTaskMillis, completeFromMillis = 0L

  def saw(millis: Long): Unit = if (millis > latestMillis) latestMillis = millis

  def stageRow(id: Int, attempt: Int): Int = {
    val key = TraceBuilder.stageKey(id, attempt)
    if (lastStageRow < 0 || key != lastStageKey) {
      lastStageRow = stageRows.getOrElseUpdate(
        key, {
          stages += StageInfo(id, attempt, "", 0, Array.empty, 0, 0, None, Array.empty)
          stages.size - 1
        }
      )
      lastStageKey = key
    }
    lastStageRow
  }

  /** Merges a stage event into the attempt's row: an event that lacks a moment or reason does not erase it. */
  def stage(info: StageInfo): Unit = {
    val row = stageRow(info.id, info.attempt)
    val old = stages(row)
    stages(row) = info.copy(
      submissionMillis = if (info.submissionMillis > 0) info.submissionMillis else old.submissionMillis,
      completionMillis = if (info.completionMillis > 0) info.completionMillis else old.completionMillis,
      failure = info.failure.orElse(old.failure)
    )
    saw(math.max(info.submissionMillis, info.completionMillis))
  }

  /** Before Spark 1.3 a job's start and end have no moment: they come when the log comes to them. */
  def job(info: JobInfo): Unit = {
    saw(info.submissionMillis)
    val begun = info.copy(submissionMillis = known(info.submissionMillis))
    jobRows.get(info.id) match {
      case Some(row) => jobs(row) = begun
      case None => jobRows(info.id) = jobs.size; jobs += begun
    }
  }

  def jobEnd(id: Int, millis: Long, failure: Option[String]): Unit = {
    saw(millis)
    jobRows.get(id) match {
      case Some(row) => jobs(row) = jobs(row).copy(completionMillis = known(millis), failure = failure)
      case None => lostStarts += 1
    }
  }

  private var lostStarts = 0L // of jobs

  private def known(millis: Long) = if (millis > 0) millis else math.max(latestMillis, application.startMillis)

  def sqlStart(info: SqlInfo): Unit = {
    saw(info.startMillis)
    sqlRows(info.id) = sql.size
    sql += info
  }

  def sqlEnd(id: Long, millis: Long, failure: Option[String]): Unit = {
    saw(millis)
    sqlRows.get(id).foreach(row => sql(row) = sql(row).copy(endMillis = millis, failure = failure))
  }

  def profile(id: Int, profile: ResourceProfile): Unit = profiles(id) = profile

  /** Row of an executor, known or met for the first time. */
  def executorRow(id: String): Int = executorRows.getOrElseUpdate(
    id, {
      executors += ExecutorInfo(id, "", 0, 0, 0, 0, "")
      executors.size - 1
    }
  )

  def hostUnknown(executorRow: Int): Boolean = executors(executorRow).host.isEmpty

  def host(executorRow: Int): String = executors(executorRow).host

  def host(executorRow: Int, host: String): Unit = executors(executorRow) = executors(executorRow).copy(host = host)

  def executorAdded(id: String, host: String, cores: Int, millis: Long, profile: Int): Unit = {
    saw(millis)
    val row = executorRow(id)
    val old = executors(row)
    if (cores > 0) profileOfExecutor(row) = profile // what tells of no cores knows no profile either
    executors(row) = old.copy(
      host = if (host.nonEmpty) host else old.host,
      cores = math.max(cores, old.cores),
      addedMillis = if (old.addedMillis > 0) math.min(old.addedMillis, millis) else millis
    )
  }

  def executorRemoved(id: String, millis: Long, reason: String): Unit = {
    saw(millis)
    executorRows.get(id).foreach(row =>
      executors(row) = executors(row).copy(removedMillis = millis, removedReason = reason)
    )
  }

  def reasonId(reason: String): Int = reasonIds.getOrElseUpdate(reason, { reasons += reason; reasons.size - 1 })

  def taskStarted(start: TaskStart): Unit = {
    saw(start.launchMillis)
    running(start.taskId) = start
  }

  def taskEnded(row: Int): Unit = {
    saw(tasks.finishMillis(row))
    taskGone(tasks.taskId(row))
  }

  /** It ended, and has no row. */
  def taskGone(taskId: Long): Unit = running.remove(taskId)

  /** An accumulator that times something grew by `amount` in a task. */
  def timed(row: Int, timing: Timing, amount: Long): Unit = {
    val column = if (timing.column == Timing.Scan) tasks.scanNanos else tasks.pythonNanos
    column(row) = column(row) + amount * timing.nanosPerUnit
  }

  /** Stages, jobs and queries. */
  def executions: Int = stages.size + jobs.size + sql.size

  /** Forgets the stages, jobs and queries that had ended by the moment at which half of the tasks had, and half of these, with their tasks; where
    * there are none, all that have ended.
    */
  def forgetOldest(): Unit = {
    val executed = stages.iterator.map(_.completionMillis) ++ jobs.iterator.map(_.completionMillis) ++
      sql.iterator.map(_.endMillis)
    val finished = (0 until tasks.size).iterator.map(tasks.finishMillis(_))
    if (!forget(math.max(half(finished), half(executed)))) { forget(latestMillis); () }
  }

  /** When half of those were over that are. */
  private def half(ends: Iterator[Long]): Long = {
    val over = ends.filter(_ > 0).toArray.sorted
    if (over.isEmpty) 0 else over(over.length / 2)
  }

  /** Whether there was something. */
  private def forget(until: Long): Boolean = {
    def over(endMillis: Long) = endMillis > 0 && endMillis <= until
    val before = executions
    // a row without a submission is what a straggler of a stage left that is forgotten already
    val keptStages = stages.indices.filterNot(s => over(stages(s).completionMillis) || stages(s).submissionMillis == 0)
    val newStage = keptStages.iterator.zipWithIndex.toMap
    val (keptTasks, forgotten) = (0 until tasks.size).toArray.partition(row => newStage.contains(tasks.stage(row)))
    if (forgotten.nonEmpty) completeFromMillis = until
    forgottenTasks += forgotten.length
    forgottenTaskMillis += forgotten.map(tasks.durationMillis(_).toLong).sum
    if (forgotten.nonEmpty) { tasks.keepOnly(keptTasks); monotasks.keepOnly(keptTasks, until) }
    for (row <- 0 until tasks.size) tasks.stage(row) = newStage(tasks.stage(row))
    paths.keepOnly(newStage)
    machines.forget(until)
    keep(stages, keptStages)
    stageRows.clear()
    stages.indices.foreach(s => stageRows(TraceBuilder.stageKey(stages(s).id, stages(s).attempt)) = s)
    lastStageRow = -1
    // a task of a stage that is over may still run: it was started twice, or a job was cancelled
    running.filterInPlace((_, task) => newStage.contains(task.stage))
    running.mapValuesInPlace((_, task) => task.copy(stage = newStage(task.stage)))
    keep(jobs, jobs.indices.filterNot(j => over(jobs(j).completionMillis)))
    jobRows.clear()
    jobs.indices.foreach(j => jobRows(jobs(j).id) = j)
    keep(sql, sql.indices.filterNot(q => over(sql(q).endMillis)))
    sqlRows.clear()
    sql.indices.foreach(q => sqlRows(sql(q).id) = q)
    if (timings.size > TraceBuilder.MostTimings) { // Spark numbers accumulators upwards
      val old = timings.iterator.collect { case (id, timing) if timing != Timing.Observation => id }.toArray.sorted
      old.dropRight(TraceBuilder.MostTimings / 2).foreach(timings.remove(_))
    }
    executions < before
  }

  private def keep[A](all: ArrayBuffer[A], rows: IndexedSeq[Int]): Unit = {
    val kept = rows.map(all(_))
    all.clear()
    all ++= kept
  }

  /** The trace at the end, whose columns are the builder's own. */
  def result(intake: Intake): Trace = traceOf(tasks, monotasks, intake)

  /** The trace up to now, which goes on unchanged when the builder does not. */
  def snapshot(intake: Intake): Trace = traceOf(tasks.copy(), monotasks.copy(), intake)

  /** `intake` with what was read; tasks that have not ended are added to `tasks`. */
  private def traceOf(tasks: Tasks, monotasks: MonotaskTable, intake: Intake): Trace = {
    val end = math.max(application.endMillis, latestMillis)
    var lostEnds = 0L
    running.values.toSeq.sortBy(t => (t.launchMillis, t.taskId)).foreach { t =>
      val row = tasks.append()
      tasks.taskId(row) = t.taskId
      tasks.stage(row) = t.stage
      tasks.index(row) = t.index
      tasks.attempt(row) = t.attempt
      tasks.executor(row) = t.executor
      tasks.launchMillis(row) = t.launchMillis
      val over = Iterator(stages(t.stage).completionMillis, executors(t.executor).removedMillis).filter(_ > 0)
      val finish = math.max(t.launchMillis, over.foldLeft(end)(math.min))
      if (finish < end) lostEnds += 1
      tasks.durationMillis.saturate(row, finish - t.launchMillis)
      tasks.set(
        row,
        Tasks.Running | (t.locality << Tasks.LocalityShift) | (if (t.speculative) Tasks.Speculative else 0)
      )
    }
    SampledTime.spread(tasks, stages.size)
    val jobsOfStage = mutable.HashMap.empty[Int, ArrayBuffer[Int]]
    jobs.indices.foreach(j => jobs(j).stageIds.foreach(id => jobsOfStage.getOrElseUpdate(id, ArrayBuffer.empty) += j))
    Trace(
      application.copy(endMillis = end),
      withSlots(tasks),
      jobs.iterator.map(job =>
        if (job.submissionMillis > 0) job else job.copy(submissionMillis = firstMoment(tasks))
      ).toIndexedSeq,
      stages.iterator.map(s => s.copy(jobs = jobsOfStage.get(s.id).fold(Array.empty[Int])(_.toArray))).toIndexedSeq,
      sql.toIndexedSeq,
      tasks,
      paths.result,
      machines.result,
      monotasks,
      reasons.toIndexedSeq,
      intake.copy(ended = ended, notes = intake.notes ++ missing(lostEnds))
    )
  }

  /** Of a job that the log begins with, without a moment. */
  private def firstMoment(tasks: Tasks): Long =
    (stages.iterator.map(_.submissionMillis) ++ (0 until tasks.size).iterator.map(tasks.launchMillis(_))).filter(_ > 0)
      .minOption.getOrElse(0L)

  private def missing(lostEnds: Long): Seq[String] = Seq(
    Option.when(otherApplications > 0)(
      s"this is several logs, one after the other: $otherApplications starts of applications have another id or attempt than the one before, and all are taken for one; report on each by itself"
    ),
    Option.when(ended && lostEnds > 0)(
      s"$lostEnds task attempts have no end in this log, and count as ended with their stage or executor: the application ended before them, or Spark's listener queue dropped events"
    ),
    Option.when(lostStarts > 0)(
      s"$lostStarts jobs have an end in this log, but no start, and are not among its jobs: Spark's listener queue dropped events, or this is a part of a log"
    ),
    Option.when(unreadObservations > 0)(
      s"$unreadObservations measurements of the plugin could not be read: a newer plugin?"
    ),
    Option.when(paths.leftOut > 0)(s"I/O by path is not all here: ${paths.leftOut} measurements had no room"),
    Option.when(monotasks.leftOut > 0)(s"monotasks are not all here: there was no room for ${monotasks.leftOut}")
  ).flatten

  /** Slots of each executor: what its cores and its resource profile allow; 0 where the log has no cores. An executor was
    * there no later than its first task: the driver may log its coming after that.
    */
  private def withSlots(tasks: Tasks): IndexedSeq[ExecutorInfo] = {
    val firstLaunch = Array.fill(executors.size)(Long.MaxValue)
    for (row <- 0 until tasks.size)
      firstLaunch(tasks.executor(row)) = math.min(firstLaunch(tasks.executor(row)), tasks.launchMillis(row))
    executors.indices.map { row =>
      val e = executors(row)
      val profile = profiles.getOrElse(profileOfExecutor.getOrElse(row, 0), ResourceProfile.default)
      e.copy(
        slots = if (e.cores > 0)
          math.max(1, math.min(TraceBuilder.MostSlots, profile.slots(e.cores, application.taskCpus)))
        else 0,
        addedMillis = math.min(if (e.addedMillis > 0) e.addedMillis else application.startMillis, firstLaunch(row))
      )
    }
  }
}

object TraceBuilder {

  /** Timings of this many accumulators are remembered: more than plans have that run at the same time. */
  private final val MostTimings = 10000

  private def stageKey(id: Int, attempt: Int): Long = (id.toLong << 16) | (attempt & 0xffff)

  /** No executor has more: what a log says beyond it is an error of the log. */
  private final val MostSlots = 4096
}

final case class TaskStart(
    taskId: Long,
    stage: Int,
    index: Int,
    attempt: Int,
    executor: Int,
    launchMillis: Long,
    locality: Int,
    speculative: Boolean
)

/** An accumulator that times something: which column it adds to, and nanoseconds in one unit of it. */
final case class Timing(column: Timing.Column, nanosPerUnit: Long)

object Timing {
  sealed trait Column
  case object Scan extends Column
  case object Python extends Column

  /** The plugin's accumulator, whose updates are texts for several columns. */
  val Observation: Timing = Timing(Observed, 0)
  private case object Observed extends Column
}

/** Task and executor amounts of a Spark resource profile; `task` amounts may be fractions (half a GPU). */
final case class ResourceProfile(executor: Map[String, Double], task: Map[String, Double]) {
  def slots(cores: Int, defaultTaskCpus: Int): Int = {
    val byCpu = cores / task.getOrElse("cpus", defaultTaskCpus.toDouble)
    val others = task.iterator.collect {
      case (name, amount) if name != "cpus" && amount > 0 && executor.contains(name) =>
        // a task's part is of one of them
        if (amount < 1) executor(name) * math.floor(1 / amount) else executor(name) / amount
    }
    others.foldLeft(byCpu)(math.min).toInt
  }
}

object ResourceProfile {
  val default: ResourceProfile = ResourceProfile(Map.empty, Map.empty)
}
