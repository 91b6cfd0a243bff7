package pellucid.model

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/** The answers to all changes of [[Axes]], as columns with a number for each, in their order. What ends in `Millis` are milliseconds.
  *
  * @param told        what else asks the command for it, of the recorded machines and the part of the log
  * @param bottlenecks names of resources, by number
  * @param bottleneckMillis by resource, of all stages that it is the bottleneck of: what they are predicted to take
  * @param validations what the lab's comparisons of each kind of change said, and `validation` the number of a change's, -1 where there
  *                    were none; its seconds lie between `lowMillis` and `highMillis` of [[GridApplication]]
  * @param jobs,stages the longest of them, of `jobsInAll` and `stagesInAll`
  */
final case class Grid(
    schemaVersion: Int,
    id: String,
    name: String,
    monotasks: Boolean,
    told: String,
    axes: Seq[Axis],
    configurations: Int,
    application: GridApplication,
    bottlenecks: Seq[String],
    bottleneckMillis: Seq[Array[Long]],
    bounds: Seq[Bound],
    validations: Seq[GridValidation],
    validation: Array[Int],
    jobsInAll: Int,
    jobs: Seq[GridJob],
    stagesInAll: Int,
    stages: Seq[GridStage],
    assumptions: Seq[String]
)

/** What [[Prediction]] has, `seconds` as recorded. */
final case class GridApplication(
    seconds: Double,
    replayNow: Double,
    idealNow: Double,
    replayMillis: Array[Long],
    idealMillis: Array[Long],
    slotsMillis: Array[Long],
    idealNextMillis: Array[Long],
    lowMillis: Array[Long],
    highMillis: Array[Long]
)

/** What [[Validation]] has of all changes alike. */
final case class GridValidation(predictions: Int, medianError: Double, worstError: Double)

final case class GridJob(id: Int, seconds: Double, replayMillis: Array[Long], idealNextMillis: Array[Long])

/** @param bottleneck of each configuration a digit, its number in [[Grid.bottlenecks]]; `-` of a stage without steps */
final case class GridStage(
    id: Int,
    attempt: Int,
    name: String,
    seconds: Double,
    replayMillis: Array[Long],
    idealNextMillis: Array[Long],
    bottleneckNow: String,
    bottleneck: String
)

/** Collects the answers; of different changes they may come from several threads.
  *
  * @param recorded the answer for the machines as they were
  */
final class Grids(axes: Axes, recorded: WhatIf) {
  private val n = axes.changes.size
  private def column() = new Array[Long](n)
  private val replay, ideal, slots, idealNext, low, high = column()
  private val validation = new Array[Option[GridValidation]](n)
  private val assumptions = ConcurrentHashMap.newKeySet[String]
  private val byBottleneck = Resource.all.map(_ => column())

  private val rows = Grids.MostNumbers / (2 * n)
  private val jobs = Grids.longest(recorded.jobs, rows / 2)(_.prediction)
  private val stages = Grids.longest(recorded.stages, rows - jobs.size)(_.prediction)
  private val jobReplay, jobIdealNext = jobs.map(_ => column())
  private val stageReplay, stageIdealNext = stages.map(_ => column())
  private val stageBottleneck = stages.map(_ => new Array[Char](n))

  /** The answer to `axes.changes(i)`. */
  def put(i: Int, answer: WhatIf): Unit = {
    import Grids.millis
    replay(i) = millis(answer.application.replay)
    ideal(i) = millis(answer.application.ideal)
    slots(i) = millis(answer.application.slots)
    idealNext(i) = millis(answer.application.idealNext)
    validation(i) = answer.validation.map(v => GridValidation(v.predictions, v.medianError, v.worstError))
    low(i) = answer.validation.fold(0L)(v => millis(v.low))
    high(i) = answer.validation.fold(0L)(v => millis(v.high))
    answer.assumptions.foreach(assumptions.add)
    for ((resource, sums) <- Resource.all.zip(byBottleneck))
      sums(i) = millis(answer.stages.filter(_.bottleneckNext.contains(resource.name)).map(_.prediction.replay).sum)
    for ((row, j) <- jobs.zipWithIndex) {
      jobReplay(j)(i) = millis(answer.jobs(row).prediction.replay)
      jobIdealNext(j)(i) = millis(answer.jobs(row).prediction.idealNext)
    }
    for ((row, s) <- stages.zipWithIndex) {
      stageReplay(s)(i) = millis(answer.stages(row).prediction.replay)
      stageIdealNext(s)(i) = millis(answer.stages(row).prediction.idealNext)
      stageBottleneck(s)(i) = Grids.digit(answer.stages(row).bottleneckNext)
    }
  }

  def result(told: String): Grid = {
    val application = recorded.application
    val validations = validation.toSeq.flatten.distinct
    Grid(
      1,
      recorded.id,
      recorded.name,
      recorded.monotasks,
      told,
      axes.axes,
      n,
      GridApplication(
        application.seconds,
        application.replayNow,
        application.idealNow,
        replay,
        ideal,
        slots,
        idealNext,
        low,
        high
      ),
      Resource.all.map(_.name),
      byBottleneck,
      recorded.bounds,
      validations,
      validation.map(_.fold(-1)(validations.indexOf(_))),
      recorded.jobs.size,
      jobs.zipWithIndex.map { case (row, j) =>
        GridJob(recorded.jobs(row).id, recorded.jobs(row).prediction.seconds, jobReplay(j), jobIdealNext(j))
      },
      recorded.stages.size,
      stages.zipWithIndex.map { case (row, s) =>
        val stage = recorded.stages(row)
        GridStage(
          stage.id,
          stage.attempt,
          stage.name,
          stage.prediction.seconds,
          stageReplay(s),
          stageIdealNext(s),
          Grids.digit(stage.bottleneckNow).toString,
          new String(stageBottleneck(s))
        )
      },
      recorded.assumptions ++ assumptions.asScala.toSeq.diff(recorded.assumptions).sorted
    )
  }
}

object Grids {

  /** Of jobs and stages, in all columns: what a page can hold, about 3 MB. */
  private final val MostNumbers = 400000

  private def millis(seconds: Double): Long = math.round(seconds * 1e3)

  private def digit(resource: Option[String]): Char =
    resource.fold('-')(name => ('0' + Resource.all.indexWhere(_.name == name)).toChar)

  /** Their rows, in order. */
  private def longest[A](all: Seq[A], most: Int)(prediction: A => Prediction): Seq[Int] =
    all.indices.sortBy(i => (-prediction(all(i)).seconds, i)).take(most).sorted
}

object Grid {
  private implicit val codec: JsonValueCodec[Grid] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))

  def json(grid: Grid): Array[Byte] = writeToArray(grid)
}
