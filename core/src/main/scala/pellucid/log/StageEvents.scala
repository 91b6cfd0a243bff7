package pellucid.log

import pellucid.trace.{JobInfo, ShuffleSize, StageInfo, TraceBuilder}

/** Job and stage events. */
private[log] final class StageEvents(c: JsonCursor, builder: TraceBuilder) {
  import StageEvents._
  import TaskEvents.{firstLine, orEmpty}

  def jobStart(): Unit = {
    var id = 0
    var submitted = 0L
    var stageIds = Array.empty[Int]
    val stageTasks = Map.newBuilder[Int, Int]
    var description, execution, pool: Option[String] = None
    c.event(jobKeys) {
      case JobId => id = c.long().toInt
      case JobSubmission => submitted = c.long()
      case JobStages => stageIds = ints()
      case JobStageInfos =>
        c.elements {
          var stageId, numTasks = 0
          c.fields(stageKeys) {
            case StageId => stageId = c.long().toInt
            case NumTasks => numTasks = c.long().toInt
          }
          stageTasks += stageId -> numTasks
          ()
        }
      case Properties =>
        c.fields(propertyKeys) {
          case Description => description = Option(c.string()).filter(_.nonEmpty)
          case SqlExecution => execution = Option(c.string())
          case Pool => pool = Option(c.string())
        }
    }
    val sql = execution.flatMap(_.toLongOption)
    builder.job(JobInfo(id, submitted, 0, None, stageIds, description, sql, stageTasks.result(), pool))
  }

  def jobEnd(): Unit = {
    var id = 0
    var completed = 0L
    var failed = false
    var message = ""
    c.event(jobKeys) {
      case JobId => id = c.long().toInt
      case JobCompletion => completed = c.long()
      case JobResult =>
        c.fields(jobKeys) {
          case Result => failed = c.string() != "JobSucceeded"
          case JobException => c.fields(jobKeys) { case Message => message = firstLine(c.string()) }
        }
    }
    builder.jobEnd(id, completed, if (failed) Some(if (message.isEmpty) "failed" else message) else None)
  }

  /** Stage submitted or completed: both hold the same "Stage Info". */
  def stage(): Unit = {
    var stage: StageInfo = null
    c.event(stageKeys) { case Info => if (c.enterObject()) stage = info() }
    if (stage != null) builder.stage(stage)
  }

  private def info(): StageInfo = {
    var id, attempt, numTasks = 0
    var name = ""
    var submitted, completed = 0L
    var failure: Option[String] = None
    var parents = Array.empty[Int]
    var rowBytes, records, written = 0L
    c.rest(stageKeys) {
      case StageId => id = c.long().toInt
      case AttemptId => attempt = c.long().toInt
      case Name => name = orEmpty(c.string())
      case NumTasks => numTasks = c.long().toInt
      case Parents => parents = ints()
      case Submission => submitted = c.long()
      case Completion => completed = c.long()
      case Failure => failure = Option(c.string()).map(firstLine)
      case Accumulables => c.elements {
          if (c.peek() == '{') {
            var of = Keys.Unknown
            var value = 0L
            c.fields(accumulableKeys) {
              case AccumulableName => of = c.lookup(shuffleSizes); if (of == Keys.Unknown) c.skip()
              case Value if of != Keys.Unknown => // any accumulator may have such a name
                value = math.max(0L, orEmpty(c.string()).toLongOption.getOrElse(0L))
            }
            if (of == RowBytes) rowBytes += value
            else if (of == Records && value > 0) records = value
            else if (of == Written && value > 0) written = value
          } else c.skip()
        }
    }
    val size = Option.when(rowBytes > 0 && written > 0)(ShuffleSize(written, rowBytes + records * BytesOfLength))
    StageInfo(id, attempt, name, numTasks, parents, submitted, completed, failure, Array.empty, size)
  }

  private def ints(): Array[Int] = {
    val out = Array.newBuilder[Int]
    c.elements { out += c.long().toInt; () }
    out.result()
  }

  // these tables learn the order of the keys, so each reader has its own
  private val jobKeys = new Keys(
    JobId -> "Job ID",
    JobSubmission -> "Submission Time",
    JobStages -> "Stage IDs",
    JobStageInfos -> "Stage Infos",
    Properties -> "Properties",
    JobCompletion -> "Completion Time",
    JobResult -> "Job Result",
    Result -> "Result",
    JobException -> "Exception",
    Message -> "Message"
  )
  private val propertyKeys =
    new Keys(
      Description -> "spark.job.description",
      SqlExecution -> "spark.sql.execution.id",
      Pool -> "spark.scheduler.pool"
    )
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
    Accumulables -> "Accumulables"
  )
  private val accumulableKeys = new Keys(AccumulableName -> "Name", Value -> "Value")
  private val shuffleSizes = new Keys(
    RowBytes -> "data size", // of an exchange
    RowBytes -> "data size total (min, med, max)", // before Spark 3.0
    Records -> "internal.metrics.shuffle.write.recordsWritten",
    Written -> "internal.metrics.shuffle.write.bytesWritten"
  )
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
  private final val JobStageInfos = 10

  private final val Description = 1
  private final val SqlExecution = 2
  private final val Pool = 3

  private final val Info = 1
  private final val StageId = 2
  private final val AttemptId = 3
  private final val Name = 4
  private final val NumTasks = 5
  private final val Parents = 6
  private final val Submission = 7
  private final val Completion = 8
  private final val Failure = 9
  private final val Accumulables = 10

  private final val AccumulableName = 1
  private final val Value = 2

  private final val RowBytes = 1
  private final val Records = 2
  private final val Written = 3

  /** That an exchange writes before each row. */
  private final val BytesOfLength = 4
}
