package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import pellucid.trace._

/** The text that Spark's and Shark's `JobLogger` wrote until 2014, with the blocked times that the thesis added
  * (Ousterhout, performance clarity, section 4.2): `KEY=value` pairs, some in milliseconds and some in nanoseconds.
  *
  * Its own time stamps are whole seconds of an unnamed time zone, so jobs and stages get the times of their tasks.
  */
private[log] final class JobLogger(builder: TraceBuilder) extends LogFormat.Reader {
  private val tasks = builder.tasks
  private val stages = mutable.LinkedHashMap.empty[Int, StageInfo]
  private var job: Option[JobInfo] = None
  private var description: Option[String] = None

  def unknownEvents: Map[String, Long] = Map.empty
  def needsLineEnd: Boolean = true

  def line(buf: Array[Byte], from: Int, until: Int): Unit = {
    val text = new String(buf, from, until - from, UTF_8)
    val fields = text.split("\\s+").iterator.filter(_.indexOf('=') > 0).map { pair =>
      val (key, value) = pair.splitAt(pair.indexOf('='))
      key -> value.drop(1)
    }.toMap
    if (fields.contains("TASK_TYPE")) task(fields)
    else if (fields.contains("JOB_ID")) jobStatus(fields)
    else if (fields.contains("STAGE_ID")) stageStatus(fields)
    else if (description.isEmpty && job.isEmpty && stages.isEmpty) description = Some(text.trim)
    else if (!fields.contains("RDD_ID")) throw new Malformed("neither a job, a stage, a task nor an RDD")
  }

  private def task(fields: Map[String, String]): Unit = {
    def number(key: String): Long = fields.get(key).flatMap(_.toLongOption).getOrElse(0L)
    def needed(key: String): Long =
      fields.get(key).flatMap(_.toLongOption).getOrElse(throw new Malformed(s"a task without a number for $key"))
    val id = needed("TID")
    val start = needed("START_TIME")
    val finish = needed("FINISH_TIME")
    val stageId = needed("STAGE_ID").toInt
    val executor = builder.executorRow(fields.getOrElse("EXECUTOR_ID", "unknown"))
    if (builder.hostUnknown(executor)) builder.host(executor, fields.getOrElse("HOST", ""))

    val row = tasks.append()
    tasks.taskId(row) = id
    tasks.stage(row) = builder.stageRow(stageId, 0)
    tasks.index(row) = row
    tasks.executor(row) = executor
    tasks.launchMillis(row) = start
    tasks.durationMillis.saturate(row, finish - start)
    tasks.deserializeMillis.saturate(row, number("EXECUTOR_DESERIALIZE_TIME"))
    tasks.runMillis.saturate(row, number("EXECUTOR_RUN_TIME"))
    tasks.gcMillis.saturate(row, number("GC_TIME"))
    tasks.inputBlockedNanos(row) = number("READ_BLOCKED_TIME") + number("READ_TIME_NANOS")
    tasks.outputBlockedNanos(row) = number("OUTPUT_WRITE_BLOCKED_NANOS")
    tasks.inputBytes(row) = if (fields.contains("INPUT_BYTES_RAW")) number("INPUT_BYTES_RAW") else number("INPUT_BYTES")
    tasks.outputBytes(row) = number("OUTPUT_BYTES")
    tasks.fetchWaitMillis.saturate(row, number("REMOTE_FETCH_WAIT_TIME"))
    tasks.localReadNanos(row) = number("LOCAL_READ_TIME") * 1000000L
    tasks.shuffleRemoteBytes(row) = number("REMOTE_BYTES_READ")
    tasks.shuffleLocalBytes(row) = number("LOCAL_READ_BYTES")
    tasks.shuffleWriteNanos(row) = number("SHUFFLE_WRITE_TIME")
    tasks.shuffleWriteBytes(row) = number("SHUFFLE_BYTES_WRITTEN")
    if (!fields.contains("READ_METHOD") || fields.contains("READ_BLOCKED_TIME") || fields.contains("READ_TIME_NANOS"))
      tasks.set(row, Tasks.InputLogged)
    if (fields.contains("OUTPUT_WRITE_BLOCKED_NANOS")) tasks.set(row, Tasks.OutputLogged)
    fields.get("LOCALITY").map(Tasks.LocalityNames.indexOf(_)).filter(_ > 0)
      .foreach(l => tasks.set(row, l << Tasks.LocalityShift))
    val status = fields.getOrElse("STATUS", "")
    if (status != "SUCCESS") {
      tasks.set(row, Tasks.Failed)
      tasks.reason(row) = builder.reasonId(status)
    }
    builder.taskEnded(row)
    update(stageId) { s =>
      s.copy(
        submissionMillis = if (s.submissionMillis == 0) start else math.min(s.submissionMillis, start),
        completionMillis = math.max(s.completionMillis, finish)
      )
    }
  }

  private def stageStatus(fields: Map[String, String]): Unit = {
    val id = fields("STAGE_ID").toIntOption.getOrElse(throw new Malformed("a stage without a number for STAGE_ID"))
    update(id) { s =>
      s.copy(
        numTasks = fields.get("TASK_SIZE").flatMap(_.toIntOption).getOrElse(s.numTasks),
        parentIds = fields.get("STAGE_DEP").fold(s.parentIds)(numbers)
      )
    }
  }

  /** The stages named since the last job ended are this job's. */
  private def jobStatus(fields: Map[String, String]): Unit = {
    val id = fields("JOB_ID").toIntOption.getOrElse(throw new Malformed("a job without a number for JOB_ID"))
    val status = fields.getOrElse("STATUS", "")
    if (status == "STARTED") {
      builder.ended = false
      job = Some(JobInfo(id, 0, 0, None, Array.empty, description, None))
      builder.job(job.get)
    } else
      job.foreach { j =>
        val started = stages.values.filter(_.submissionMillis > 0)
        if (started.nonEmpty) {
          builder.job(
            j.copy(submissionMillis = started.map(_.submissionMillis).min, stageIds = stages.keys.toArray)
          )
          builder.jobEnd(
            id,
            started.map(_.completionMillis).max,
            if (status.startsWith("SUCCES")) None else Some(status) // the logger itself wrote "SUCCES"
          )
        }
        builder.ended = true // this log is a job's, and has no word for the application's end
        stages.clear()
        job = None
        description = None
      }
  }

  private def update(id: Int)(change: StageInfo => StageInfo): Unit = {
    val old = stages.getOrElse(id, StageInfo(id, 0, s"stage $id", 0, Array.empty, 0, 0, None, Array.empty))
    stages(id) = change(old)
    builder.stage(stages(id))
  }

  private def numbers(text: String): Array[Int] =
    text.filterNot(c => c == '(' || c == ')').split(',').flatMap(_.toIntOption)
}

private[log] object JobLogger extends LogFormat {
  def recognizes(head: String): Boolean = !head.startsWith("{") && head.linesIterator.exists(isStatus)
  def reader(builder: TraceBuilder): LogFormat.Reader = new JobLogger(builder)

  private def isStatus(line: String): Boolean =
    line.contains(" STATUS=") && (line.contains("JOB_ID=") || line.contains("STAGE_ID=")) && !line.contains('{')
}
