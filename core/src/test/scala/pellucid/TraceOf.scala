package pellucid

import pellucid.trace._

/** Small traces for tests, written out by hand. Moments are milliseconds from an application start of [[TraceOf.Start]]. */
final class TraceOf(cores: Seq[Int] = Seq(1), properties: Map[String, String] = Map.empty) {
  import TraceOf.Start
  private val builder = new TraceBuilder
  private var nextTask = 0L
  private var end = 0L
  builder.application = ApplicationInfo("app", "test", "user", "4.1.3", Start, 0, properties)
  cores.zipWithIndex.foreach { case (n, e) => executor(e.toString, n, 0) }

  val tasks: Tasks = builder.tasks

  def executor(id: String, cores: Int, addedMillis: Long, host: String = ""): this.type = {
    builder.executorAdded(id, if (host.isEmpty) s"host$id" else host, cores, Start + addedMillis, 0)
    this
  }

  def removed(id: String, millis: Long, reason: String): this.type = {
    builder.executorRemoved(id, Start + millis, reason)
    this
  }

  /** To be set as a failed attempt's reason. */
  def reason(text: String): Int = builder.reasonId(text)

  def job(id: Int, from: Long, to: Long, stages: Int*): this.type = {
    builder.job(JobInfo(id, Start + from, 0, None, stages.toArray, None, None))
    builder.jobEnd(id, Start + to, None)
    end = math.max(end, to)
    this
  }

  def stage(id: Int, from: Long, to: Long, parents: Seq[Int] = Nil, attempt: Int = 0): this.type = {
    builder.stage(StageInfo(
      id,
      attempt,
      s"stage $id",
      1,
      parents.toArray,
      Start + from,
      Start + to,
      None,
      Array.empty
    ))
    this
  }

  /** A successful task that computed all the time, unless `more` sets other columns. */
  def task(
      stage: Int,
      from: Long,
      to: Long,
      executor: Int = 0,
      index: Int = -1,
      attempt: Int = 0,
      stageAttempt: Int = 0
  )(
      more: (Tasks, Int) => Unit = (_, _) => ()
  ): this.type = {
    val row = tasks.append()
    tasks.taskId(row) = nextTask
    tasks.stage(row) = builder.stageRow(stage, stageAttempt)
    tasks.index(row) = if (index >= 0) index else nextTask.toInt
    tasks.attempt(row) = attempt
    tasks.executor(row) = builder.executorRow(executor.toString)
    tasks.launchMillis(row) = Start + from
    tasks.durationMillis(row) = (to - from).toInt
    tasks.runMillis(row) = (to - from).toInt
    tasks.cpuNanos(row) = (to - from) * 1000000L
    tasks.set(row, Tasks.CpuLogged)
    more(tasks, row)
    builder.taskEnded(row)
    nextTask += 1
    this
  }

  def result(endMillis: Long = -1): Trace = {
    builder.application = builder.application.copy(endMillis = Start + (if (endMillis >= 0) endMillis else end))
    builder.ended = true
    builder.result(Intake(0, 0, 0, Nil, Map.empty, truncated = false, ended = true, Nil))
  }
}

object TraceOf {
  final val Start = 1700000000000L
}
