package pellucid.trace

/** One application as its log tells it: tables of jobs, stage attempts, executors and SQL executions, and the task columns.
  * `machines` has what was measured of executors' machines, by the executor's row. Every analysis is a function of this and of
  * nothing else.
  */
final case class Trace(
    application: ApplicationInfo,
    executors: IndexedSeq[ExecutorInfo],
    jobs: IndexedSeq[JobInfo],
    stages: IndexedSeq[StageInfo],
    sql: IndexedSeq[SqlInfo],
    tasks: Tasks,
    paths: IndexedSeq[PathUse],
    machines: Map[Int, IndexedSeq[MachineSample]],
    monotasks: MonotaskTable,
    reasons: IndexedSeq[String],
    intake: Intake,
    window: Option[Window] = None
) {

  /** What moments in results are counted from: the start of the whole recording, also in a window of it. */
  def originMillis: Long = window.fold(startMillis)(_.originMillis)
  def secondsSinceOrigin(millis: Long): Double = (millis - originMillis) / 1e3

  /** The same of a moment in microseconds from [[startMillis]], as replays count. */
  def secondsOfReplay(micros: Long): Double = ((startMillis - originMillis) * 1000 + micros) / 1e6

  /** First and last moment that the log speaks of, epoch milliseconds. */
  lazy val startMillis: Long = {
    val known = (Iterator(application.startMillis) ++ jobs.iterator.map(_.submissionMillis)).filter(_ > 0)
    val first = if (known.isEmpty) Long.MaxValue else known.min
    var start = first
    var i = 0
    while (i < tasks.size) {
      val launch = tasks.launchMillis(i)
      if (launch > 0 && launch < start) start = launch
      i += 1
    }
    if (start == Long.MaxValue) 0L else start
  }

  lazy val endMillis: Long = {
    var end = math.max(application.endMillis, startMillis)
    jobs.foreach(j => end = math.max(end, j.completionMillis))
    var i = 0
    while (i < tasks.size) { end = math.max(end, tasks.finishMillis(i)); i += 1 }
    end
  }

  /** Task rows of each stage row, in launch order (ties in log order). */
  lazy val tasksOfStage: Array[Array[Int]] = {
    val counts = new Array[Int](stages.size)
    for (row <- byLaunch) counts(tasks.stage(row)) += 1
    val out = counts.map(new Array[Int](_))
    java.util.Arrays.fill(counts, 0)
    for (row <- byLaunch) {
      val s = tasks.stage(row)
      out(s)(counts(s)) = row
      counts(s) += 1
    }
    out
  }

  /** All task rows that held a slot, in launch order; a `Resubmitted` record is not a run of its own. */
  lazy val byLaunch: Array[Int] = {
    // (launch relative to the start, row) packed into one long: 36 bits of milliseconds are two years, 27 bits 134 million tasks
    val keys = new Array[Long](tasks.size)
    var n = 0
    var i = 0
    while (i < tasks.size) {
      if (tasks.outcome(i) != Tasks.Resubmitted) {
        val offset = math.max(0L, math.min(tasks.launchMillis(i) - startMillis, (1L << 36) - 1))
        keys(n) = (offset << 27) | i
        n += 1
      }
      i += 1
    }
    java.util.Arrays.sort(keys, 0, n)
    val rows = new Array[Int](n)
    i = 0
    while (i < n) { rows(i) = (keys(i) & ((1 << 27) - 1)).toInt; i += 1 }
    rows
  }

  /** Rows of the executors that ran tasks of each stage row, ascending. */
  lazy val executorsOfStage: Array[Array[Int]] = tasksOfStage.map { rows =>
    val used = new java.util.BitSet
    rows.foreach(row => used.set(tasks.executor(row)))
    used.stream.toArray
  }

  /** When each executor was gone, 0 where it never was: the driver fails a lost one's tasks before it logs the loss. */
  lazy val goneMillis: Array[Long] = {
    val gone = executors.map(_.removedMillis).toArray
    for (row <- 0 until tasks.size if tasks.outcome(row) == Tasks.Failed) {
      val e = tasks.executor(row)
      if (gone(e) > 0 && reasons(tasks.reason(row)).startsWith("ExecutorLostFailure"))
        gone(e) = math.min(gone(e), tasks.finishMillis(row))
    }
    gone
  }

  /** When an executor was gone, or the end of the trace. */
  def leftMillis(executor: Int): Long = if (goneMillis(executor) > 0) goneMillis(executor) else endMillis

  /** At a moment between the two. */
  def isThere(executor: Int, from: Long, until: Long): Boolean =
    executors(executor).addedMillis < until && leftMillis(executor) > from

  lazy val lanes: Lanes = Lanes.of(this)

  /** Executors that ran tasks, and those that had slots for some at a moment of this trace. */
  lazy val executorsThere: IndexedSeq[Int] = {
    val ran = new java.util.BitSet
    byLaunch.foreach(row => ran.set(tasks.executor(row)))
    executors.indices.filter { e =>
      ran.get(e) || executors(e).slots > 0 && isThere(e, startMillis, endMillis)
    }
  }

  def host(taskRow: Int): String = executors(tasks.executor(taskRow)).host
}

/** @param run which `pellucid run` it is of, where it is of one */
final case class ApplicationInfo(
    id: String,
    name: String,
    user: String,
    sparkVersion: String,
    startMillis: Long,
    endMillis: Long,
    properties: Map[String, String],
    run: Option[String] = None
) {

  /** How often HDFS writes each block, where the log says. */
  def replication: Option[Int] = properties.get("spark.hadoop.dfs.replication").flatMap(_.toIntOption).filter(_ > 0)

  def compressesShuffles: Boolean = properties.get("spark.shuffle.compress").flatMap(_.toBooleanOption).getOrElse(true)

  /** Cores that a task takes, where no resource profile says otherwise. */
  def taskCpus: Int = properties.get("spark.task.cpus").flatMap(_.toIntOption).filter(_ > 0).getOrElse(1)

  /** Tasks of an executor with monotasks at once, where the user has a bound. */
  def mostTasks: Option[Int] = properties.get("spark.pellucid.monotasks.mostTasks").flatMap(_.toIntOption)

  /** What monotasks write to HDFS goes to the machines that fewest write to, unless the user does not want that. */
  def balancesReplicas: Boolean =
    properties.get("spark.pellucid.monotasks.balanceReplicas").flatMap(_.toBooleanOption).getOrElse(true)
}

object ApplicationInfo {

  /** The setting by which `pellucid run` knows its application again. */
  final val Run = "spark.pellucid.run"

  /** Of HDFS where nothing else is set. */
  final val DefaultReplication = 3
}

/** `slots`: tasks that its cores let run at the same time; 0 where the log does not say. Zero moments are unknown. */
final case class ExecutorInfo(
    id: String,
    host: String,
    cores: Int,
    slots: Int,
    addedMillis: Long,
    removedMillis: Long,
    removedReason: String
)

/** `stageTasks`: by id, of the job's stages as planned, also of those that are skipped since their output is there. */
final case class JobInfo(
    id: Int,
    submissionMillis: Long,
    completionMillis: Long,
    failure: Option[String],
    stageIds: Array[Int],
    description: Option[String],
    sqlExecution: Option[Long],
    stageTasks: Map[Int, Int] = Map.empty,
    pool: Option[String] = None
) {
  def ended: Boolean = completionMillis > 0
}

/** One attempt of a stage. `jobs` are rows of [[Trace.jobs]] that need the stage; the first one submitted it.
  *
  * @param shuffle what it wrote of one, where SQL's exchange counted that
  */
final case class StageInfo(
    id: Int,
    attempt: Int,
    name: String,
    numTasks: Int,
    parentIds: Array[Int],
    submissionMillis: Long,
    completionMillis: Long,
    failure: Option[String],
    jobs: Array[Int],
    shuffle: Option[ShuffleSize] = None
) {
  def ended: Boolean = completionMillis > 0
}

/** Bytes of a stage's map output as it was written, and not compressed. */
final case class ShuffleSize(written: Long, plain: Long)

final case class SqlInfo(
    id: Long,
    rootId: Long,
    description: String,
    startMillis: Long,
    endMillis: Long,
    failure: Option[String]
)

/** What was read of a log and not understood: nothing is dropped silently. */
trait NotUnderstood {
  def malformedLines: Long
  def malformedExamples: Seq[String]
  def unknownEvents: Map[String, Long]
  def truncated: Boolean
  def notes: Seq[String]

  /** What is not there of what the application did, each in a few words. */
  def missing: Seq[String] =
    Option.when(malformedLines > 0) {
      s"$malformedLines malformed ${if (malformedLines == 1) "line" else "lines"} left out (${malformedExamples.head})"
    }.toSeq ++ Option.when(truncated)("the log is cut off in its last line") ++ notes

  def unknown: Option[String] = Option.when(unknownEvents.nonEmpty)(
    unknownEvents.toSeq.sorted.map { case (event, n) => s"$n x $event" }
      .mkString("events not known to Pellucid: ", ", ", "")
  )
}

/** @param ended whether the application's end is in it */
final case class Intake(
    lines: Long,
    bytes: Long,
    malformedLines: Long,
    malformedExamples: Seq[String],
    unknownEvents: Map[String, Long],
    truncated: Boolean,
    ended: Boolean,
    notes: Seq[String]
) extends NotUnderstood {

  /** The same, of a log that stops early too. */
  def lacks: Seq[String] =
    Option.when(!ended)(
      "the log stops before the application's end: what ran then counts up to its last moment"
    ).toSeq ++
      missing
}
