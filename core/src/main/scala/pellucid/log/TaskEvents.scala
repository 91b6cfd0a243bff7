package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.trace.{TaskStart, Tasks, Timing, TraceBuilder}

/** Task events: nearly all bytes of a log. Fields that a version of Spark does not write stay zero. */
private[log] final class TaskEvents(c: JsonCursor, builder: TraceBuilder) {
  import TaskEvents._
  private val tasks = builder.tasks
  private val observedTask = new ObservedTask(builder)

  // "Task Info" of the event being read
  private var taskId, launch, finish, gettingResult = 0L
  private var index, attempt, locality = 0
  private var speculative, failed, killed, hasInfo = false

  /** Row of the executor, or -1 and its id where it is not known yet. */
  private var executor = -1
  private var executorId, host: String = null

  /** What the plugin measured of it, or null. */
  private var observed: String = null

  /** Why the attempt failed, or null. */
  private var reason: String = null

  def start(): Unit = {
    var stage = 0
    var stageAttempt = 0
    hasInfo = false
    var key = c.nextKey(startKeys)
    while (key != Keys.End) {
      key match {
        case StageId => stage = c.long().toInt
        case StageAttemptId => stageAttempt = c.long().toInt
        case Info => info(-1)
        case _ => c.skip()
      }
      key = c.nextKey(startKeys)
    }
    complete()
    builder.taskStarted(
      TaskStart(
        taskId,
        builder.stageRow(stage, stageAttempt),
        index,
        attempt,
        executorRow(),
        launch,
        locality,
        speculative
      )
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
    hasInfo = false
    reason = null
    observed = null
    var key = c.nextKey(eventKeys)
    while (key != Keys.End) {
      key match {
        case StageId => stage = c.long().toInt
        case StageAttemptId => stageAttempt = c.long().toInt
        case EndReason => outcome = endReason()
        case Info => info(row)
        case ExecutorMetrics => flatObject(afterExecutorMetrics)
        case Metrics => if (c.enterObject()) metrics(row)
        case _ => c.skip()
      }
      key = c.nextKey(eventKeys)
    }
    complete()
    if (outcome < 0) outcome = if (killed) Tasks.Killed else if (failed) Tasks.Failed else Tasks.Success
    tasks.taskId(row) = taskId
    tasks.stage(row) = builder.stageRow(stage, stageAttempt)
    tasks.index(row) = index
    tasks.attempt(row) = attempt
    tasks.executor(row) = executorRow()
    if (reason != null) tasks.reason(row) = builder.reasonId(reason)
    tasks.launchMillis(row) = launch
    tasks.durationMillis.saturate(row, finish - launch)
    if (gettingResult > 0) tasks.gettingResultMillis.saturate(row, finish - gettingResult)
    tasks.set(row, outcome | (locality << Tasks.LocalityShift) | (if (speculative) Tasks.Speculative else 0))
    // a task whose output was lost ends once more, with all that was measured of it
    if (observed != null && outcome != Tasks.Resubmitted) observedTask.read(observed, row)
  }

  /** The line holds nothing else and has what an event needs: only now may the builder hear of it. */
  private def complete(): Unit = {
    c.end()
    if (!hasInfo) c.fail("a \"Task Info\" before the end")
  }

  private def endReason(): Int = {
    if (!c.enterObject()) return -1
    var kind = ""
    var detail = ""
    var key = c.nextKey(reasonKeys)
    while (key != Keys.End) {
      key match {
        case Reason => kind = if (c.accept(success)) "Success" else orEmpty(c.string())
        case ReasonClass | ReasonLoss | ReasonKill => detail = firstLine(c.string())
        case _ => c.skip()
      }
      key = c.nextKey(reasonKeys)
    }
    if (kind == "Success") Tasks.Success
    else {
      reason = if (detail.isEmpty) kind else s"$kind: $detail"
      kind match {
        case "Resubmitted" => Tasks.Resubmitted
        case "TaskKilled" | "TaskCommitDenied" => Tasks.Killed
        case _ => Tasks.Failed
      }
    }
  }

  /** "Task Info"; the accumulators' updates go to `row`, unless it is negative. */
  private def info(row: Int): Unit = {
    taskId = 0; launch = 0; finish = 0; gettingResult = 0
    index = 0; attempt = 0; locality = 0
    speculative = false; failed = false; killed = false
    executor = -1; executorId = "unknown"; host = null
    if (c.enterObject()) {
      hasInfo = true
      var key = c.nextKey(infoKeys)
      while (key != Keys.End) {
        key match {
          case TaskId => taskId = c.long()
          case Index => index = c.long().toInt
          case Attempt => attempt = c.long().toInt
          case Launch => launch = c.long()
          case Executor =>
            executor = c.lookup(executors) - 1
            if (executor < 0) executorId = orEmpty(c.string())
          case Host =>
            if (executor < 0 || builder.hostUnknown(executor)) host = orEmpty(c.string()) else c.skip()
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

  private def executorRow(): Int = {
    if (executor < 0) {
      executor = builder.executorRow(executorId)
      executors.put(executorId.getBytes(UTF_8), executor + 1)
    }
    if (host != null && builder.hostUnknown(executor)) builder.host(executor, host)
    executor
  }
  private val executors = new Keys()

  /** The accumulators make up most of an event, and only SQL's timings are wanted. What else stands there is passed by looking
    * for the bytes that Spark writes after it: the quotes in them cannot be inside a JSON string. Anything else is read as the
    * JSON that it is.
    */
  private def accumulables(row: Int): Unit = {
    val start = { c.peek(); c.pos }
    if (builder.timings.isEmpty || row < 0) {
      c.seek(']')
      if (c.at(afterAccumulables)) { c.pos += 1; return }
    } else if (timingsOnly(row)) return
    c.pos = start
    if (row >= 0) {
      tasks.scanNanos(row) = 0
      tasks.pythonNanos(row) = 0
    }
    if (c.enterArray()) while (c.nextElement()) if (c.enterObject()) accumulable(row)
  }

  /** Reads the timings of an array of accumulators; false where it meets what Spark does not write. */
  private def timingsOnly(row: Int): Boolean = {
    c.enterArray()
    while (c.at(accumulableStart)) {
      c.pos += 1
      val inside = c.pos
      c.pos += accumulableStart.length - 1
      if (builder.timings.contains(c.long())) { c.pos = inside; accumulable(row) }
      else { c.seek('}'); c.pos += 1 }
      if (c.at(betweenAccumulables)) c.pos += 1
      else if (c.at(afterAccumulables)) { c.pos += 1; return true }
      else return false
    }
    false
  }

  private def accumulable(row: Int): Unit = {
    var timing: Timing = null
    var update = 0L
    var key = c.nextKey(accumulableKeys)
    while (key != Keys.End) {
      key match {
        case AccumulableId =>
          val id = c.long()
          timing = if (row < 0) null else builder.timings.getOrNull(id)
        case Update if timing == Timing.Observation => observed = c.string()
        case Update if timing != null => update = c.long()
        case _ => c.skip()
      }
      key = c.nextKey(accumulableKeys)
    }
    if (timing != null && timing != Timing.Observation) builder.timed(row, timing, update)
  }

  /** Passes an object that holds numbers only, if `after` follows it. */
  private def flatObject(after: Array[Byte]): Unit = {
    val start = c.pos
    c.seek('}')
    if (c.at(after)) c.pos += 1
    else { c.pos = start; c.skip() }
  }

  /** "Task Metrics" and the groups inside it: no key stands in two of them. */
  private def metrics(row: Int): Unit = {
    var key = c.nextKey(metricKeys)
    while (key != Keys.End) {
      if (key >= FirstBytes) bytesOrNanos(key - FirstBytes)(row) = c.long()
      else if (key >= FirstMillis) millis(key - FirstMillis).saturate(row, c.long())
      else if (key == Group) { if (c.enterObject()) metrics(row) }
      else if (key == CpuTime) { tasks.cpuNanos(row) = c.long(); tasks.set(row, Tasks.CpuLogged) }
      else if (key == PushBased) flatObject(afterPushBased)
      else c.skip()
      key = c.nextKey(metricKeys)
    }
  }

  private val millisByName = Seq(
    "Executor Deserialize Time" -> tasks.deserializeMillis,
    "Executor Run Time" -> tasks.runMillis,
    "JVM GC Time" -> tasks.gcMillis,
    "Result Serialization Time" -> tasks.resultSerializeMillis,
    "Fetch Wait Time" -> tasks.fetchWaitMillis
  )
  private val bytesOrNanosByName = Seq(
    "Memory Bytes Spilled" -> tasks.memorySpilledBytes,
    "Disk Bytes Spilled" -> tasks.diskSpilledBytes,
    "Remote Bytes Read" -> tasks.shuffleRemoteBytes,
    "Local Bytes Read" -> tasks.shuffleLocalBytes,
    "Shuffle Bytes Written" -> tasks.shuffleWriteBytes,
    "Shuffle Write Time" -> tasks.shuffleWriteNanos,
    "Bytes Read" -> tasks.inputBytes,
    "Records Read" -> tasks.inputRecords,
    "Bytes Written" -> tasks.outputBytes
  )
  private val millis = millisByName.map(_._2).toArray
  private val bytesOrNanos = bytesOrNanosByName.map(_._2).toArray

  // these tables learn the order of the keys, so each reader has its own
  private val eventKeys = new Keys(
    StageId -> "Stage ID",
    StageAttemptId -> "Stage Attempt ID",
    EndReason -> "Task End Reason",
    Info -> "Task Info",
    ExecutorMetrics -> "Task Executor Metrics",
    Metrics -> "Task Metrics"
  )
  private val startKeys = new Keys(StageId -> "Stage ID", StageAttemptId -> "Stage Attempt ID", Info -> "Task Info")
  private val reasonKeys =
    new Keys(Reason -> "Reason", ReasonClass -> "Class Name", ReasonLoss -> "Loss Reason", ReasonKill -> "Kill Reason")
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
  private val accumulableKeys = new Keys(AccumulableId -> "ID", Update -> "Update")
  private val metricKeys = new Keys(
    Seq("Shuffle Read Metrics", "Shuffle Write Metrics", "Input Metrics", "Output Metrics").map(Group -> _) ++
      Seq(CpuTime -> "Executor CPU Time", PushBased -> "Push Based Shuffle") ++
      millisByName.zipWithIndex.map { case ((name, _), i) => (FirstMillis + i) -> name } ++
      bytesOrNanosByName.zipWithIndex.map { case ((name, _), i) => (FirstBytes + i) -> name }: _*
  )
}

private[log] object TaskEvents {
  private final val StageId = 1
  private final val StageAttemptId = 2
  private final val EndReason = 3
  private final val Info = 4
  private final val ExecutorMetrics = 5
  private final val Metrics = 6

  private final val Reason = 1
  private final val ReasonClass = 2
  private final val ReasonLoss = 3
  private final val ReasonKill = 4

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

  private final val AccumulableId = 1
  private final val Update = 2

  private final val Group = 1
  private final val CpuTime = 2
  private final val PushBased = 3
  private final val FirstMillis = 16
  private final val FirstBytes = 32

  private val success = "Success".getBytes(UTF_8)
  private val localities = pellucid.trace.Tasks.LocalityNames.map(_.getBytes(UTF_8))
  private val afterAccumulables = "]},\"Task ".getBytes(UTF_8)
  private val accumulableStart = "{\"ID\":".getBytes(UTF_8)
  private val betweenAccumulables = ",{\"ID\":".getBytes(UTF_8)
  private val afterPushBased = "}},\"Shuffle Write Metrics\":".getBytes(UTF_8)
  private val afterExecutorMetrics = "},\"Task Metrics\":".getBytes(UTF_8)

  def orEmpty(text: String): String = if (text == null) "" else text

  /** The first line that says something, as far as 200 characters (whole ones: not half of an emoji). */
  def firstLine(text: String): String = {
    val line = orEmpty(text).linesIterator.map(_.trim).find(_.nonEmpty).getOrElse("")
    line.substring(0, line.offsetByCodePoints(0, math.min(200, line.codePointCount(0, line.length))))
  }
}
