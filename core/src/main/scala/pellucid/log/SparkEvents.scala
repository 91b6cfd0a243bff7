package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import pellucid.trace.TraceBuilder

/** Spark's JSON event log, 1.x to 4.x: one event per line, told apart by its "Event". */
private[log] final class SparkEvents(builder: TraceBuilder) extends LogFormat.Reader {
  import SparkEvents._

  private val c = new JsonCursor
  private val task = new TaskEvents(c, builder)
  private val stage = new StageEvents(c, builder)
  private val application = new ApplicationEvents(c, builder)
  private val sql = new SqlEvents(c, builder)
  private val counters = new CounterEvents(c, builder)
  private val unknown = mutable.TreeMap.empty[String, Long]

  def unknownEvents: Map[String, Long] = unknown.toMap
  def needsLineEnd: Boolean = false

  def line(buf: Array[Byte], from: Int, until: Int): Unit = {
    c.reset(buf, from, until)
    if (c.peek() != '{') c.fail("an event, '{'")
    val start = c.pos
    c.enterObject()
    // "Event" comes first in all that Spark writes; where it does not, find it and start the object again
    var first = true
    var key = c.nextKey(eventKey)
    while (key == Keys.Unknown) { c.skip(); first = false; key = c.nextKey(eventKey) }
    if (key == Keys.End) throw new Malformed("an object without \"Event\"")
    val kind = kindOf()
    if (!first) { c.pos = start; c.enterObject() }
    kind match {
      case "SparkListenerTaskEnd" => task.end()
      case "SparkListenerTaskStart" => task.start()
      case "SparkListenerStageSubmitted" | "SparkListenerStageCompleted" => stage.stage()
      case "SparkListenerJobStart" => stage.jobStart()
      case "SparkListenerJobEnd" => stage.jobEnd()
      case "SparkListenerExecutorAdded" => application.executorAdded()
      case "SparkListenerExecutorRemoved" => application.executorRemoved()
      case "SparkListenerBlockManagerAdded" => application.blockManagerAdded()
      case "SparkListenerResourceProfileAdded" => application.resourceProfile()
      case "SparkListenerLogStart" => application.logStart()
      case "SparkListenerApplicationStart" => application.start()
      case "SparkListenerApplicationEnd" => application.end()
      case "SparkListenerEnvironmentUpdate" => application.environment()
      case "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart" => sql.start()
      case "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd" => sql.end()
      case "org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate" |
          "org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveSQLMetricUpdates" =>
        sql.planUpdate()
      case "org.apache.spark.pellucid.MachineCounters" => counters.counters()
      case other =>
        c.event(eventKey)(PartialFunction.empty)
        if (!ignored(other.stripPrefix("org.apache.spark.scheduler.")) && !ignoredPackages.exists(other.startsWith))
          unknown(other) = unknown.getOrElse(other, 0L) + 1
    }
  }

  private def kindOf(): String =
    if (c.accept(taskEnd)) "SparkListenerTaskEnd"
    else if (c.accept(taskStart)) "SparkListenerTaskStart"
    else Option(c.string()).getOrElse("null")

  // these tables learn the order of the keys, so each reader has its own
  private val eventKey = new Keys(1 -> "Event")
}

private[log] object SparkEvents extends LogFormat {
  def recognizes(head: String): Boolean = true
  def reader(builder: TraceBuilder): LogFormat.Reader = new SparkEvents(builder)

  private val taskEnd = "SparkListenerTaskEnd".getBytes(UTF_8)
  private val taskStart = "SparkListenerTaskStart".getBytes(UTF_8)

  private val ignoredPackages =
    Seq("streaming", "connect", "hive.thriftserver").map(name => s"org.apache.spark.sql.$name.")

  /** Spark's own events that hold nothing the trace needs; any other class is counted as unknown. */
  private val ignored = Set(
    "SparkListenerBlockManagerRemoved",
    "SparkListenerBlockUpdated",
    "SparkListenerUnpersistRDD",
    "SparkListenerTaskGettingResult",
    "SparkListenerExecutorMetricsUpdate",
    "SparkListenerStageExecutorMetrics",
    "SparkListenerSpeculativeTaskSubmitted",
    "SparkListenerExecutorBlacklisted",
    "SparkListenerExecutorUnblacklisted",
    "SparkListenerNodeBlacklisted",
    "SparkListenerNodeUnblacklisted",
    "SparkListenerExecutorBlacklistedForStage",
    "SparkListenerNodeBlacklistedForStage",
    "SparkListenerExecutorExcluded",
    "SparkListenerExecutorUnexcluded",
    "SparkListenerNodeExcluded",
    "SparkListenerNodeUnexcluded",
    "SparkListenerExecutorExcludedForStage",
    "SparkListenerNodeExcludedForStage",
    "SparkListenerUnschedulableTaskSetAdded",
    "SparkListenerUnschedulableTaskSetRemoved",
    "SparkListenerMiscellaneousProcessAdded",
    "org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates"
  )
}
