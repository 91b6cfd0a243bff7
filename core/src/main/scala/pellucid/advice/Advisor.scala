package pellucid.advice

import pellucid.blocked.{Blockage, LocalityWait, Scenarios, Simulated}
import pellucid.breakdown.{Phase, Sums}
import pellucid.cause.{Cause, StragglerAnalysis}
import pellucid.demand.Use
import pellucid.lost.Lost
import pellucid.report.{Advice, Completion, DriverOnly}
import pellucid.trace.{Tasks, Trace}

/** Turns analyses into advice, each with the seconds that the replay predicts it would save the application. */
final class Advisor(
    trace: Trace,
    scenarios: Scenarios,
    stragglers: StragglerAnalysis,
    blockage: Blockage.All,
    total: Sums,
    completion: Completion,
    driver: DriverOnly,
    work: Lost
) {
  private val tasks = trace.tasks
  private val sums = blockage.sums

  /** Largest saving first; nothing that saves less than a thousandth of the application's time. */
  def advice: Seq[Advice] =
    (blocked ++ waiting ++ stragglersByCause ++ skew ++ garbage ++ measuredWaiting ++ parallelism ++
      localityWait ++ overhead ++ lostWork ++ driverTime)
      .filter(a => matters(a.savesSeconds))
      .sortBy(-_.savesSeconds)

  /** No application gets shorter by more seconds than its tasks do together, so what fails this needs no replay. */
  private def matters(seconds: Double): Boolean = seconds >= math.max(0.01, completion.simulatedSeconds / 1000)

  private def saved(other: Simulated): Double = (scenarios.recorded.end - other.end) / 1e6

  /** The stages with the most of something, as `stage 3 (12.0 s)`. */
  private def most(of: Int => Double, unit: String): (Seq[Int], String) = {
    val top = trace.stages.indices.map(s => (s, of(s))).filter(_._2 > 0).sortBy(-_._2).take(3)
    (
      top.map(t => trace.stages(t._1).id),
      top.map { case (s, x) => f"stage ${trace.stages(s).id} ($x%.1f $unit)" }.mkString(", ")
    )
  }

  private def blocked: Seq[Advice] = {
    def bound(atMost: Double) = f"With the waiting that the log does not name, at most $atMost%.1f s."
    def logged(phases: Phase*) = most(s => phases.map(sums(s).nanos(_)).sum / 1e9, "s of task time")
    val (diskStages, diskText) = logged(Phase.InputRead, Phase.ShuffleWrite, Phase.Spill, Phase.OutputWrite)
    val (netStages, netText) = logged(Phase.ShuffleRead)
    Seq(
      Advice(
        "disk",
        "Less time blocked on disk: faster or more disks, cached input, less shuffle data",
        completion.noDisk.loggedSeconds,
        upperBound = true,
        s"Most: $diskText. ${bound(completion.noDisk.atMostSeconds)}",
        diskStages,
        Nil,
        "blocked-time"
      ),
      Advice(
        "network",
        "Less time blocked on the network: less shuffle data, a faster network",
        completion.noNetwork.loggedSeconds,
        upperBound = true,
        s"Most: $netText. ${bound(completion.noNetwork.atMostSeconds)}",
        netStages,
        Nil,
        "blocked-time"
      )
    )
  }

  /** What nothing names. */
  private def waiting: Seq[Advice] = {
    val bounds = total.breakdown.waitingAtMost.parts.map { case (what, seconds) => f"$what at most $seconds%.1f s" }
    val of = " Of the task time, " +
      (if (bounds.isEmpty) "none can be input, output or spills" else bounds.mkString(", "))
    val observed = trace.byLaunch.exists(tasks.is(_, Tasks.Observed))
    phaseAdvice(
      "waiting",
      if (observed) "Tasks wait for something that nothing measures: thread dumps of such tasks may tell"
      else "Tasks wait for something that stock Spark does not log: measure it before buying disks or network",
      blockage.unnamed,
      "blocked-time",
      if (observed) of + "." else of + "; the rest is locks, broadcasts, or more threads than cores."
    )
  }

  private def stragglersByCause: Seq[Advice] =
    stragglers.total.causes.filter(c => matters(c.excessSeconds)).map { share =>
      val c = Cause.all.indexWhere(_.key == share.cause)
      val explained = stragglers.explainedBy(c)
      val faster = scenarios.shorter { (row, millis) =>
        if (explained.get(row)) math.min(millis * 1000L, stragglers.atMedianMicros(row)) else millis * 1000L
      }
      val (stages, text) = most(stragglers.stages(_).causeExcess(c), "s of task time")
      Advice(
        s"straggler.${share.cause}",
        s"Stragglers by ${share.label}: ${Cause.all(c).remedy}",
        saved(faster),
        upperBound = true,
        f"${share.tasks} stragglers would be none without it; they take ${share.excessSeconds}%.1f s beyond their stages' median rate. Most: $text.",
        stages,
        explained.stream.toArray.toSeq.sortBy(r => (-tasks.durationMillis(r), r)).take(5).map(tasks.taskId(_)),
        "stragglers"
      )
    }

  /** Tasks that read more than the stage's mean take as long as one that reads the mean at the same rate. */
  private def skew: Seq[Advice] = {
    val mean = trace.stages.indices.map { s =>
      val rows = trace.tasksOfStage(s).filter(tasks.succeeded)
      if (rows.isEmpty) 0.0 else rows.iterator.map(tasks.readBytes(_).toDouble).sum / rows.length
    }
    def even(row: Int): Double = { // share of its time that the task would keep
      val bytes = tasks.readBytes(row)
      val target = mean(tasks.stage(row))
      if (target > 0 && bytes > target && tasks.succeeded(row)) target / bytes else 1.0
    }
    val excess = trace.tasksOfStage.map(_.iterator.map(r => (1 - even(r)) * tasks.durationMillis(r) / 1e3).sum)
    val (stages, text) = most(excess(_), "s of task time in tasks above the mean")
    if (!matters(excess.sum)) Nil
    else {
      val faster = scenarios.shorter((row, millis) => (millis * 1000L * even(row)).toLong)
      val worst = stages.headOption.toSeq.flatMap { id =>
        trace.stages.indices.filter(trace.stages(_).id == id).flatMap(trace.tasksOfStage(_)).sortBy(r =>
          (-tasks.readBytes(r), r)
        ).take(5)
      }
      Seq(Advice(
        "inputSkew",
        "Input skew: spread the data of a stage evenly over its tasks (more partitions, salted keys, adaptive skew joins)",
        saved(faster),
        upperBound = true,
        s"Most: $text.",
        stages,
        worst.map(tasks.taskId(_)),
        "skew"
      ))
    }
  }

  private def phaseAdvice(
      kind: String,
      title: String,
      what: Blockage,
      evidence: String = "breakdown",
      more: String = ""
  ): Seq[Advice] = {
    val total = what.totalNanos / 1e9
    if (!matters(total)) Nil
    else {
      val (stages, text) = most(s => trace.tasksOfStage(s).iterator.map(what.micros).sum / 1e6, "s")
      Seq(Advice(
        kind,
        title,
        saved(scenarios.without(what)),
        upperBound = true,
        f"$total%.1f s of task time. Most: $text.$more",
        stages,
        Nil,
        evidence
      ))
    }
  }

  private def garbage =
    phaseAdvice(
      "gc",
      "Less garbage collection: more memory per task, fewer objects, another collector",
      blockage.gc
    )

  /** What the plugin measured. */
  private def measuredWaiting = Seq(
    (
      "remote",
      "Less time blocked on other machines' disks or the network between: fewer bytes and replicas, tasks near their input",
      blockage.eitherLogged
    ),
    (
      "python",
      "Less time in Python workers: built-in functions, or Arrow and pandas functions, in place of Python's",
      blockage.pythonWorker
    ),
    (
      "broadcast",
      "Less waiting for the driver: fewer and smaller broadcast variables (maps, lookup tables, broadcast joins), a driver that is less busy",
      blockage.driver
    ),
    ("metadata", "Less waiting for the name server: fewer files and partitions", blockage.nameServer),
    ("lock", "Less waiting for locks and other threads of the executor", blockage.lock),
    ("cpuQueue", "Less waiting for a CPU: a container with more of them, or fewer tasks at once", blockage.cpuQueue)
  ).flatMap { case (kind, title, what) => phaseAdvice(kind, title, what) }

  private def overhead = phaseAdvice(
    "overhead",
    "Less overhead per task: fewer, larger tasks; smaller closures and results",
    blockage.overhead
  )

  /** A stage with fewer tasks than there were slots could use them all, if its work could be cut into as many. */
  private def parallelism: Seq[Advice] = {
    val atOnce = Use.slots(trace) // of all executors, which no stage has more of
    // of a stage of which a window or a cut log has some tasks it is all
    val partitions = trace.tasksOfStage.zip(trace.stages).map { case (rows, stage) =>
      val seen =
        if (rows.forall(tasks.attempt(_) == 0)) rows.length else rows.iterator.map(tasks.index(_)).distinct.size
      if (seen > 0) math.max(seen, stage.numTasks) else 0
    }
    val slots = trace.stages.indices.map { s =>
      if (partitions(s) == 0 || partitions(s) >= atOnce) 0
      else {
        val from = trace.startMillis + scenarios.schedule.stageSubmitted(s) / 1000
        val to = trace.startMillis + scenarios.schedule.stageCompleted(s) / 1000
        Use.atOnce(trace, trace.executors.indices.filter(trace.isThere(_, from, to)), trace.lanes.count(_))
      }
    }
    def few(s: Int) = partitions(s) > 0 && partitions(s) < slots(s)
    val (stages, text) = most(
      s => if (few(s)) (scenarios.schedule.stageCompleted(s) - scenarios.schedule.stageSubmitted(s)) / 1e6 else 0,
      "s"
    )
    if (stages.isEmpty || trace.lanes.count.sum <= 1) Nil
    else {
      val evenly = trace.stages.indices.map(s =>
        trace.tasksOfStage(s).iterator.map(tasks.durationMillis(_) * 1000L).sum / math.max(slots(s), 1)
      )
      val faster = scenarios.shorter { (row, millis) =>
        val s = tasks.stage(row)
        if (few(s)) evenly(s) else millis * 1000L
      }
      Seq(Advice(
        "parallelism",
        "More tasks in stages that leave slots empty: more partitions",
        saved(faster),
        upperBound = true,
        s"If the work of these stages could be cut into a task for each slot of the executors that were there. Most: $text.",
        stages,
        Nil,
        "parallelism"
      ))
    }
  }

  private def localityWait: Seq[Advice] = {
    val waited = LocalityWait.of(trace)
    if (waited.isEmpty) Nil
    else {
      val elsewhere = scenarios.anywhere(waited)
      val (stages, text) = most(s => (scenarios.recorded.stageMicros(s) - elsewhere.stageMicros(s)) / 1e6, "s")
      Seq(Advice(
        "localityWait",
        "Less waiting for executors near the data while others idle: a shorter spark.locality.wait; for reducers spark.shuffle.reduceLocality.enabled=false",
        saved(elsewhere),
        upperBound = true,
        s"${waited.cardinality} tasks waited for executors of certain machines; elsewhere they may read more through the network. Most: $text.",
        stages,
        waited.stream.toArray.toSeq.sortBy(r => (-trace.lanes.idleMillis(r), r)).take(5).map(tasks.taskId(_)),
        "locality-wait"
      ))
    }
  }

  private def lostWork: Seq[Advice] = {
    val lost = trace.byLaunch.filter(work.isSpared)
    if (lost.isEmpty) Nil
    else {
      val faster = scenarios.shorter((row, millis) => if (work.isSpared(row)) 0L else millis * 1000L)
      val (stages, text) =
        most(s => trace.tasksOfStage(s).iterator.filter(work.isSpared).map(tasks.durationMillis(_) / 1e3).sum, "s")
      Seq(Advice(
        "workLost",
        "Attempts that failed, were killed, or computed lost output again: find out why",
        saved(faster),
        upperBound = false,
        f"${lost.length} attempts, ${lost.iterator.map(tasks.durationMillis(_).toLong).sum / 1e3}%.1f s of task time. Most: $text.",
        stages,
        lost.toSeq.take(5).map(tasks.taskId(_)),
        "work-lost"
      ))
    }
  }

  private def driverTime: Seq[Advice] = {
    val isBegun = trace.window.exists(w => w.fromMillis > w.originMillis) // before the first task others ran
    val startup = if (isBegun) 0 else driver.beforeFirstTaskSeconds
    val isOver = trace.window.forall(_.isLast) // no task ran after the last one
    val between = driver.seconds - startup - (if (isOver) driver.afterLastTaskSeconds else 0)
    val longest = driver.longest
      .filter(g => g.inJob.isDefined || g.afterJob.isDefined && g.beforeJob.isDefined).take(3).map(g =>
        f"${g.seconds}%.1f s at ${g.fromSeconds}%.1f s"
      ).mkString(", ")
    Seq(
      Advice(
        "driver",
        "No task ran between the first and the last one: the driver computed, planned, listed files, collected results, waited for executors or its user",
        between,
        upperBound = true,
        s"Longest: $longest.",
        Nil,
        Nil,
        "driver-only"
      ),
      Advice(
        "startup",
        "No task ran before the first job: start-up, executors not there yet, reading of metadata",
        startup,
        upperBound = true,
        "From the start of the application to its first task.",
        Nil,
        Nil,
        "driver-only"
      )
    )
  }
}
