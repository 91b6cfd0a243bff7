package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.trace.{TaskStart, Tasks, Timing, TraceBuilder}

/** Task events: nearly all bytes of a log. Fields that a version of Spark does not write stay zero. */
private[log] final class TaskEvents(c: JsonCursor, builder: TraceBuilder) {
  import TaskEvents._
  private val tasks = builder.tasks

  // "Task Info" of the event being read
  private var taskId, launch, finish, gettingResult = 0L
  private var index, attempt, executor, locality = 0
  private var speculative, failed, killed = false

  def start(): Unit = {
    var stage = 0
    var stageAttempt = 0
    var key = c.nextKey(eventKeys)
    while (key != Keys.End) {
      key match {
        case StageId => stage = c.long().toInt
        case StageAttemptId => stageAttempt = c.long().toInt
        case Info => info(-1)
        case _ => c.skip()
      }
      key = c.nextKey(eventKeys)
    }
    builder.taskStarted(
      TaskStart(taskId, builder.stageRow(stage, stageAttempt), index, attempt, executor, launch, locality, speculative)
    )
  }

  def end(): Unit = {
    val row = tasks.append()
    try end(row)
    catch { case e: Throwable => tasks.removeLast(); throw e }
    builder.taskEnded(row)
  }

  private def end(row: Int): Unit = {
    var stage = 0
    var stageAttempt = 0
    var outcome = -1
    var key = c.nextKey(eventKeys)
    while (key != Keys.End) {
      key match {
        case StageId => stage = c.long().toInt
        case StageAttemptId => stageAttempt = c.long().toInt
        case EndReason => outcome = endReason(row)
        case Info => info(row)
        case ExecutorMetrics => flatObject()
        case Metrics => if (c.enterObject()) metrics(row)
        case _ => c.skip()
      }
      key = c.nextKey(eventKeys)
    }
    if (outcome < 0) outcome = if (killed) Tasks.Killed else if (failed) Tasks.Failed else Tasks.Success
    tasks.taskId(row) = taskId
    tasks.stage(row) = builder.stageRow(stage, stageAttempt)
    tasks.index(row) = index
    tasks.attempt(row) = attempt
    tasks.executor(row) = executor
    tasks.launchMillis(row) = launch
    tasks.durationMillis.saturate(row, finish - launch)
    if (gettingResult > 0) tasks.gettingResultMillis.saturate(row, finish - gettingResult)
    tasks.set(row, outcome | (locality << Tasks.LocalityShift) | (if (speculative) Tasks.Speculative else 0))
  }

  private def endReason(row: Int): Int = {
    if (!c.enterObject()) return -1
    var reason = ""
    var detail = ""
    var key = c.nextKey(reasonKeys)
    while (key != Keys.End) {
      key match {
        case Reason => reason = if (c.accept(success)) "Success" else orEmpty(c.string())
        case ReasonClass | ReasonLoss | ReasonKill => detail = firstLine(c.string())
        case _ => c.skip()
      }
      key = c.nextKey(reasonKeys)
    }
    if (reason == "Success") Tasks.Success
    else {
      tasks.reason(row) = builder.reasonId(if (detail.isEmpty) reason else s"$reason: $detail")
      reason match {
        case "Resubmitted" => Tasks.Resubmitted
        case "TaskKilled" | "TaskCommitDenied" => Tasks.Killed
        case _ => Tasks.Failed
      }
    }
  }

  /** "Task Info"; the accumulators' updates go to `row`, unless it is negative. */
  private def info(row: Int): Unit = {
    taskId = 0; launch = 0; finish = 0; gettingResult = 0
    index = 0; attempt = 0; executor = -1; locality = 0
    speculative = false; failed = false; killed = false
    if (c.enterObject()) {
      var key = c.nextKey(infoKeys)
      while (key != Keys.End) {
        key match {
          case TaskId => taskId = c.long()
          case Index => index = c.long().toInt
          case Attempt => attempt = c.long().toInt
          case Launch => launch = c.long()
          case Executor => executor = builder.executorRow(c.string())
          case Host => if (executor >= 0 && builder.hostUnknown(executor)) builder.host(executor, orEmpty(c.string())) else c.skip()
          case Locality => locality = localityOf()
          case Speculative => speculative = c.boolean()
          case GettingResult => gettingResult = c.long()
          case Finish => finish = c.long()
          case Failed => failed = c.boolean()
          case Killed => killed = c.boolean()
          case Accumulables => accumulables(row)
          case _ => c.skip()
        }
        key = c.nextKey(infoKeys)
      }
    }
    if (executor < 0) executor = builder.executorRow("unknown")
  }

  private def localityOf(): Int = {
    var i = 1
    while (i < localities.length) {
      if (c.accept(localities(i))) return i
      i += 1
    }
    c.skip()
    0
  }

  /** The accumulators make up most of an event, and only SQL's timings are wanted. Where none of those is known, the array is
    * passed by its next ']' if what follows is what Spark writes there: those quotes cannot be inside a JSON string.
    */
  private def accumulables(row: Int): Unit = {
    val start = { c.peek(); c.pos }
    if (builder.timings.isEmpty || row < 0) {
      c.seek(']')
      if (c.at(afterAccumulables)) { c.pos += 1; return }
      c.pos = start
    }
    if (c.enterArray()) while (c.nextElement()) accumulable(row)
  }

  private def accumulable(row: Int): Unit = {
    if (!c.enterObject()) return
    var timing: Timing = null
    var update = 0L
    var key = c.nextKey(accumulableKeys)
    while (key != Keys.End) {
      key match {
        case AccumulableId =>
          val id = c.long()
          timing = if (row < 0) null else builder.timings.getOrNull(id)
        case Update if timing != null => update = c.long()
        case _ => c.skip()
      }
      key = c.nextKey(accumulableKeys)
    }
    if (timing != null) {
      val column = if (timing.column == Timing.Scan) tasks.scanNanos else tasks.pythonNanos
      column(row) = column(row) + update * timing.nanosPerUnit
    }
  }

  /** Passes an object that holds numbers only. */
  private def flatObject(): Unit = {
    val start = c.pos
    c.seek('}')
    if (c.at(afterExecutorMetrics)) c.pos += 1
    else { c.pos = start; c.skip() }
  }

  private def metrics(row: Int): Unit = {
    var key = c.nextKey(metricKeys)
    while (key != Keys.End) {
      key match {
        case DeserializeTime => tasks.deserializeMillis.saturate(row, c.long())
        case RunTime => tasks.runMillis.saturate(row, c.long())
        case CpuTime => tasks.cpuNanos(row) = c.long(); tasks.set(row, Tasks.CpuLogged)
        case GcTime => tasks.gcMillis.saturate(row, c.long())
        case ResultSerializeTime => tasks.resultSerializeMillis.saturate(row, c.long())
        case MemorySpilled => tasks.memorySpilledBytes(row) = c.long()
        case DiskSpilled => tasks.diskSpilledBytes(row) = c.long()
        case ShuffleRead | ShuffleWrite | Input | Output => if (c.enterObject()) group(row)
        case _ => c.skip()
      }
      key = c.nextKey(metricKeys)
    }
  }

  /** One of the nested metric groups; no key stands in two of them. */
  private def group(row: Int): Unit = {
    var key = c.nextKey(metricKeys)
    while (key != Keys.End) {
      key match {
        case RemoteBytes => tasks.shuffleRemoteBytes(row) = c.long()
        case LocalBytes => tasks.shuffleLocalBytes(row) = c.long()
        case FetchWait => tasks.fetchWaitMillis.saturate(row, c.long())
        case RecordsShuffled => tasks.shuffleRecords(row) = c.long()
        case WriteBytes => tasks.shuffleWriteBytes(row) = c.long()
        case WriteTime => tasks.shuffleWriteNanos(row) = c.long()
        case InputBytes => tasks.inputBytes(row) = c.long()
        case InputRecords => tasks.inputRecords(row) = c.long()
        case OutputBytes => tasks.outputBytes(row) = c.long()
        case _ => c.skip()
      }
      key = c.nextKey(metricKeys)
    }
  }
}

private[log] object TaskEvents {
  private final val StageId = 1
  private final val StageAttemptId = 2
  private final val EndReason = 3
  private final val Info = 4
  private final val ExecutorMetrics = 5
  private final val Metrics = 6
  private val eventKeys = new Keys(
    StageId -> "Stage ID",
    StageAttemptId -> "Stage Attempt ID",
    EndReason -> "Task End Reason",
    Info -> "Task Info",
    ExecutorMetrics -> "Task Executor Metrics",
    Metrics -> "Task Metrics"
  )

  private final val Reason = 1
  private final val ReasonClass = 2
  private final val ReasonLoss = 3
  private final val ReasonKill = 4
  private val reasonKeys =
    new Keys(Reason -> "Reason", ReasonClass -> "Class Name", ReasonLoss -> "Loss Reason", ReasonKill -> "Kill Reason")

  private final val TaskId = 1
  private final val Index = 2
  private final val Attempt = 3
  private final val Launch = 4
  private final val Executor = 5
  private final val Host = 6
  private final val Locality = 7
  private final val Speculative = 8
  private final val GettingResult = 9
  private final val Finish = 10
  private final val Failed = 11
  private final val Killed = 12
  private final val Accumulables = 13
  private val infoKeys = new Keys(
    TaskId -> "Task ID",
    Index -> "Index",
    Attempt -> "Attempt",
    Launch -> "Launch Time",
    Executor -> "Executor ID",
    Host -> "Host",
    Locality -> "Locality",
    Speculative -> "Speculative",
    GettingResult -> "Getting Result Time",
    Finish -> "Finish Time",
    Failed -> "Failed",
    Killed -> "Killed",
    Accumulables -> "Accumulables"
  )

  private final val AccumulableId = 1
  private final val Update = 2
  private val accumulableKeys = new Keys(AccumulableId -> "ID", Update -> "Update")

  private final val DeserializeTime = 1
  private final val RunTime = 2
  private final val CpuTime = 3
  private final val GcTime = 4
  private final val ResultSerializeTime = 5
  private final val MemorySpilled = 6
  private final val DiskSpilled = 7
  private final val ShuffleRead = 8
  private final val ShuffleWrite = 9
  private final val Input = 10
  private final val Output = 11
  private final val RemoteBytes = 12
  private final val LocalBytes = 13
  private final val FetchWait = 14
  private final val RecordsShuffled = 15
  private final val WriteBytes = 16
  private final val WriteTime = 17
  private final val InputBytes = 18
  private final val InputRecords = 19
  private final val OutputBytes = 20
  private val metricKeys = new Keys(
    DeserializeTime -> "Executor Deserialize Time",
    RunTime -> "Executor Run Time",
    CpuTime -> "Executor CPU Time",
    GcTime -> "JVM GC Time",
    ResultSerializeTime -> "Result Serialization Time",
    MemorySpilled -> "Memory Bytes Spilled",
    DiskSpilled -> "Disk Bytes Spilled",
    ShuffleRead -> "Shuffle Read Metrics",
    ShuffleWrite -> "Shuffle Write Metrics",
    Input -> "Input Metrics",
    Output -> "Output Metrics",
    RemoteBytes -> "Remote Bytes Read",
    LocalBytes -> "Local Bytes Read",
    FetchWait -> "Fetch Wait Time",
    RecordsShuffled -> "Total Records Read",
    WriteBytes -> "Shuffle Bytes Written",
    WriteTime -> "Shuffle Write Time",
    InputBytes -> "Bytes Read",
    InputRecords -> "Records Read",
    OutputBytes -> "Bytes Written"
  )

  private val success = "Success".getBytes(UTF_8)
  private val localities = pellucid.trace.Tasks.LocalityNames.map(_.getBytes(UTF_8))
  private val afterAccumulables = "]},\"Task ".getBytes(UTF_8)
  private val afterExecutorMetrics = "},\"Task Metrics\":".getBytes(UTF_8)

  def orEmpty(text: String): String = if (text == null) "" else text
  def firstLine(text: String): String = orEmpty(text).linesIterator.nextOption().getOrElse("").take(200)
}
