package pellucid.model

import pellucid.sched.MonotaskPhase
import pellucid.trace.Trace

/** Map output that is not compressed (`spark.shuffle.compress`), where the log tells how large it is: SQL's exchanges count the bytes of their rows. */
private[model] final class Compression(trace: Trace, work: Work) {

  /** Of each stage, bytes of map output as it wrote them, and not compressed; both 0 where these are not known. */
  private val (written, plain): (Array[Double], Array[Double]) = trace.stages.indices.toArray.map { s =>
    val bytes = trace.tasksOfStage(s).iterator.map(trace.tasks.shuffleWriteBytes(_)).sum.toDouble
    val known = trace.application.compressesShuffles && trace.stages(s).attempt == 0 && bytes > 0
    val all = trace.stages(s).uncompressedShuffleBytes.toDouble
    if (known && all > 0) (bytes, all) else (0.0, 0.0)
  }.unzip

  private val growthOfWritten = trace.stages.indices.map(s => if (written(s) > 0) plain(s) / written(s) else 1.0)

  private val growthOfRead: IndexedSeq[Double] = {
    val ofId = trace.stages.indices.filter(written(_) > 0).map(s => trace.stages(s).id -> s).toMap
    trace.stages.map { stage =>
      val parents = stage.parentIds.flatMap(ofId.get)
      if (parents.isEmpty) 1.0 else parents.map(plain(_)).sum / parents.map(written(_)).sum
    }.toIndexedSeq
  }

  def isKnown: Boolean = written.exists(_ > 0)

  /** How many times as many bytes its shuffle has. */
  def growth(stage: Int, phase: MonotaskPhase): Double = phase match {
    case MonotaskPhase.ShuffleWrite => growthOfWritten(stage)
    case MonotaskPhase.ShuffleRead => growthOfRead(stage)
    case _ => 1
  }

  /** Of the time for which a stage computed, the part that decompressed what it read of shuffles, as samples showed. */
  val cpu: Array[Double] = {
    val seen, all = new Array[Double](trace.stages.size)
    for (use <- trace.paths if use.sampled && use.kind == "decompress") seen(use.stage) += use.micros.toDouble
    for (step <- 0 until work.table.size if work.kind(step) == Resource.Cpu)
      all(trace.tasks.stage(work.table.task(step))) += work.table.serviceMicros(step).toDouble
    val readsInput = trace.stages.indices.map(s => trace.tasksOfStage(s).exists(trace.tasks.inputBytes(_) > 0))
    Array.tabulate(all.length)(s =>
      if (growthOfRead(s) != 1 && !readsInput(s) && all(s) > 0) math.min(1.0, seen(s) / all(s)) else 0.0
    )
  }

  /** In words. */
  def assumed: String = {
    val times = if (written.sum > 0) plain.sum / written.sum else 1.0
    f"map output that is not compressed is $times%.1f times as large, as SQL counts its rows; what compressing it took stays in the prediction, and " +
      "so does decompressing but for what samples of tasks without input showed" +
      (if (
         trace.stages.indices.exists(s =>
           written(s) == 0 && trace.tasksOfStage(s).exists(trace.tasks.shuffleWriteBytes(_) > 0)
         )
       )
         "; of some shuffles the log does not tell, and they stay"
       else "")
  }
}
