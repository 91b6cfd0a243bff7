package pellucid.blocked

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import pellucid.trace.{Tasks, Trace}

/** What a replay keeps of the recording besides the tasks' durations: what each job, stage, task and executor waited for, and
  * how long after that it came. The driver's own delays stay as they were; all times are microseconds from the trace's start.
  */
final class Schedule(val trace: Trace) {
  import Schedule.Micros
  private val tasks = trace.tasks
  private def at(millis: Long): Long = (millis - trace.startMillis) * Micros

  // ---- jobs: after the end of earlier ones, or after the start of the application

  val jobs: Int = trace.jobs.size

  /** Rows of the jobs whose ends let this one be submitted, in that order. */
  val jobAfter: Array[Array[Int]] = Array.fill(jobs)(Array.empty)
  val jobDelay: Array[Long] = new Array(jobs)

  /** From the end of the job's last stage to its own. */
  val jobTail: Array[Long] = new Array(jobs)

  /** The end of each job, where one that went on longer than all that ended has the log's; -1 of others whose end the log has not. */
  val jobCompleted: Array[Long] = Array.fill(jobs)(-1L)

  // ---- stages

  val stages: Int = trace.stages.size

  /** Row of the job that submitted the stage, or -1. */
  val stageJob: Array[Int] = Array.fill(stages)(-1)
  val stageAfter: Array[Array[Int]] = Array.fill(stages)(Array.empty)

  /** Rows of the stages that each job submitted. */
  lazy val stagesOfJob: Array[Array[Int]] = Schedule.invert(stages, s => Array(stageJob(s)), jobs)
  val stageDelay: Array[Long] = new Array(stages)
  val stageTail: Array[Long] = new Array(stages)
  val stageSubmitted: Array[Long] = new Array(stages)
  val stageCompleted: Array[Long] = new Array(stages)

  /** Rows of the executors that ran the stage's tasks; it has no others in a replay. This keeps what locality, cached data
    * and late executors did to it, without modelling them task by task.
    */
  val stageExecutors: Array[Array[Int]] = trace.executorsOfStage

  lazy val jobsAfter: Array[Array[Int]] = Schedule.invert(jobs, jobAfter(_), jobs)
  lazy val stagesAfter: Array[Array[Int]] = Schedule.invert(stages, stageAfter(_), stages)

  /** Of each stage, the number of its job's pool: under FIFO there is one. */
  lazy val pool: Array[Int] = {
    val fair = trace.application.properties.get("spark.scheduler.mode").exists(_.equalsIgnoreCase("FAIR"))
    val names = Array.tabulate(stages)(s => if (fair && stageJob(s) >= 0) trace.jobs(stageJob(s)).pool else None)
    names.map(names.distinct.zipWithIndex.toMap)
  }

  /** Whether Spark gives a slot to this stage rather than to the other: the pool's with fewer tasks that run, and in a pool the earliest job's.
    *
    * @param running tasks of each pool
    */
  def goesBefore(stage: Int, other: Int, running: Array[Int]): Boolean = {
    val (here, there) = (running(pool(stage)), running(pool(other)))
    if (here != there) here < there else priority(stage) < priority(other)
  }

  /** The order in which Spark's FIFO scheduler takes stages: the earliest job's first. */
  private lazy val priority: Array[Long] = Array.tabulate(stages)(s =>
    ((if (stageJob(s) < 0) 0L else trace.jobs(stageJob(s)).id.toLong) << 32) | trace.stages(s).id
  )

  // ---- tasks

  /** The slot's idle time before the task; see [[pellucid.trace.Lanes]]. */
  val taskDelay: Array[Long] = new Array(tasks.size)

  /** Whether the end of the stage waits for the task. */
  val awaited: Array[Boolean] = new Array(tasks.size)

  lazy val awaitedOfStage: Array[Int] = Array.tabulate(stages)(s => trace.tasksOfStage(s).count(awaited(_)))

  /** Task rows of each stage that may start with it, in launch order. */
  val queued: Array[Array[Int]] = new Array(stages)

  /** Those that any executor may take; the others wait for their own, see [[pellucid.trace.Lanes.bound]]. */
  val unbound: Array[Array[Int]] = new Array(stages)

  /** All, apart by the executor that ran them, in the order of `stageExecutors`. */
  val queuedOn: Array[Array[Array[Int]]] = new Array(stages)

  /** Retries and speculative copies of a task, and whether they follow its end (a retry) or its start (a copy). */
  val followers: mutable.LongMap[List[Follower]] = mutable.LongMap.empty

  planStages()
  planJobs()
  planTasks()

  // ---- executors: slots come and go some time after a job or a stage was submitted

  val slotChanges: Array[SlotChange] = planExecutors()

  private def planStages(): Unit = {
    val rowsOfId = mutable.HashMap.empty[Int, ArrayBuffer[Int]]
    for (s <- 0 until stages) rowsOfId.getOrElseUpdate(trace.stages(s).id, ArrayBuffer.empty) += s
    // a stage is run again for one that missed its output
    val missedBy = mutable.HashMap.empty[Int, ArrayBuffer[Int]]
    for (s <- 0 until stages if trace.stages(s).failure.nonEmpty; p <- trace.stages(s).parentIds)
      missedBy.getOrElseUpdate(p, ArrayBuffer.empty) += s
    for (s <- 0 until stages) {
      val stage = trace.stages(s)
      val rows = trace.tasksOfStage(s)
      val firstLaunch = if (rows.isEmpty) trace.endMillis else tasks.launchMillis(rows(0))
      val submitted = if (stage.submissionMillis > 0) math.min(stage.submissionMillis, firstLaunch) else firstLaunch
      val completed = if (stage.ended) stage.completionMillis
      else rows.foldLeft(submitted)((m, r) => math.max(m, tasks.finishMillis(r)))
      stageSubmitted(s) = at(submitted)
      stageCompleted(s) = at(math.max(completed, submitted))
    }
    for (s <- 0 until stages) {
      val stage = trace.stages(s)
      stageJob(s) = submitter(s)
      val earlierAttempts = rowsOfId(stage.id).iterator.filter(_ != s)
      val parents = stage.parentIds.iterator.flatMap(p => rowsOfId.getOrElse(p, ArrayBuffer.empty))
      val missed = if (stage.attempt > 0) missedBy.getOrElse(stage.id, ArrayBuffer.empty) else ArrayBuffer.empty
      stageAfter(s) = (earlierAttempts ++ parents ++ missed).filter(p => precedes(p, s)).toArray.distinct
      val jobStart = if (stageJob(s) < 0) 0L else at(trace.jobs(stageJob(s)).submissionMillis)
      val ready = stageAfter(s).foldLeft(jobStart)((m, p) => math.max(m, stageCompleted(p)))
      stageDelay(s) = math.max(0L, stageSubmitted(s) - ready)
    }
  }

  /** Recorded order; rows break ties, so that no two stages wait for each other. */
  private def precedes(p: Int, s: Int): Boolean =
    p != s && stageCompleted(p) <= stageSubmitted(s) &&
      (stageSubmitted(p) < stageSubmitted(s) || (stageSubmitted(p) == stageSubmitted(s) && p < s))

  private def submitter(s: Int): Int = {
    val candidates = trace.stages(s).jobs
    val micros = stageSubmitted(s)
    def open(j: Int) = {
      val job = trace.jobs(j)
      at(job.submissionMillis) <= micros && (!job.ended || at(job.completionMillis) >= micros)
    }
    candidates.find(open).orElse(candidates.headOption).getOrElse(-1)
  }

  private def planJobs(): Unit = {
    val sqlRoot = trace.sql.iterator.map(x => x.id -> x.rootId).toMap
    def root(j: Int) = trace.jobs(j).sqlExecution.map(id => sqlRoot.getOrElse(id, id))
    // only jobs submitted before can have been waited for, whatever moments a broken log gives
    val running = mutable.PriorityQueue.empty[(Long, Int)](Ordering.by { case (end, j) => (-end, -j) })
    val endedOfRoot = mutable.HashMap.empty[Long, Array[Int]] // and nothing that has ended since waited for them
    var last = Array.empty[Int]
    for (j <- (0 until jobs).sortBy(j => (trace.jobs(j).submissionMillis, j))) {
      val submitted = trace.jobs(j).submissionMillis
      while (running.headOption.exists(_._1 <= submitted)) {
        val ended = running.dequeue()._2
        last = Array(ended)
        root(ended).foreach(r =>
          endedOfRoot(r) = endedOfRoot.getOrElse(r, Array.empty).filterNot(jobAfter(ended).contains(_)) :+ ended
        )
      }
      jobAfter(j) = root(j).flatMap(endedOfRoot.get).getOrElse(last)
      val from = jobAfter(j).lastOption.fold(0L)(before => at(trace.jobs(before).completionMillis))
      jobDelay(j) = math.max(0L, at(submitted) - from)
      if (trace.jobs(j).ended) running += ((trace.jobs(j).completionMillis, j))
    }
    val lastStageEnd = Array.fill(jobs)(Long.MinValue)
    for (s <- 0 until stages; j = stageJob(s) if j >= 0) lastStageEnd(j) = math.max(lastStageEnd(j), stageCompleted(s))
    val ended = (0 until jobs).filter(trace.jobs(_).ended)
    for (j <- ended) jobCompleted(j) = at(trace.jobs(j).completionMillis)
    val lastEnd = ended.map(jobCompleted(_)).maxOption.getOrElse(Long.MinValue)
    for (j <- 0 until jobs if !trace.jobs(j).ended && lastStageEnd(j) > lastEnd) jobCompleted(j) = at(trace.endMillis)
    for (j <- 0 until jobs if jobCompleted(j) >= 0) {
      val from = math.max(lastStageEnd(j), at(trace.jobs(j).submissionMillis))
      jobTail(j) = math.max(0L, jobCompleted(j) - from)
    }
  }

  private def planTasks(): Unit = {
    val idle = trace.lanes.idleMillis
    for (row <- trace.byLaunch) taskDelay(row) = idle(row) * Micros
    for (s <- 0 until stages) {
      val rows = trace.tasksOfStage(s)
      val completed = stageCompleted(s)
      var lastAwaited = Long.MinValue
      rows.foreach { row =>
        val finish = at(tasks.finishMillis(row))
        awaited(row) = tasks.outcome(row) != Tasks.Killed && finish <= completed + Micros
        if (awaited(row)) lastAwaited = math.max(lastAwaited, finish)
      }
      stageTail(s) = math.max(0L, completed - (if (lastAwaited == Long.MinValue) stageSubmitted(s) else lastAwaited))
      queued(s) = if (rows.forall(tasks.attempt(_) == 0)) rows else withoutFollowers(rows)
      unbound(s) = if (trace.lanes.bound.isEmpty) queued(s) else queued(s).filterNot(trace.lanes.bound.get)
      queuedOn(s) = apart(queued(s), stageExecutors(s))
    }
  }

  private def apart(rows: Array[Int], executors: Array[Int]): Array[Array[Int]] = {
    val parts = executors.map(_ => Array.newBuilder[Int])
    rows.foreach(row => parts(java.util.Arrays.binarySearch(executors, tasks.executor(row))) += row)
    parts.map(_.result())
  }

  /** Registers retries and speculative copies with the attempt they follow, and returns the other rows. */
  private def withoutFollowers(rows: Array[Int]): Array[Int] = {
    val lastOfIndex = mutable.HashMap.empty[Int, Int]
    rows.filter { row =>
      val previous = lastOfIndex.put(tasks.index(row), row)
      previous.foreach { p =>
        val launch = tasks.launchMillis(row)
        val retry = tasks.finishMillis(p) <= launch
        val from = if (retry) retryable(p, launch) else tasks.launchMillis(p)
        // its wait for the other attempt is no idle time of the slot
        val idle = math.min(taskDelay(row), (launch - from) * Micros)
        taskDelay(row) = if (retry) idle else 0L
        val follower =
          if (retry) Follower(row, afterEnd = true, (from - tasks.finishMillis(p)) * Micros)
          else Follower(row, afterEnd = false, (launch - from) * Micros)
        followers(p.toLong) = follower :: followers.getOrElse(p.toLong, Nil)
      }
      previous.isEmpty
    }
  }

  /** When an attempt could be made again: at its end, or, where it had succeeded, when its output was lost with its executor. */
  private def retryable(row: Int, launch: Long): Long = {
    val lost = trace.goneMillis(tasks.executor(row))
    if (!tasks.succeeded(row)) tasks.finishMillis(row)
    else if (lost >= tasks.finishMillis(row)) math.min(lost, launch)
    else launch
  }

  private def planExecutors(): Array[SlotChange] = {
    // (submitted, job row or jobs + stage row)
    val anchors =
      ((0 until jobs).map(j => (at(trace.jobs(j).submissionMillis), j)) ++
        (0 until stages).map(s => (stageSubmitted(s), jobs + s))).sorted.toArray
    def change(executor: Int, micros: Long, slots: Int): SlotChange = {
      var lo = 0
      var hi = anchors.length
      while (lo < hi) { val mid = (lo + hi) >>> 1; if (anchors(mid)._1 <= micros) lo = mid + 1 else hi = mid }
      if (lo == 0) SlotChange(executor, -1, math.max(0L, micros), slots)
      else SlotChange(executor, anchors(lo - 1)._2, micros - anchors(lo - 1)._1, slots)
    }
    trace.executors.indices.iterator.flatMap { e =>
      val slots = trace.lanes.count(e)
      val come = change(e, at(trace.executors(e).addedMillis), slots)
      val gone = trace.goneMillis(e)
      if (gone > 0) Seq(come, change(e, at(gone), -slots)) else Seq(come)
    }.toArray
  }
}

/** A task attempt that can start `delay` after another attempt of the same task ended (`afterEnd`) or started. */
final case class Follower(row: Int, afterEnd: Boolean, delay: Long)

/** An executor has `slots` more (or fewer) `delay` after the submission of `anchor`: -1 is the application, then the rows of
  * the jobs, then those of the stages.
  */
final case class SlotChange(executor: Int, anchor: Int, delay: Long, slots: Int)

object Schedule {
  final val Micros = 1000L

  /** Which of `n` point to each of `size`; a negative pointer points nowhere. */
  def invert(n: Int, of: Int => Array[Int], size: Int): Array[Array[Int]] = {
    val out = Array.fill(size)(Array.newBuilder[Int])
    for (i <- 0 until n; k <- of(i) if k >= 0) out(k) += i
    out.map(_.result())
  }
}
