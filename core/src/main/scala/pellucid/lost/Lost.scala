package pellucid.lost

import scala.collection.mutable

import pellucid.report.{LostAttempts, LostExecutor, WorkLost}
import pellucid.trace.{Tasks, Trace}

/** Work that was done and not used: failed and killed attempts, and successful ones whose output was lost and computed again. Where that was lost when its
  * stage had ended, Spark runs the stage once more for it, and what this takes is what was lost.
  */
final class Lost(trace: Trace) {
  private val tasks = trace.tasks

  /** Attempts of stages of which one before had ended well. */
  private val again: Set[Int] = trace.stages.indices.groupBy(trace.stages(_).id).valuesIterator.flatMap { attempts =>
    attempts.sortBy(trace.stages(_).attempt).dropWhile(!endedWell(_)).drop(1)
  }.toSet
  private def endedWell(stage: Int) = trace.stages(stage).ended && trace.stages(stage).failure.isEmpty

  def kind(row: Int): Option[String] = tasks.outcome(row) match {
    case Tasks.Failed => Some("failed")
    case Tasks.Killed => Some(if (tasks.is(row, Tasks.Speculative)) "speculative copy, killed" else "killed")
    case Tasks.Resubmitted => Some("succeeded, output lost")
    case _ => Option.when(again(tasks.stage(row)))("computed again, output lost")
  }

  /** Of a stage and a task's index, when the attempt was launched whose output was lost while the stage ran. */
  private val lostOutput = (0 until tasks.size).filter(tasks.outcome(_) == Tasks.Resubmitted)
    .groupMapReduce(of)(tasks.launchMillis(_))(math.min)
  private def of(row: Int) = (tasks.stage(row), tasks.index(row))

  /** Whether there would have been no such run if nothing had been lost: of output that was lost while its stage ran, the one that computed it again. */
  def isSpared(row: Int): Boolean =
    kind(row).isDefined || tasks.succeeded(row) && lostOutput.get(of(row)).exists(_ < tasks.launchMillis(row))

  def result: WorkLost = {
    val counts = mutable.LinkedHashMap.empty[(String, Int), (Int, Double)]
    for (row <- 0 until tasks.size) {
      kind(row).foreach { kind =>
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
      trace.executors.filter(e =>
        e.removedMillis > 0 &&
          trace.window.forall(w => e.removedMillis >= w.fromMillis && e.removedMillis <= w.toMillis)
      ).map { e =>
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

  /** Given back by the application itself, not lost: what Spark's own messages say. Before 3.4 they do not say who decommissioned it. */
  private def released(reason: String): Boolean =
    reason.contains("killed by driver") || reason.contains("explicit termination request") ||
      reason.contains("Executor decommission: spark scale down") ||
      reason == "Executor decommission." &&
      trace.application.properties.get("spark.dynamicAllocation.enabled").contains("true")
}
