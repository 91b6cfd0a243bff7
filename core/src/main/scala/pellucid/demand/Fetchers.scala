package pellucid.demand

import pellucid.trace.{ServedMonotask, StageInfo, Trace}

/** The stages whose tasks fetched what executors served of their shuffle files, which the log does not name. */
private[demand] final class Fetchers(trace: Trace) {
  private val stages = trace.stages

  /** With the stage's row: of those that ran at the time the one that reads what the block's map stage wrote, or else the last one that was submitted and reads
    * a shuffle; left out where there is none. A later job that skips a map stage knows it by another number.
    */
  def of(served: collection.Seq[ServedMonotask]): collection.Seq[(Int, ServedMonotask)] = {
    val writers = stagesOf(served.iterator.flatMap(_.mapTask).toSet)
    served.flatMap { m =>
      val named = m.mapTask.flatMap(writers.get).flatMap(id => last(readersOf.getOrElse(id, Array.empty), m))
      named.orElse(last(readers, m)).map(_ -> m)
    }
  }

  /** Rows in the order in which they were submitted. */
  private lazy val readers: Array[Int] =
    stages.indices.filter(s => stages(s).parentIds.nonEmpty && stages(s).submissionMillis > 0)
      .sortBy(stages(_).submissionMillis).toArray

  private lazy val readersOf: Map[Int, Array[Int]] =
    readers.toSeq.flatMap(s => stages(s).parentIds.map(_ -> s)).groupMap(_._1)(_._2).map { case (id, of) =>
      id -> of.toArray
    }

  private def last(of: Array[Int], m: ServedMonotask): Option[Int] =
    of.reverseIterator.find(s => ran(stages(s), m.queuedMicros / 1000, m.endMicros / 1000))

  private def ran(stage: StageInfo, from: Long, until: Long) =
    stage.submissionMillis <= until && (!stage.ended || stage.completionMillis >= from)

  /** Ids, by tasks' numbers. */
  private def stagesOf(tasks: Set[Long]): Map[Long, Int] =
    if (tasks.isEmpty) Map.empty
    else (0 until trace.tasks.size).iterator.filter(row => tasks(trace.tasks.taskId(row)))
      .map(row => trace.tasks.taskId(row) -> stages(trace.tasks.stage(row)).id).toMap
}
