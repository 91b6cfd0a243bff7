package pellucid.demand

import pellucid.blocked.Schedule
import pellucid.report.{Path, PathStep}

/** The chain of stages that determined when a job, or the application, ended: from its last stage back to the one that each
  * waited for, as recorded.
  */
object CriticalPath {

  /** Stage rows on the job's critical path, first to last. */
  def ofJob(s: Schedule, job: Int): List[Int] = {
    val stages = s.stagesOfJob(job)
    if (stages.isEmpty) Nil else chain(s, stages.maxBy(s.stageCompleted(_)), Nil)
  }

  private def chain(s: Schedule, stage: Int, tail: List[Int]): List[Int] = {
    val parents = s.stageAfter(stage).filter(p => s.stageJob(p) == s.stageJob(stage))
    if (parents.isEmpty) stage :: tail
    else chain(s, parents.maxBy(s.stageCompleted(_)), stage :: tail)
  }

  /** The same through the jobs that waited for each other. */
  def ofApplication(s: Schedule): Path = {
    val steps = stepsOfApplication(s)
    Path(steps.size, steps.iterator.map(_.seconds).sum, steps.iterator.map(_.gapBeforeSeconds).sum, steps)
  }

  private def stepsOfApplication(s: Schedule): Seq[PathStep] = {
    val known = (0 until s.jobs).filter(s.jobCompleted(_) >= 0)
    if (known.isEmpty) return Nil
    var jobs = List.empty[Int]
    var j = known.maxBy(s.jobCompleted(_))
    while (j >= 0) { jobs = j :: jobs; j = s.jobAfter(j).lastOption.getOrElse(-1) }
    var until = 0L
    jobs.flatMap(ofJob(s, _)).map { stage =>
      val gap = math.max(0L, s.stageSubmitted(stage) - until)
      until = math.max(until, s.stageCompleted(stage))
      val info = s.trace.stages(stage)
      PathStep(
        Some(s.stageJob(stage)).filter(_ >= 0).map(s.trace.jobs(_).id),
        info.id,
        info.attempt,
        s.trace.secondsOfReplay(s.stageSubmitted(stage)),
        (s.stageCompleted(stage) - s.stageSubmitted(stage)) / 1e6,
        gap / 1e6
      )
    }
  }
}
