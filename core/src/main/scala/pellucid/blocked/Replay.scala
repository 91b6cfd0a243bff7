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
  def run(duration: Array[Long]): Simulated = {
    val out = new Simulated(jobs, stages)
    val events = new EventQueue
    val free = new Array[Int](trace.executors.size) // negative while a lost executor's tasks still run
    var freed = new Array[Int](64) // executors with work to look for at this moment
    var freedCount = 0
    var firstWave = false // a stage has just become ready: each executor takes its own tasks before any other's
    var now = 0L

    val stageWaits = Array.tabulate(stages)(s => stageAfter(s).length + (if (stageJob(s) < 0) 0 else 1))
    val tasksLeft = awaitedOfStage.clone()
    val left = queued.map(_.length) // tasks not yet launched
    val next = new Array[Int](stages) // in `unbound`, past those launched
    val nextOn = stageExecutors.map(e => new Array[Int](e.length)) // the same in `queuedOn`
    val launched = new Array[Boolean](taskRows)
    val ranOn = new Array[Int](taskRows)
    val runningTasks = new Array[Int](stages)
    val released = Array.fill[java.util.ArrayDeque[Integer]](stages)(null) // retries and copies whose time has come
    val stagesLeft = stagesOfJob.map(_.length)
    val ready = ArrayBuffer.empty[Int] // stages with tasks to launch
    var pending = 0 // tasks not yet launched, of ready stages

    def lookForWork(executor: Int): Unit = {
      if (freedCount == freed.length) freed = java.util.Arrays.copyOf(freed, freedCount * 2)
      freed(freedCount) = executor
      freedCount += 1
    }
    def becomeReady(s: Int): Unit = {
      if (!ready.contains(s)) ready += s
      firstWave = true
      stageExecutors(s).foreach(lookForWork)
    }
    def hasTask(s: Int) = left(s) > 0 || (released(s) != null && !released(s).isEmpty)
    def firstLeft(rows: Array[Int], from: Array[Int], at: Int): Int = {
      while (from(at) < rows.length && launched(rows(from(at)))) from(at) += 1
      if (from(at) < rows.length) rows(from(at)) else -1
    }

    /** The task of `s` that the executor would run next, or -1; `others`: also one that another executor ran. */
    def offer(s: Int, executor: Int, others: Boolean): Int =
      if (released(s) != null && !released(s).isEmpty) released(s).peek.intValue
      else if (left(s) == 0) -1
      else {
        val own = java.util.Arrays.binarySearch(stageExecutors(s), executor)
        if (own < 0) -1
        else {
          val row = firstLeft(queuedOn(s)(own), nextOn(s), own)
          if (row >= 0 || !others) row else firstLeft(unbound(s), next, s)
        }
      }

    /** The stage whose task the executor takes next, or -1. */
    def choose(executor: Int, others: Boolean): Int = {
      var best = -1
      var i = 0
      while (i < ready.length) {
        val s = ready(i)
        val first = best < 0 || (if (fair) runningTasks(s) < runningTasks(best) else priority(s) < priority(best))
        if (first && offer(s, executor, others) >= 0) best = s
        i += 1
      }
      best
    }
    def fill(executor: Int, others: Boolean): Unit =
      while (
        free(executor) > 0 && {
          val stage = choose(executor, others)
          if (stage >= 0) launch(stage, executor, offer(stage, executor, others))
          stage >= 0
        }
      ) {}
    def launch(stage: Int, executor: Int, row: Int): Unit = {
      if (released(stage) != null && !released(stage).isEmpty) released(stage).poll() else left(stage) -= 1
      launched(row) = true
      if (!hasTask(stage)) ready -= stage
      pending -= 1
      free(executor) -= 1
      runningTasks(stage) += 1
      ranOn(row) = executor
      events.add(math.max(now, now + taskDelay(row) + duration(row)), row)
      follow(row, ended = false)
    }
    def anchorReached(anchor: Int): Unit =
      slotsOfAnchor.get(anchor).foreach(_.foreach(i => events.add(now + slotChanges(i).delay, Slots + i)))
    def stageSettled(s: Int): Unit = events.add(now + stageTail(s), StageEnd + s)
    def oneLess(s: Int): Unit = {
      stageWaits(s) -= 1
      if (stageWaits(s) == 0) events.add(now + stageDelay(s), StageReady + s)
    }
    def follow(row: Int, ended: Boolean): Unit =
      if (followers.nonEmpty) followers.getOrElse(row.toLong, Nil).foreach { f =>
        if (f.afterEnd == ended) events.add(now + f.delay, Release + f.row)
      }

    anchorReached(-1)
    var j = 0
    while (j < jobs) { if (jobAfter(j) < 0) events.add(jobDelay(j), JobStart + j); j += 1 }
    var s = 0
    while (s < stages) { if (stageWaits(s) == 0) events.add(stageDelay(s), StageReady + s); s += 1 }

    while (!events.isEmpty || pending > 0) {
      if (events.isEmpty) {
        // all executors are gone and work is left: the replay is slower than the recording; the last slots stay for it
        out.extendedSlots += 1
        val stage = ready(0)
        val stranded = if (released(stage) != null && !released(stage).isEmpty) released(stage).peek.intValue
        else queued(stage).find(!launched(_)).get
        val executor = trace.tasks.executor(stranded)
        free(executor) = math.max(free(executor), 0) + 1
        lookForWork(executor)
      } else {
        now = math.max(now, events.time)
        while (!events.isEmpty && events.time <= now) {
          val id = events.id
          events.remove()
          if (id < StageReady) {
            val stage = trace.tasks.stage(id)
            val executor = ranOn(id)
            free(executor) += 1
            lookForWork(executor)
            runningTasks(stage) -= 1
            if (awaited(id)) {
              tasksLeft(stage) -= 1
              if (tasksLeft(stage) == 0) stageSettled(stage)
            }
            follow(id, ended = true)
          } else if (id < JobStart) {
            val stage = id - StageReady
            out.stageStart(stage) = now
            anchorReached(jobs + stage)
            pending += queued(stage).length
            if (queued(stage).nonEmpty) becomeReady(stage)
            if (tasksLeft(stage) == 0) stageSettled(stage)
          } else if (id < StageEnd) {
            val job = id - JobStart
            out.jobStart(job) = now
            anchorReached(job)
            stagesOfJob(job).foreach(oneLess)
            if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
          } else if (id < JobEnd) {
            val stage = id - StageEnd
            out.stageEnd(stage) = now
            stagesAfter(stage).foreach(oneLess)
            val job = stageJob(stage)
            if (job >= 0) {
              stagesLeft(job) -= 1
              if (stagesLeft(job) == 0) events.add(now + jobTail(job), JobEnd + job)
            }
          } else if (id < Slots) {
            val job = id - JobEnd
            out.jobEnd(job) = now
            jobsAfter(job).foreach(next => events.add(now + jobDelay(next), JobStart + next))
          } else if (id < Release) {
            val change = slotChanges(id - Slots)
            free(change.executor) += change.slots
            lookForWork(change.executor)
          } else {
            val row = id - Release
            val stage = trace.tasks.stage(row)
            if (released(stage) == null) released(stage) = new java.util.ArrayDeque[Integer]
            released(stage).add(row)
            pending += 1
            becomeReady(stage)
          }
        }
      }
      var i = 0
      if (firstWave) while (i < freedCount) { fill(freed(i), others = false); i += 1 }
      firstWave = false
      i = 0
      while (i < freedCount) { fill(freed(i), others = true); i += 1 }
      freedCount = 0
      if (now > out.end) out.end = now
    }
    out.end = math.max(out.end, recordedEnd(out))
    out
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

  /** Slots kept beyond their executor's recorded end because work was left. */
  var extendedSlots = 0

  def jobMicros(j: Int): Long = jobEnd(j) - jobStart(j)
  def stageMicros(s: Int): Long = stageEnd(s) - stageStart(s)
}
