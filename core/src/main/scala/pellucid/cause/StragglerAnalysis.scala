package pellucid.cause

import java.util.BitSet

import scala.collection.mutable

import pellucid.report.{CauseShare, LongTask, SlowNode, Stragglers}
import pellucid.trace.{Tasks, Trace}

/** Stragglers of every stage, and what explains each. */
final class StragglerAnalysis(trace: Trace) {
  import StragglerAnalysis._
  private val tasks = trace.tasks

  val slowNodes: SlowNodes = SlowNodes.of(trace, trace.stages.indices.iterator.map(new StageTasks(trace, _)))

  /** By task row, the time the task would take at its stage's median rate, in microseconds (see [[StageTasks.atMedianRate]]);
    * [[Long.MaxValue]] where it is no slower than that.
    */
  val atMedianMicros: Array[Long] = Array.fill(tasks.size)(Long.MaxValue)

  /** By position in [[Cause.all]], the task rows of the stragglers that it explains. */
  val explainedBy: IndexedSeq[BitSet] = Cause.all.map(_ => new BitSet).toIndexedSeq

  /** Speculative copies of tasks that were slower than their stage's median, and would have had none otherwise. */
  private val copies = new BitSet

  /** Microseconds of an attempt in an application without stragglers. */
  def noStraggler(row: Int, millis: Int): Long =
    if (copies.get(row)) 0 else math.min(millis * 1000L, atMedianMicros(row))

  def causesOf(row: Int): Seq[Cause] = Cause.all.indices.filter(explainedBy(_).get(row)).map(Cause.all(_))

  val stages: IndexedSeq[StageStragglers] = trace.stages.indices.map(analyse)

  /** Of the whole application. */
  lazy val total: Stragglers = summary(stages.iterator)
  def of(stage: Int): Stragglers = summary(Iterator(stages(stage)))

  private def analyse(s: Int): StageStragglers = {
    val stage = new StageTasks(trace, s)
    val out = new StageStragglers(stage.medianDuration / 1e3)
    var i = 0
    while (i < stage.size) {
      if (stage.rates(i) > stage.medianRate)
        atMedianMicros(stage.rows(i)) = (stage.atMedianRate(i) * 1000).toLong
      i += 1
    }
    speculated(stage)
    if (!stage.stragglers.isEmpty) {
      val explained = new BitSet
      for (c <- Cause.all.indices) {
        val by = Cause.all(c).explains(stage, slowNodes)
        explained.or(by)
        by.stream.forEach { i =>
          explainedBy(c).set(stage.rows(i))
          out.causeTasks(c) += 1
          out.causeExcess(c) += stage.excess(i) / 1e3
        }
      }
      out.count = stage.stragglers.cardinality
      out.explained = explained.cardinality
      stage.stragglers.stream.forEach { i => out.excess += stage.excess(i) / 1e3 }
    }
    out
  }

  /** A task that its copy overtook is none of the stage's successful ones, but was slow: it had to read what the copy read. */
  private def speculated(stage: StageTasks): Unit = {
    val (copying, others) = trace.tasksOfStage(stage.stage).partition(tasks.is(_, Tasks.Speculative))
    if (copying.nonEmpty) {
      val position = stage.rows.zipWithIndex.toMap
      val ofIndex = others.groupBy(tasks.index(_))
      for {
        copy <- copying
        copied <- ofIndex.getOrElse(tasks.index(copy), Array.empty)
        if tasks.launchMillis(copied) <= tasks.launchMillis(copy) &&
          tasks.finishMillis(copied) > tasks.launchMillis(copy)
      } {
        for (i <- position.get(copy) if stage.atMedianRate(i) < tasks.durationMillis(copied))
          atMedianMicros(copied) = (stage.atMedianRate(i) * 1000).toLong
        if (atMedianMicros(copied) != Long.MaxValue) copies.set(copy)
      }
    }
  }

  private def summary(of: Iterator[StageStragglers]): Stragglers = {
    val sum = new StageStragglers(0)
    of.foreach { s =>
      sum.count += s.count
      sum.explained += s.explained
      sum.excess += s.excess
      for (c <- Cause.all.indices) {
        sum.causeTasks(c) += s.causeTasks(c)
        sum.causeExcess(c) += s.causeExcess(c)
      }
    }
    val shares = Cause.all.indices
      .filter(sum.causeTasks(_) > 0)
      .map(c => CauseShare(Cause.all(c).key, Cause.all(c).label, sum.causeTasks(c), sum.causeExcess(c)))
    Stragglers(sum.count, sum.explained, sum.excess, shares.sortBy(-_.excessSeconds))
  }

  /** The longest task attempts, each with why. */
  def longest(count: Int): Seq[LongTask] = {
    val queue = mutable.PriorityQueue.empty[(Int, Int)](Ordering.by { case (millis, row) => (-millis, row) })
    for (row <- trace.byLaunch) {
      queue += ((tasks.durationMillis(row), row))
      if (queue.size > count) queue.dequeue()
    }
    queue.toSeq.sortBy { case (millis, row) => (-millis, row) }.map { case (_, row) =>
      val stage = trace.stages(tasks.stage(row))
      LongTask(
        tasks.taskId(row),
        stage.id,
        stage.attempt,
        tasks.index(row),
        trace.host(row),
        trace.executors(tasks.executor(row)).id,
        tasks.durationMillis(row) / 1e3,
        stages(tasks.stage(row)).medianSeconds,
        tasks.readBytes(row),
        reason(row)
      )
    }
  }

  private def reason(row: Int): String = {
    val stage = stages(tasks.stage(row))
    val seconds = tasks.durationMillis(row) / 1e3
    if (tasks.outcome(row) == Tasks.Running)
      if (tasks.finishMillis(row) < trace.endMillis) "its end is not in the log" else "still running when the log ends"
    else if (!tasks.succeeded(row)) trace.reasons(tasks.reason(row))
    else if (causesOf(row).nonEmpty) causesOf(row).map(_.label).mkString(", ")
    else if (seconds <= StageTasks.Slow * stage.medianSeconds) "as long as the stage's others"
    else if (atMedianMicros(row) >= seconds * 1e6 / StageTasks.Slow) "input skew: reads more than the others"
    else "straggler, unexplained by what is logged"
  }

  def slowNodeResults: Seq[SlowNode] =
    slowNodes.hosts.toSeq.map { case (host, h) => SlowNode(host, h.slowdown, h.stages, h.tasks) }.sortBy(-_.slowdown)
}

object StragglerAnalysis {
  final class StageStragglers(val medianSeconds: Double) {
    var count, explained = 0
    var excess = 0.0
    val causeTasks = new Array[Int](Cause.all.size)
    val causeExcess = new Array[Double](Cause.all.size)
  }
}
