package org.apache.spark.pellucid

import scala.util.control.NonFatal

import org.apache.spark.{SparkFirehoseListener, Success}
import org.apache.spark.scheduler._
import org.apache.spark.util.JsonProtocol

import pellucid.log.{EventReader, ObservedTask}
import pellucid.plugin.Guard
import pellucid.trace._

/** The trace of the running application, of the events that make its event log. Those of tasks, by far the most, go from Spark's
  * objects into the columns; the rest goes through the log's own reader.
  *
  * Beyond `mostTasks` tasks, or what so many may have of stages, jobs and queries, or of monotasks, those that ended first are forgotten, and of a single
  * stage that is larger no more tasks are taken, or no more of their monotasks.
  */
private[spark] final class LiveTrace(sparkVersion: String, mostTasks: Int) extends SparkFirehoseListener {
  import LiveTrace._
  private val guard = new Guard("the live trace")
  private val mostExecutions = math.max(LeastExecutions, mostTasks / TasksOfExecution)
  private val mostMonotasks = (mostTasks.toLong * MonotasksOfTask).min(Int.MaxValue).toInt
  private val builder = new TraceBuilder(MostPaths, MostSamples, mostMonotasks)
  private val reader = new EventReader(builder)
  private val observed = new ObservedTask(builder)
  private var events, notTaken, unreadable = 0L
  private var lookedInVain = -mostTasks.toLong // so many events ago
  private var news = 0
  private var heardNanos = System.nanoTime() // that was news
  builder.application = builder.application.copy(sparkVersion = sparkVersion)

  /** Grows as stages, jobs and the application end, and every ten seconds in which executors tell of their machines. */
  def changes: Int = synchronized(news)

  override def onEvent(event: SparkListenerEvent): Unit = { guard(synchronized(take(event))); () }

  /** What an executor has told of its machine, before the log has it. */
  def hears(told: String): Unit = {
    guard(synchronized {
      read(MachineCounters(Seq(told)))
      val now = System.nanoTime()
      if (now - heardNanos > EveryNanos) { news += 1; heardNanos = now }
    })
    ()
  }

  private def take(event: SparkListenerEvent): Unit = {
    events += 1
    event match {
      case e: SparkListenerTaskStart => started(e)
      case e: SparkListenerTaskEnd =>
        if (isFull) makeRoom()
        if (builder.tasks.size >= mostTasks) { builder.taskGone(e.taskInfo.taskId); notTaken += 1 }
        else if (e.reason == Success && e.taskMetrics != null) ended(e)
        else read(e)
      case _: SparkListenerExecutorMetricsUpdate | _: SparkListenerBlockUpdated | _: SparkListenerStageExecutorMetrics |
          _: SparkListenerUnpersistRDD | _: SparkListenerTaskGettingResult => () // often, and not in a trace
      case _: MachineCounters => () // it has been told of these
      case e =>
        if (builder.executions >= mostExecutions) makeRoom()
        read(e)
    }
    event match {
      case _: SparkListenerStageCompleted | _: SparkListenerJobEnd | _: SparkListenerApplicationEnd => news += 1
      case _ => ()
    }
  }

  /** One that cannot be written or read, of another plugin for example, is left out alone. */
  private def read(event: SparkListenerEvent): Unit =
    if (event.logEvent)
      try reader.event(JsonProtocol.sparkEventToJsonString(event))
      catch { case NonFatal(_) => unreadable += 1 }

  private def started(e: SparkListenerTaskStart): Unit = {
    val info = e.taskInfo
    builder.taskStarted(
      TaskStart(
        info.taskId,
        builder.stageRow(e.stageId, e.stageAttemptId),
        info.index,
        info.attemptNumber,
        executor(info),
        info.launchTime,
        locality(info),
        info.speculative
      )
    )
  }

  private def ended(e: SparkListenerTaskEnd): Unit = {
    val (info, m, t) = (e.taskInfo, e.taskMetrics, builder.tasks)
    val row = t.append()
    t.taskId(row) = info.taskId
    t.stage(row) = builder.stageRow(e.stageId, e.stageAttemptId)
    t.index(row) = info.index
    t.attempt(row) = info.attemptNumber
    t.executor(row) = executor(info)
    t.launchMillis(row) = info.launchTime
    t.durationMillis.saturate(row, info.finishTime - info.launchTime)
    if (info.gettingResultTime > 0) t.gettingResultMillis.saturate(row, info.finishTime - info.gettingResultTime)
    t.set(row, Tasks.Success | Tasks.CpuLogged | (locality(info) << Tasks.LocalityShift))
    if (info.speculative) t.set(row, Tasks.Speculative)

    t.deserializeMillis.saturate(row, m.executorDeserializeTime)
    t.runMillis.saturate(row, m.executorRunTime)
    t.gcMillis.saturate(row, m.jvmGCTime)
    t.resultSerializeMillis.saturate(row, m.resultSerializationTime)
    t.fetchWaitMillis.saturate(row, m.shuffleReadMetrics.fetchWaitTime)
    t.cpuNanos(row) = m.executorCpuTime
    t.memorySpilledBytes(row) = m.memoryBytesSpilled
    t.diskSpilledBytes(row) = m.diskBytesSpilled
    t.shuffleRemoteBytes(row) = m.shuffleReadMetrics.remoteBytesRead
    t.shuffleLocalBytes(row) = m.shuffleReadMetrics.localBytesRead
    t.shuffleWriteBytes(row) = m.shuffleWriteMetrics.bytesWritten
    t.shuffleWriteNanos(row) = m.shuffleWriteMetrics.writeTime
    t.inputBytes(row) = m.inputMetrics.bytesRead
    t.inputRecords(row) = m.inputMetrics.recordsRead
    t.outputBytes(row) = m.outputMetrics.bytesWritten

    if (builder.timings.nonEmpty) info.accumulables.foreach(accumulated(row, _))
    builder.taskEnded(row)
  }

  private def accumulated(row: Int, one: AccumulableInfo): Unit =
    (builder.timings.getOrNull(one.id), one.update) match {
      case (null, _) | (_, None) => ()
      case (Timing.Observation, Some(text)) => observed.read(text.toString, row)
      case (timing, Some(value)) => builder.timed(row, timing, value.toString.toLong)
    }

  private def executor(info: TaskInfo): Int = {
    val row = builder.executorRow(info.executorId)
    if (builder.hostUnknown(row)) builder.host(row, info.host)
    row
  }

  /** In the order of [[Tasks.LocalityNames]]. */
  private def locality(info: TaskInfo): Int = info.taskLocality.id + 1

  private def isFull = builder.tasks.size >= mostTasks || builder.executions >= mostExecutions ||
    builder.monotasks.all >= mostMonotasks / 10 * 9

  /** A stage that goes on keeps its tasks: to look again for each of them would find nothing more to forget. */
  private def makeRoom(): Unit = if (events - lookedInVain >= mostTasks / 10) {
    builder.forgetOldest()
    if (isFull) lookedInVain = events
  }

  /** Up to this moment. */
  def snapshot(): Trace = {
    val (trace, from) = synchronized {
      if (!builder.ended) builder.saw(System.currentTimeMillis())
      val intake = Intake(events, 0, unreadable, Nil, reader.unknownEvents, truncated = false, ended = false, notes)
      (builder.snapshot(intake), builder.completeFromMillis)
    }
    if (from == 0) trace else Window.of(trace, from, Long.MaxValue)
  }

  private def notes: Seq[String] = Seq(
    Option.when(builder.forgottenTasks > 0)(
      f"${builder.forgottenTasks}%,d earlier tasks of ${builder.forgottenTaskMillis / 1e3}%,.0f s are no longer here; " +
        "`pellucid report` on the event log has them"
    ),
    Option.when(notTaken > 0)(
      f"$notTaken%,d tasks beyond $mostTasks%,d are not here (spark.pellucid.ui.mostTasks); `pellucid report` on the event log has them"
    )
  ).flatten
}

private[spark] object LiveTrace {

  // of each of which some kilobytes stay
  private final val TasksOfExecution = 20
  private final val LeastExecutions = 1000
  private final val EveryNanos = 10000000000L
  private final val MonotasksOfTask = 10 // of 60 bytes each

  // some megabytes each
  private final val MostPaths = 20000
  private final val MostSamples = 64
}
