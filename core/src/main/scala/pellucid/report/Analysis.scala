package pellucid.report

import pellucid.advice.Advisor
import pellucid.blocked.{Blockage, BlockedTime, Scenarios}
import pellucid.breakdown.Sums
import pellucid.cause.StragglerAnalysis
import pellucid.demand.{CriticalPath, Machines, Monotasks, Paths, Use}
import pellucid.lost.Lost
import pellucid.trace.Trace

/** Runs every analysis on a trace. */
object Analysis {
  final val SchemaVersion = 1
  private final val LongestTasks = 10

  def report(trace: Trace): Report = {
    val tasks = trace.tasks
    val blockage = new Blockage.All(trace)
    val sums = blockage.sums
    val total = Analysis.sum(sums)
    val scenarios = new Scenarios(trace)
    val stragglers = new StragglerAnalysis(trace)
    val noStragglers = scenarios.shorter(stragglers.noStraggler)
    val blocked = new BlockedTime(scenarios, blockage, noStragglers)
    val seconds = (trace.endMillis - trace.startMillis) / 1e3
    val completion = blocked.application(seconds)
    val driver = Use.driverOnly(trace)
    val cores = Use.cores(trace)
    val schedule = scenarios.schedule
    val lost = new Lost(trace)
    val monotasks = new Monotasks(trace)
    val jobsOfSql = trace.jobs.groupMap(_.sqlExecution)(_.id)
    val sqlNames = trace.sql.iterator.map(q => q.id -> q.description).toMap
    val there = if (trace.window.isEmpty) trace.executors.indices else trace.executorsThere

    Report(
      SchemaVersion,
      Application(
        trace.application.id,
        trace.application.name,
        trace.application.user,
        trace.application.sparkVersion,
        trace.originMillis,
        seconds,
        trace.intake.ended,
        there.size,
        there.iterator.map(trace.executors(_).host).toSet.size,
        Use.atOnce(trace, there, trace.lanes.count(_)),
        trace.jobs.size,
        trace.stages.size,
        trace.byLaunch.length,
        trace.application.properties
      ),
      IntakeSummary(
        trace.intake.lines,
        trace.intake.bytes,
        trace.intake.malformedLines,
        trace.intake.malformedExamples,
        trace.intake.unknownEvents,
        trace.intake.truncated,
        trace.intake.notes
      ),
      trace.window.map(w => TimeWindow(trace.secondsSinceOrigin(w.fromMillis), trace.secondsSinceOrigin(w.toMillis))),
      total.breakdown,
      Paths.sampled(trace),
      completion,
      BlockedTime.error(trace, scenarios.recorded),
      stragglers.total,
      total.demand,
      cores,
      driver,
      CriticalPath.ofApplication(schedule),
      lost.result,
      new Advisor(trace, scenarios, stragglers, blockage, total, completion, driver, lost).advice,
      stragglers.longest(LongestTasks),
      stragglers.slowNodeResults,
      Paths.of(trace),
      Machines.of(trace),
      monotasks.use,
      trace.sql.map { q =>
        val end = if (q.endMillis > 0) q.endMillis else trace.endMillis
        SqlQuery(
          q.id,
          q.description,
          trace.secondsSinceOrigin(q.startMillis),
          (end - q.startMillis) / 1e3,
          jobsOfSql.getOrElse(Some(q.id), Nil),
          q.failure
        )
      },
      trace.jobs.indices.map { j =>
        val job = trace.jobs(j)
        val sum = Analysis.sum(schedule.stagesOfJob(j).map(sums(_)))
        val recorded = ((if (job.ended) job.completionMillis else trace.endMillis) - job.submissionMillis) / 1e3
        Job(
          job.id,
          job.description.orElse(job.sqlExecution.flatMap(sqlNames.get)),
          job.sqlExecution,
          trace.secondsSinceOrigin(job.submissionMillis),
          recorded,
          job.ended,
          job.failure,
          job.stageIds.toSeq,
          CriticalPath.ofJob(schedule, j).map(trace.stages(_).id),
          sum.breakdown,
          blocked.job(j, recorded),
          sum.demand
        )
      },
      trace.stages.indices.map { s =>
        val stage = trace.stages(s)
        val job = Some(schedule.stageJob(s)).filter(_ >= 0).map(trace.jobs(_))
        val recorded = (schedule.stageCompleted(s) - schedule.stageSubmitted(s)) / 1e6
        val uses = monotasks.ofStages.getOrElse(s, Nil)
        Stage(
          stage.id,
          stage.attempt,
          stage.name,
          job.flatMap(j => j.description.orElse(j.sqlExecution.flatMap(sqlNames.get))),
          job.flatMap(_.sqlExecution),
          stage.jobs.iterator.map(trace.jobs(_).id).toSeq,
          stage.parentIds.toSeq,
          trace.secondsOfReplay(schedule.stageSubmitted(s)),
          recorded,
          stage.ended,
          stage.failure,
          stage.numTasks,
          quantiles(trace.tasksOfStage(s).map(tasks.durationMillis(_))),
          sums(s).breakdown,
          blocked.stage(s, recorded),
          stragglers.of(s),
          sums(s).demand,
          uses,
          Monotasks.bottleneck(uses)
        )
      }
    )
  }

  private def sum(parts: Iterable[Sums]): Sums = {
    val out = new Sums
    parts.foreach(out.add)
    out
  }

  private def quantiles(millis: Array[Int]): Quantiles = {
    java.util.Arrays.sort(millis)
    def at(q: Double) = if (millis.isEmpty) 0.0 else millis(((millis.length - 1) * q).round.toInt) / 1e3
    Quantiles(at(0), at(0.25), at(0.5), at(0.75), at(1))
  }
}
