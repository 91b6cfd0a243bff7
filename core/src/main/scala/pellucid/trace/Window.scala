package pellucid.trace

/** Two moments, and the start of the recording that they are a window of.
  *
  * @param isLast whether it reaches the recording's end
  */
final case class Window(originMillis: Long, fromMillis: Long, toMillis: Long, isLast: Boolean)

object Window {

  /** The trace restricted to the tasks, jobs and stages that ran, at least partly, between the two moments. Tasks are whole; jobs, stages and queries begin
    * and end with the window, or with those of its tasks that begin before or end after it.
    */
  def of(trace: Trace, fromMillis: Long, toMillis: Long): Trace = {
    def overlaps(start: Long, end: Long) = start < toMillis && (end == 0 || end > fromMillis)
    val tasks = trace.tasks
    val rows = (0 until tasks.size).filter(r => overlaps(tasks.launchMillis(r), tasks.finishMillis(r))).toArray
    val used = new java.util.BitSet
    rows.foreach(r => used.set(tasks.stage(r)))
    val keptStages = trace.stages.indices
      .filter(s =>
        used.get(s) ||
          (trace.stages(s).submissionMillis > 0 &&
            overlaps(trace.stages(s).submissionMillis, trace.stages(s).completionMillis))
      )
    val keptJobs =
      trace.jobs.indices.filter(j => overlaps(trace.jobs(j).submissionMillis, trace.jobs(j).completionMillis))
    val newStage = keptStages.zipWithIndex.toMap
    val newJob = keptJobs.zipWithIndex.toMap
    val selected = tasks.select(rows)
    for (r <- 0 until selected.size) selected.stage(r) = newStage(selected.stage(r))
    // what was measured by path has no moments: of stages partly outside it is left out
    val attempts = rows.filter(tasks.outcome(_) != Tasks.Resubmitted)
    val whole = attempts.groupMapReduce(tasks.stage(_))(_ => 1)(_ + _)
    val paths = trace.paths.collect {
      case use if whole.get(use.stage).contains(trace.tasksOfStage(use.stage).length) =>
        use.copy(stage = newStage(use.stage))
    }
    val first = rows.foldLeft(fromMillis)((moment, r) => math.min(moment, tasks.launchMillis(r)))
    val last = rows.foldLeft(toMillis)((moment, r) => math.max(moment, tasks.finishMillis(r)))
    def begun(millis: Long) = if (millis > 0) math.max(millis, first) else 0L
    def ended(millis: Long) = math.min(millis, last)
    val from = math.max(fromMillis, trace.startMillis)
    val to = math.min(toMillis, trace.endMillis)
    trace.copy(
      application = trace.application.copy(startMillis = from, endMillis = to),
      jobs = keptJobs.map(trace.jobs(_)).map(job =>
        job.copy(submissionMillis = begun(job.submissionMillis), completionMillis = ended(job.completionMillis))
      ),
      stages = keptStages.map(trace.stages(_)).map(stage =>
        stage.copy(
          submissionMillis = begun(stage.submissionMillis),
          completionMillis = ended(stage.completionMillis),
          jobs = stage.jobs.flatMap(newJob.get(_))
        )
      ),
      sql = trace.sql.filter(q => overlaps(q.startMillis, q.endMillis)).map(q =>
        q.copy(startMillis = begun(q.startMillis), endMillis = ended(q.endMillis))
      ),
      tasks = selected,
      paths = paths,
      machines = machines(trace, from, to),
      monotasks = trace.monotasks.select(rows, from, to),
      window = Some(Window(trace.originMillis, from, to, to == trace.endMillis))
    )
  }

  /** Samples that are partly outside have the middle of the parts that go with time and with that of tasks there: machines do less between tasks than beside
    * them, but what comes with the last ones they still do then.
    */
  private def machines(trace: Trace, from: Long, to: Long): Map[Int, IndexedSeq[MachineSample]] = {
    def isPartly(s: MachineSample) = s.fromMillis < from || s.untilMillis > to
    val inside = trace.machines.map { case (executor, samples) =>
      executor -> samples.filter(s => s.fromMillis < to && s.untilMillis > from)
    }.filter(_._2.nonEmpty)
    val edges = inside.map { case (executor, samples) =>
      executor -> samples.filter(isPartly).map(new Edge(_, from, to))
    }
    for (row <- 0 until trace.tasks.size; edge <- edges.getOrElse(trace.tasks.executor(row), Nil))
      edge.adds(trace.tasks.launchMillis(row), trace.tasks.finishMillis(row))
    inside.map { case (executor, samples) =>
      val parts = edges(executor).iterator
      executor -> samples.map(s => if (isPartly(s)) parts.next().part else s)
    }
  }

  private final class Edge(sample: MachineSample, from: Long, to: Long) {
    private var all, inside = 0L // of tasks
    private def overlap(start: Long, end: Long, a: Long, b: Long) = math.max(0L, math.min(end, b) - math.max(start, a))
    private val (first, last) = (math.max(from, sample.fromMillis), math.min(to, sample.untilMillis))

    def adds(launch: Long, finish: Long): Unit = {
      all += overlap(launch, finish, sample.fromMillis, sample.untilMillis)
      inside += overlap(launch, finish, first, last)
    }

    def part: MachineSample = sample.between(
      first,
      last,
      if (all > 0) (ofTime + inside.toDouble / all) / 2 else ofTime
    )
    private def ofTime = (last - first).toDouble / (sample.untilMillis - sample.fromMillis)
  }
}
