package pellucid.log

import scala.collection.mutable

import pellucid.trace.{SqlInfo, Timing, TraceBuilder}

/** SQL executions: their names, and which accumulators time what. */
private[log] final class SqlEvents(c: JsonCursor, builder: TraceBuilder) {
  import SqlEvents._
  import TaskEvents.{firstLine, orEmpty}

  def start(): Unit = {
    timings.clear()
    var id, at = 0L
    var root = -1L
    var description = ""
    c.event(keys) {
      case ExecutionId => id = c.long()
      case RootId => root = c.long()
      case Description => description = orEmpty(c.string())
      case Time => at = c.long()
      case Plan => plan()
    }
    commitTimings()
    builder.sqlStart(SqlInfo(id, if (root < 0) id else root, description, at, 0, None))
  }

  def end(): Unit = {
    var id, at = 0L
    var error = ""
    c.event(keys) {
      case ExecutionId => id = c.long()
      case Time => at = c.long()
      case ErrorMessage => error = firstLine(c.string())
    }
    builder.sqlEnd(id, at, Option(error).filter(_.nonEmpty))
  }

  /** Adaptive execution changes the plan, and with it the accumulators, while the query runs. */
  def planUpdate(): Unit = {
    timings.clear()
    c.event(keys) {
      case Plan => plan()
      case SqlMetrics => c.elements(metric())
    }
    commitTimings()
  }

  /** Of the event being read. */
  private val timings = mutable.HashMap.empty[Long, Timing]
  private def commitTimings(): Unit = timings.foreach { case (id, timing) => builder.timings(id) = timing }

  private def plan(): Unit = c.fields(keys) {
    case Children => c.elements(plan())
    case Metrics => c.elements(metric())
  }

  private def metric(): Unit = {
    var id = -1L
    var name, unit = ""
    c.fields(keys) {
      case MetricName => name = orEmpty(c.string())
      case AccumulatorId => id = c.long()
      case MetricType => unit = orEmpty(c.string())
    }
    for {
      column <- timed.get(name.stripSuffix(" total (min, med, max)")) // which Spark 2 adds
      nanos <- unit match {
        case "timing" => Some(1000000L)
        case "nsTiming" => Some(1L)
        case _ => None
      }
    } timings(id) = Timing(column, nanos)
  }

  // these tables learn the order of the keys, so each reader has its own
  private val keys = new Keys(
    ExecutionId -> "executionId",
    RootId -> "rootExecutionId",
    Description -> "description",
    Time -> "time",
    Plan -> "sparkPlanInfo",
    ErrorMessage -> "errorMessage",
    Children -> "children",
    Metrics -> "metrics",
    MetricName -> "name",
    AccumulatorId -> "accumulatorId",
    MetricType -> "metricType",
    SqlMetrics -> "sqlPlanMetrics"
  )
}

private[log] object SqlEvents {
  private final val ExecutionId = 1
  private final val RootId = 2
  private final val Description = 3
  private final val Time = 4
  private final val Plan = 5
  private final val ErrorMessage = 6
  private final val Children = 7
  private final val Metrics = 8
  private final val MetricName = 9
  private final val AccumulatorId = 10
  private final val MetricType = 11
  private final val SqlMetrics = 12

  /** SQL metrics that time something a task waits for. `scan time` covers reading and decoding of columnar files. */
  private val timed: Map[String, Timing.Column] = Map(
    "scan time" -> Timing.Scan,
    "time to run Python workers" -> Timing.Python,
    "total time to run Python workers" -> Timing.Python
  )
}
