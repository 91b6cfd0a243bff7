package pellucid.compare

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import pellucid.breakdown.Phase
import pellucid.report.{Report, Stage}

/** Two runs of the same jobs side by side: before and after a change, say. Durations are seconds.
  *
  * Stages match by query (the third "count at Shop.scala:12" of one run is the other's third), in it by name and by their turn, and
  * by attempt.
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

/** @param ended whether the log has the application's end; else the times are up to the log's last moment
  * @param notes what else the log lacks, in words
  */
final case class Side(
    id: String,
    name: String,
    seconds: Double,
    stageSeconds: Double,
    tasks: Int,
    taskSeconds: Double,
    ended: Boolean,
    notes: Seq[String]
)

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
    val described = before.stages.map(_.description).toSet.intersect(after.stages.map(_.description).toSet)
    val (had, has) = (turns(before, described), turns(after, described))
    val pairs = had.collect { case (key, stage) if has.contains(key) => pair(stage, has(key)) }
    Comparison(
      1,
      side(before),
      side(after),
      Phase.all.map(p => PhasePair(p.key, before.breakdown.phases(p.key), after.breakdown.phases(p.key)))
        .filter(p => p.beforeSeconds > 0 || p.afterSeconds > 0),
      pairs.toSeq.sortBy(p => (-math.abs(p.afterSeconds - p.beforeSeconds), p.beforeId)),
      had.keys.toSeq.filterNot(has.contains).map(_.name).sorted,
      has.keys.toSeq.filterNot(had.contains).map(_.name).sorted
    )
  }

  /** One run's retry takes no other stage's turn, and one more stage of a query takes no other query's.
    *
    * @param query its description, which both runs have, and its turn among those with the same; None of stages without one
    */
  private final case class Turn(query: Option[(String, Int)], name: String, turn: Int, attempt: Int)

  private def turns(r: Report, described: Set[Option[String]]): Map[Turn, Stage] = {
    val turnOfQuery = r.stages.groupMap(_.description)(_.sqlExecution).transform((_, queries) => ranks(queries))
    def query(s: Stage) =
      s.description.filter(_ => described(s.description)).map(text =>
        (text, turnOfQuery(s.description)(s.sqlExecution))
      )
    r.stages.groupBy(s => (query(s), s.name)).flatMap { case ((query, name), stages) =>
      val turn = ranks(stages.map(_.id))
      stages.map(s => Turn(query, name, turn(s.id), s.attempt) -> s)
    }
  }

  private def ranks[A: Ordering](all: Seq[A]): Map[A, Int] = all.distinct.sorted.zipWithIndex.toMap

  private def side(r: Report) = Side(
    r.application.id,
    r.application.name,
    r.application.seconds,
    r.stages.map(_.seconds).sum,
    r.application.tasks,
    r.breakdown.taskSeconds,
    r.application.ended,
    r.intake.missing
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
