package pellucid.lost

import scala.collection.mutable

import pellucid.report.{LostAttempts, LostExecutor, WorkLost}
import pellucid.trace.{Tasks, Trace}

/** Work that was done and not used: failed and killed attempts, and successful ones whose output was lost and computed again. */
object Lost {
  def of(trace: Trace): WorkLost = {
    val tasks = trace.tasks
    val counts = mutable.LinkedHashMap.empty[(String, Int), (Int, Double)]
    for (row <- 0 until tasks.size) {
      val kind = tasks.outcome(row) match {
        case Tasks.Failed => "failed"
        case Tasks.Killed => if (tasks.is(row, Tasks.Speculative)) "speculative copy, killed" else "killed"
        case Tasks.Resubmitted => "succeeded, output lost"
        case _ => ""
      }
      if (kind.nonEmpty) {
        val key = (kind, tasks.reason(row))
        val (n, seconds) = counts.getOrElse(key, (0, 0.0))
        counts(key) = (n + 1, seconds + tasks.durationMillis(row) / 1e3)
      }
    }
    val attempts = counts.iterator.map { case ((kind, reason), (n, s)) =>
      LostAttempts(kind, trace.reasons(reason), n, s)
    }.toSeq
    WorkLost(
      attempts.iterator.map(_.seconds).sum,
      attempts.iterator.map(_.tasks).sum,
      attempts.sortBy(-_.seconds),
      trace.executors.filter(_.removedMillis > 0).map { e =>
        LostExecutor(
          e.id,
          e.host,
          trace.secondsSinceOrigin(e.removedMillis),
          e.removedReason,
          released(e.removedReason)
        )
      }
    )
  }

  /** Given back by the application itself, not lost: what Spark's own messages say. */
  private def released(reason: String): Boolean =
    reason.contains("killed by driver") || reason.contains("explicit termination request") ||
      reason.contains("Executor decommission")
}
