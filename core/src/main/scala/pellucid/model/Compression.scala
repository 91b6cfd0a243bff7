package pellucid.model

import pellucid.sched.MonotaskPhase
import pellucid.trace.Trace

/** Map output that is not compressed (`spark.shuffle.compress`), where the log tells how large it is: SQL's exchanges count the bytes of their rows.
  *
  * @param spillsApart what tasks spill is in no step that writes map output
  */
private[model] final class Compression(trace: Trace, work: Work, spillsApart: Boolean) {
  private def sum(stage: Int, of: Int => Long) = trace.tasksOfStage(stage).iterator.map(of).sum.toDouble

  /** Of each stage how many times as large its map output is; 1 where that is not known. */
  private val growths: IndexedSeq[Double] = trace.stages.indices.map { s =>
    trace.stages(s).shuffle.filter(_ => trace.application.compressesShuffles && trace.stages(s).attempt == 0)
      .fold(1.0)(size => size.plain.toDouble / size.written)
  }
  private lazy val wrote: IndexedSeq[Double] = trace.stages.indices.map(sum(_, trace.tasks.shuffleWriteBytes(_)))

  private def mean(stages: Iterable[Int]): Option[Double] = {
    val bytes = stages.map(wrote).sum
    Option.when(bytes > 0)(stages.map(s => wrote(s) * growths(s)).sum / bytes)
  }

  /** Of all that was written. */
  private lazy val all = mean(trace.stages.indices).getOrElse(1.0)

  /** By stages that it has: adaptive execution runs each exchange as a job of its own, and what reads it names a stage that was skipped. */
  private lazy val writersOf: IndexedSeq[Seq[Int]] = {
    val ofId = trace.stages.indices.filter(s => wrote(s) > 0 && trace.stages(s).attempt == 0).map(s =>
      trace.stages(s).id -> s
    ).toMap
    trace.stages.map(_.parentIds.toSeq.flatMap(ofId.get)).toIndexedSeq
  }

  private lazy val growthOfWritten = trace.stages.indices.map { s =>
    val spilled = if (spillsApart) 0.0 else sum(s, trace.tasks.diskSpilledBytes(_))
    if (wrote(s) > 0) 1 + (growths(s) - 1) * wrote(s) / (wrote(s) + spilled) else 1
  }
  private lazy val growthOfRead = writersOf.map(mean(_).getOrElse(all))

  def isKnown: Boolean = growths.exists(_ != 1)

  /** How many times as many bytes its shuffle has. */
  def growth(stage: Int, phase: MonotaskPhase): Double = phase match {
    case MonotaskPhase.ShuffleWrite => growthOfWritten(stage)
    case MonotaskPhase.ShuffleRead => growthOfRead(stage)
    case _ => 1
  }

  private lazy val reads = trace.stages.indices.map(sum(_, trace.tasks.shuffleReadBytes(_)) > 0)

  /** Of the time for which a stage computed, the part that decompressed what it read of shuffles, as samples showed. */
  lazy val cpu: Array[Double] = {
    val part = SampledPart.of(trace, work, Set("decompress"))
    Array.tabulate(part.length)(s =>
      if (reads(s) && growthOfRead(s) != 1 && !SampledPart.readsInput(trace, s)) part(s) else 0.0
    )
  }

  /** In words. */
  def assumed: String =
    f"map output that is not compressed is $all%.1f times as large, as SQL counts its rows; what compressing it took stays in the prediction, and " +
      "so does decompressing but for what samples of tasks without input showed" +
      (if (wrote.indices.exists(s => wrote(s) > 0 && growths(s) == 1))
         "; of some shuffles the log does not tell, and they stay"
       else "") +
      (if (reads.indices.exists(s => reads(s) && writersOf(s).isEmpty))
         "; where the log does not say which shuffle a stage reads, as with adaptive execution, it grows as all do"
       else "")
}
