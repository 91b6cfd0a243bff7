package pellucid.cli

import pellucid.report.Report

/** A report reduced to one stage and what concerns it. */
object Zoom {
  def stage(r: Report, id: Int): Report = {
    val stages = r.stages.filter(_.id == id)
    val jobs = stages.flatMap(_.jobs).toSet
    val queries = stages.flatMap(_.sqlExecution).toSet
    val note =
      s"Only stage $id and its jobs are listed; what is said of all tasks and of the application is of all stages."
    r.copy(
      intake = r.intake.copy(notes = note +: r.intake.notes),
      advice = r.advice.filter(_.stages.contains(id)),
      longestTasks = r.longestTasks.filter(_.stageId == id),
      criticalPath = r.criticalPath.copy(steps = r.criticalPath.steps.filter(_.stageId == id)),
      sql = r.sql.filter(q => queries(q.id)),
      jobs = r.jobs.filter(j => jobs(j.id)),
      stages = stages
    )
  }
}
