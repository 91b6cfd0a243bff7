package pellucid.blocked

import scala.collection.mutable.ArrayBuffer

/** Runs a recorded application again with other task durations: on the slots it had as they came and went, with its stage
  * dependencies, its concurrent jobs and its driver's delays (thesis section 3.3.2).
  *
  * A free slot takes the next task that its executor ran in the recording, and when those are gone the next of another
  * executor, unless that one had waited for its own; a stage uses no executor that it did not use.
  * Among the stages that have tasks to run the earliest job's goes first (Spark's FIFO), or the one with the fewest running
  * tasks (FAIR).
  */
final class Replay(val schedule: Schedule) {
  import schedule._
  private val taskRows = trace.tasks.size
  private val fair = trace.application.properties.get("spark.scheduler.mode").contains("FAIR")

  // ids of events; smaller ids go first among those of one moment
  private val StageReady = taskRows
  private val JobStart = StageReady + stages
  private val StageEnd = JobStart + jobs
  private val JobEnd = StageEnd + stages
  private val Slots = JobEnd + jobs
  private val Release = Slots + slotChanges.length

  private val slotsOfAnchor: Map[Int, Array[Int]] = slotChanges.indices.toArray.groupBy(slotChanges(_).anchor)
  private val jobsAfter: Array[Array[Int]] = Schedule.invert(jobs, j => Array(jobAfter(j)), jobs)
  private val stagesAfter: Array[Array[Int]] = Schedule.invert(stages, stageAfter(_), stages)
  private val awaitedOfStage: Array[Int] = Array.tabulate(stages)(s => trace.tasksOfStage(s).count(awaited(_)))
  private val priority: Array[Long] =
    Array.tabulate(stages)(s =>
      ((if (stageJob(s) < 0) 0L else trace.jobs(stageJob(s)).id.toLong) << 32) | trace.stages(s).id
    )

  /** @param duration microseconds by task row */
  def run(duration: Array[Long]): Simulated = new Run(duration).result()

  /** The state of one replay, and what each event does to it. */
  private final class Run(duration: Array[Long]) {
    private val out = new Simulated(jobs, stages)
    private val events = new EventQueue
    private var now = 0L

    private val stageWaits = Array.tabulate(stages)(s => stageAfter(s).length + (if (stageJob(s) < 0) 0 else 1))
    private val stagesLeft = stagesOfJob.map(_.length)
    private val tasksLeft = awaitedOfStage.clone()
    private val running = new Array[Int](stages)

    /** Stages with tasks to launch, and how many tasks they have. */
    private val ready = ArrayBuffer.empty[Int]
    private var pending = 0
    private val left = queued.map(_.length) // tasks not yet launched
    private val next = new Array[Int](stages) // in `unbound`, past those launched
    private val nextOn = stageExecutors.map(e => new Array[Int](e.length)) // the same in `queuedOn`
    private val released = new Array[java.util.ArrayDeque[Integer]](stages) // retries and copies whose time has come
    private val launched = new Array[Boolean](taskRows)
    private val ranOn = new Array[Int](taskRows)

    private val free = new Array[Int](trace.executors.size) // slots; negative while a lost executor's tasks still run
    private var idle = new Array[Int](64) // executors that look for work at this moment
    private var idleCount = 0
    private var firstWave = false // a stage has just become ready: each executor takes its own tasks before any other's

    def result(): Simulated = {
      slotsFollow(-1)
      for (j <- 0 until jobs if jobAfter(j) < 0) events.add(jobDelay(j), JobStart + j)
      for (s <- 0 until stages if stageWaits(s) == 0) events.add(stageDelay(s), StageReady + s)
      while (!events.isEmpty || pending > 0) {
        if (events.isEmpty) extendExecutor()
        else {
          now = math.max(now, events.time)
          while (!events.isEmpty && events.time <= now) {
            val id = events.id
            events.remove()
            happens(id)
          }
        }
        launchTasks()
        if (now > out.end) out.end = now
      }
      out.end = math.max(out.end, recordedEnd(out))
      out
    }

    private def happens(id: Int): Unit =
      if (id < StageReady) taskEnds(id)
      else if (id < JobStart) stageStarts(id - StageReady)
      else if (id < StageEnd) jobStarts(id - JobStart)
      else if (id < JobEnd) stageEnds(id - StageEnd)
      else if (id < Slots) jobEnds(id - JobEnd)
      else if (id < Release) slotsChange(slotChanges(id - Slots))
      else release(id - Release)

    private def taskEnds(row: Int): Unit = {
      val stage = trace.tasks.stage(row)
      free(ranOn(row)) += 1
      lookForWork(ranOn(row))
      running(stage) -= 1
      if (awaited(row)) {
        tasksLeft(stage) -= 1
        if (tasksLeft(stage) == 0) settle(stage)
      }
      follow(row, ended = true)
    }

    private def stageStarts(stage: Int): Unit = {
      out.stageStart(stage) = now
      slotsFollow(jobs + stage)
      pending += left(stage)
      if (left(stage) > 0) becomeReady(stage)
      if (tasksLeft(stage) == 0) settle(stage)
    }

    private def settle(stage: Int): Unit = events.add(now + stageTail(stage), StageEnd + stage)

    private def stageEnds(stage: Int): Unit = {
      out.stageEnd(stage) = now
      stagesAfter(stage).foreach(waitsForOneLess)
      val job = stageJob(stage)
      if (job >= 0) {
        stagesLeft(job) -= 1
        if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
      }
    }

    private def waitsForOneLess(stage: Int): Unit = {
      stageWaits(stage) -= 1
      if (stageWaits(stage) == 0) events.add(now + stageDelay(stage), StageReady + stage)
    }

    private def jobStarts(job: Int): Unit = {
      out.jobStart(job) = now
      slotsFollow(job)
      stagesOfJob(job).foreach(waitsForOneLess)
      if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
    }

    private def jobEnds(job: Int): Unit = {
      out.jobEnd(job) = now
      jobsAfter(job).foreach(j => events.add(now + jobDelay(j), JobStart + j))
    }

    private def slotsFollow(anchor: Int): Unit =
      slotsOfAnchor.getOrElse(anchor, Array.emptyIntArray).foreach(i =>
        events.add(now + slotChanges(i).delay, Slots + i)
      )

    private def slotsChange(change: SlotChange): Unit = {
      free(change.executor) += change.slots
      lookForWork(change.executor)
    }

    /** Queues what follows the end, or the start, of an attempt. */
    private def follow(row: Int, ended: Boolean): Unit =
      if (followers.nonEmpty)
        followers.getOrElse(row.toLong, Nil).foreach { f =>
          if (f.afterEnd == ended) events.add(now + f.delay, Release + f.row)
        }

    private def release(row: Int): Unit = {
      val stage = trace.tasks.stage(row)
      if (released(stage) == null) released(stage) = new java.util.ArrayDeque[Integer]
      released(stage).add(row)
      pending += 1
      becomeReady(stage)
    }

    private def becomeReady(stage: Int): Unit = {
      if (!ready.contains(stage)) ready += stage
      firstWave = true
      stageExecutors(stage).foreach(lookForWork)
    }

    private def lookForWork(executor: Int): Unit = {
      if (idleCount == idle.length) idle = java.util.Arrays.copyOf(idle, idleCount * 2)
      idle(idleCount) = executor
      idleCount += 1
    }

    /** All executors are gone and work is left: the replay is slower than the recording, and a slot stays for it. */
    private def extendExecutor(): Unit = {
      val stage = ready(0)
      val row = if (hasReleased(stage)) released(stage).peek.intValue else queued(stage).find(!launched(_)).get
      val executor = trace.tasks.executor(row)
      free(executor) = math.max(free(executor), 0) + 1
      lookForWork(executor)
    }

    private def launchTasks(): Unit = {
      var i = 0
      if (firstWave) while (i < idleCount) { fill(idle(i), others = false); i += 1 }
      firstWave = false
      i = 0
      while (i < idleCount) { fill(idle(i), others = true); i += 1 }
      idleCount = 0
    }

    private def fill(executor: Int, others: Boolean): Unit = {
      var stage = if (free(executor) > 0) choose(executor, others) else -1
      while (stage >= 0) {
        launch(stage, executor, offer(stage, executor, others))
        stage = if (free(executor) > 0) choose(executor, others) else -1
      }
    }

    /** The stage whose task the executor takes next, or -1. */
    private def choose(executor: Int, others: Boolean): Int = {
      var best = -1
      var i = 0
      while (i < ready.length) {
        val s = ready(i)
        val first = best < 0 || (if (fair) running(s) < running(best) else priority(s) < priority(best))
        if (first && offer(s, executor, others) >= 0) best = s
        i += 1
      }
      best
    }

    /** The task of the stage that the executor would run next, or -1; `others`: also one that another executor ran. */
    private def offer(stage: Int, executor: Int, others: Boolean): Int =
      if (hasReleased(stage)) released(stage).peek.intValue
      else if (left(stage) == 0) -1
      else {
        val own = java.util.Arrays.binarySearch(stageExecutors(stage), executor)
        if (own < 0) -1
        else {
          val row = firstLeft(queuedOn(stage)(own), nextOn(stage), own)
          if (row >= 0 || !others) row else firstLeft(unbound(stage), next, stage)
        }
      }

    private def firstLeft(rows: Array[Int], from: Array[Int], at: Int): Int = {
      var i = from(at)
      while (i < rows.length && launched(rows(i))) i += 1
      from(at) = i
      if (i < rows.length) rows(i) else -1
    }

    private def hasReleased(stage: Int): Boolean = released(stage) != null && !released(stage).isEmpty

    private def launch(stage: Int, executor: Int, row: Int): Unit = {
      if (hasReleased(stage)) released(stage).poll() else left(stage) -= 1
      launched(row) = true
      if (left(stage) == 0 && !hasReleased(stage)) ready -= stage
      pending -= 1
      free(executor) -= 1
      running(stage) += 1
      ranOn(row) = executor
      events.add(math.max(now, now + taskDelay(row) + duration(row)), row)
      follow(row, ended = false)
    }
  }

  /** The application's end keeps its distance from the end of the last job that ended. */
  private def recordedEnd(out: Simulated): Long = {
    val recorded = (trace.endMillis - trace.startMillis) * Schedule.Micros
    val ended = (0 until jobs).filter(trace.jobs(_).ended)
    if (ended.isEmpty) 0L
    else {
      val last = ended.map(trace.jobs(_).completionMillis).max
      ended.map(out.jobEnd(_)).max + recorded - (last - trace.startMillis) * Schedule.Micros
    }
  }
}

/** Simulated moments, in microseconds from the start of the trace. */
final class Simulated(jobs: Int, stages: Int) {
  val jobStart, jobEnd = new Array[Long](jobs)
  val stageStart, stageEnd = new Array[Long](stages)
  var end = 0L

  def jobMicros(j: Int): Long = jobEnd(j) - jobStart(j)
  def stageMicros(s: Int): Long = stageEnd(s) - stageStart(s)
}
