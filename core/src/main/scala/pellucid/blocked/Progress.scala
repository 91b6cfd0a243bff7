package pellucid.blocked

/** The jobs and stages of a replay: each begins when what it waited for in the recording is over, and as long after that as it did
  * there. Its events have [[Progress.events]] ids from `firstEvent` on.
  *
  * @param tasks that the end of each stage waits for
  */
abstract class Progress(schedule: Schedule, events: EventQueue, firstEvent: Int, tasks: Array[Int]) {
  import schedule._
  private val StageReady = firstEvent
  private val JobStart = StageReady + stages
  private val StageEnd = JobStart + jobs
  private val JobEnd = StageEnd + stages

  private val stageWaits = Array.tabulate(stages)(s => stageAfter(s).length + (if (stageJob(s) < 0) 0 else 1))
  private val jobWaits = jobAfter.map(_.length)
  private val stagesLeft = stagesOfJob.map(_.length)
  private val tasksLeft = tasks.clone()

  val out = new Simulated(jobs, stages)

  protected def jobBegins(job: Int): Unit
  protected def stageBegins(stage: Int): Unit

  def begin(): Unit = {
    for (j <- 0 until jobs if jobWaits(j) == 0) events.add(jobDelay(j), JobStart + j)
    for (s <- 0 until stages if stageWaits(s) == 0) events.add(stageDelay(s), StageReady + s)
  }

  def happens(id: Int, now: Long): Unit =
    if (id < JobStart) stageStarts(id - StageReady, now)
    else if (id < StageEnd) jobStarts(id - JobStart, now)
    else if (id < JobEnd) stageEnds(id - StageEnd, now)
    else jobEnds(id - JobEnd, now)

  /** One of those that the end of the stage waits for. */
  def taskEnded(stage: Int, now: Long): Unit = {
    tasksLeft(stage) -= 1
    if (tasksLeft(stage) == 0) settle(stage, now)
  }

  private def stageStarts(stage: Int, now: Long): Unit = {
    out.stageStart(stage) = now
    stageBegins(stage)
    if (tasksLeft(stage) == 0) settle(stage, now)
  }

  private def settle(stage: Int, now: Long): Unit = events.add(now + stageTail(stage), StageEnd + stage)

  private def stageEnds(stage: Int, now: Long): Unit = {
    out.stageEnd(stage) = now
    stagesAfter(stage).foreach(waitsForOneLess(_, now))
    val job = stageJob(stage)
    if (job >= 0) {
      stagesLeft(job) -= 1
      if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
    }
  }

  private def waitsForOneLess(stage: Int, now: Long): Unit = {
    stageWaits(stage) -= 1
    if (stageWaits(stage) == 0) events.add(now + stageDelay(stage), StageReady + stage)
  }

  private def jobStarts(job: Int, now: Long): Unit = {
    out.jobStart(job) = now
    jobBegins(job)
    stagesOfJob(job).foreach(waitsForOneLess(_, now))
    if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
  }

  private def jobEnds(job: Int, now: Long): Unit = {
    out.jobEnd(job) = now
    jobsAfter(job).foreach { j =>
      jobWaits(j) -= 1
      if (jobWaits(j) == 0) events.add(now + jobDelay(j), JobStart + j)
    }
  }

  /** The application's end keeps its distance from the end of the last job. */
  def recordedEnd: Long = {
    val recorded = (trace.endMillis - trace.startMillis) * Schedule.Micros
    val known = (0 until jobs).filter(jobCompleted(_) >= 0)
    if (known.isEmpty) 0L else known.map(out.jobEnd(_)).max + recorded - known.map(jobCompleted(_)).max
  }
}

object Progress {

  /** How many ids. */
  def events(schedule: Schedule): Int = 2 * (schedule.stages + schedule.jobs)
}
