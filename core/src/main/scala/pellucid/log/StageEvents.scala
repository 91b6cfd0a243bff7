package pellucid.log

import scala.collection.mutable.ArrayBuffer

import pellucid.trace.{JobInfo, StageInfo, TraceBuilder}

/** Job and stage events. */
private[log] final class StageEvents(c: JsonCursor, builder: TraceBuilder) {
  import StageEvents._
  import TaskEvents.{firstLine, orEmpty}

  def jobStart(): Unit = {
    var id = 0
    var submitted = 0L
    var stageIds = Array.empty[Int]
    var description, execution: Option[String] = None
    var key = c.nextKey(jobKeys)
    while (key != Keys.End) {
      key match {
        case JobId         => id = c.long().toInt
        case JobSubmission => submitted = c.long()
        case JobStages     => stageIds = ints()
        case Properties    =>
          if (c.enterObject()) {
            var property = c.nextKey(propertyKeys)
            while (property != Keys.End) {
              property match {
                case Description  => description = Option(c.string()).filter(_.nonEmpty)
                case SqlExecution => execution = Option(c.string())
                case _            => c.skip()
              }
              property = c.nextKey(propertyKeys)
            }
          }
        case _ => c.skip()
      }
      key = c.nextKey(jobKeys)
    }
    builder.job(JobInfo(id, submitted, 0, None, stageIds, description, execution.flatMap(_.toLongOption)))
  }

  def jobEnd(): Unit = {
    var id = 0
    var completed = 0L
    var failure: Option[String] = None
    var key = c.nextKey(jobKeys)
    while (key != Keys.End) {
      key match {
        case JobId         => id = c.long().toInt
        case JobCompletion => completed = c.long()
        case JobResult     => failure = jobResult()
        case _             => c.skip()
      }
      key = c.nextKey(jobKeys)
    }
    builder.jobEnd(id, completed, failure)
  }

  private def jobResult(): Option[String] = {
    var failed = false
    var message = ""
    if (c.enterObject()) {
      var key = c.nextKey(jobKeys)
      while (key != Keys.End) {
        key match {
          case Result       => failed = c.string() != "JobSucceeded"
          case JobException =>
            if (c.enterObject()) {
              var inner = c.nextKey(jobKeys)
              while (inner != Keys.End) {
                if (inner == Message) message = firstLine(c.string()) else c.skip()
                inner = c.nextKey(jobKeys)
              }
            }
          case _ => c.skip()
        }
        key = c.nextKey(jobKeys)
      }
    }
    if (failed) Some(if (message.isEmpty) "failed" else message) else None
  }

  /** Stage submitted or completed: both hold the same "Stage Info". */
  def stage(): Unit = {
    var key = c.nextKey(stageKeys)
    while (key != Keys.End) {
      if (key == Info) { if (c.enterObject()) builder.stage(info()) }
      else c.skip()
      key = c.nextKey(stageKeys)
    }
  }

  private def info(): StageInfo = {
    var id, attempt, numTasks = 0
    var name = ""
    var submitted, completed = 0L
    var failure: Option[String] = None
    var parents = Array.empty[Int]
    val rdds = ArrayBuffer.empty[String]
    var key = c.nextKey(stageKeys)
    while (key != Keys.End) {
      key match {
        case StageId    => id = c.long().toInt
        case AttemptId  => attempt = c.long().toInt
        case Name       => name = orEmpty(c.string())
        case NumTasks   => numTasks = c.long().toInt
        case Parents    => parents = ints()
        case Submission => submitted = c.long()
        case Completion => completed = c.long()
        case Failure    => failure = Option(c.string()).map(firstLine)
        case Rdds       => if (c.enterArray()) while (c.nextElement()) rddName(rdds)
        case _          => c.skip()
      }
      key = c.nextKey(stageKeys)
    }
    StageInfo(id, attempt, name, numTasks, parents, submitted, completed, failure, Array.empty, rdds.distinct.toSeq)
  }

  private def rddName(into: ArrayBuffer[String]): Unit =
    if (c.enterObject()) {
      var key = c.nextKey(rddKeys)
      while (key != Keys.End) {
        if (key == RddName) into += orEmpty(c.string()) else c.skip()
        key = c.nextKey(rddKeys)
      }
    }

  private def ints(): Array[Int] = {
    val out = Array.newBuilder[Int]
    if (c.enterArray()) while (c.nextElement()) out += c.long().toInt
    out.result()
  }

  // these tables learn the order of the keys, so each reader has its own
  private val jobKeys = new Keys(
    JobId -> "Job ID",
    JobSubmission -> "Submission Time",
    JobStages -> "Stage IDs",
    Properties -> "Properties",
    JobCompletion -> "Completion Time",
    JobResult -> "Job Result",
    Result -> "Result",
    JobException -> "Exception",
    Message -> "Message"
  )
  private val propertyKeys = new Keys(Description -> "spark.job.description", SqlExecution -> "spark.sql.execution.id")
  private val stageKeys = new Keys(
    Info -> "Stage Info",
    StageId -> "Stage ID",
    AttemptId -> "Stage Attempt ID",
    Name -> "Stage Name",
    NumTasks -> "Number of Tasks",
    Parents -> "Parent IDs",
    Submission -> "Submission Time",
    Completion -> "Completion Time",
    Failure -> "Failure Reason",
    Rdds -> "RDD Info"
  )
  private val rddKeys = new Keys(RddName -> "Name")
}

private[log] object StageEvents {
  private final val JobId = 1
  private final val JobSubmission = 2
  private final val JobStages = 3
  private final val Properties = 4
  private final val JobCompletion = 5
  private final val JobResult = 6
  private final val Result = 7
  private final val JobException = 8
  private final val Message = 9

  private final val Description = 1
  private final val SqlExecution = 2

  private final val Info = 1
  private final val StageId = 2
  private final val AttemptId = 3
  private final val Name = 4
  private final val NumTasks = 5
  private final val Parents = 6
  private final val Submission = 7
  private final val Completion = 8
  private final val Failure = 9
  private final val Rdds = 10

  private final val RddName = 1
}
