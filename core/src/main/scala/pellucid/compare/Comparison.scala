package pellucid.compare

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import pellucid.breakdown.Phase
import pellucid.report.{Report, Stage}

/** Two runs of the same jobs side by side: before and after a change, say. Durations are seconds.
  *
  * Stages match by name, by their turn (the third "count at Shop.scala:12" of one run is the other's third) and by attempt.
  *
  * @param phases task time by phase, of those that either run has
  * @param stages that both ran, the most changed first
  * @param onlyBefore stages without a match, by name, and so [[onlyAfter]]
  */
final case class Comparison(
    schemaVersion: Int,
    before: Side,
    after: Side,
    phases: Seq[PhasePair],
    stages: Seq[StagePair],
    onlyBefore: Seq[String],
    onlyAfter: Seq[String]
)

final case class Side(id: String, name: String, seconds: Double, stageSeconds: Double, tasks: Int, taskSeconds: Double)

final case class PhasePair(phase: String, beforeSeconds: Double, afterSeconds: Double)

/** `bound`: the resource with the longest ideal time of a stage that ran as monotasks, else the phase with most of its task time. */
final case class StagePair(
    name: String,
    beforeId: Int,
    afterId: Int,
    beforeSeconds: Double,
    afterSeconds: Double,
    beforeBound: String,
    afterBound: String
)

object Comparison {
  def of(before: Report, after: Report): Comparison = {
    val (had, has) = (turns(before), turns(after))
    val pairs = had.collect { case (key, stage) if has.contains(key) => pair(stage, has(key)) }
    Comparison(
      1,
      side(before),
      side(after),
      Phase.all.map(p => PhasePair(p.key, before.breakdown.phases(p.key), after.breakdown.phases(p.key)))
        .filter(p => p.beforeSeconds > 0 || p.afterSeconds > 0),
      pairs.toSeq.sortBy(p => (-math.abs(p.afterSeconds - p.beforeSeconds), p.beforeId)),
      had.keys.filterNot(has.contains).map(_._1).toSeq.sorted,
      has.keys.filterNot(had.contains).map(_._1).toSeq.sorted
    )
  }

  /** By name, turn and attempt: one run's retry takes no other stage's turn. */
  private def turns(r: Report): Map[(String, Int, Int), Stage] =
    r.stages.groupBy(_.name).flatMap { case (name, stages) =>
      val turn = stages.map(_.id).distinct.sorted.zipWithIndex.toMap
      stages.map(stage => (name, turn(stage.id), stage.attempt) -> stage)
    }

  private def side(r: Report) = Side(
    r.application.id,
    r.application.name,
    r.application.seconds,
    r.stages.map(_.seconds).sum,
    r.application.tasks,
    r.breakdown.taskSeconds
  )

  private def pair(before: Stage, after: Stage) =
    StagePair(before.name, before.id, after.id, before.seconds, after.seconds, bound(before), bound(after))

  private def bound(stage: Stage): String =
    stage.bottleneck.getOrElse {
      val most = Phase.all.maxBy(p => stage.breakdown.phases(p.key))
      if (stage.breakdown.phases(most.key) > 0) most.label else "-"
    }

  private implicit val codec: JsonValueCodec[Comparison] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  def json(comparison: Comparison): Array[Byte] = writeToArray(comparison)
}
