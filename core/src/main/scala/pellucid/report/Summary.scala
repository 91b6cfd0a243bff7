package pellucid.report

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/** One log's line in the table of a directory. */
final case class Summary(
    log: String,
    applicationId: String,
    name: String,
    sparkVersion: String,
    seconds: Double,
    ended: Boolean,
    jobs: Int,
    failedJobs: Int,
    tasks: Int,
    taskSeconds: Double,
    bestSavingSeconds: Double,
    bestAdvice: String,
    replayErrorMedian: Double,
    malformedLines: Long
)

object Summary {
  def of(log: String, r: Report): Summary = Summary(
    log,
    r.application.id,
    r.application.name,
    r.application.sparkVersion,
    r.application.seconds,
    r.application.ended,
    r.jobs.size,
    r.jobs.count(_.failure.isDefined),
    r.application.tasks,
    r.breakdown.taskSeconds,
    r.advice.headOption.fold(0.0)(_.savesSeconds),
    r.advice.headOption.fold("")(_.title),
    r.replay.median,
    r.intake.malformedLines
  )

  private implicit val codec: JsonValueCodec[Seq[Summary]] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientDefault(false))
  def json(summaries: Seq[Summary]): Array[Byte] = writeToArray(summaries)
}
