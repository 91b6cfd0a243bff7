package pellucid.log

import pellucid.trace.{SqlInfo, Timing, TraceBuilder}

/** SQL executions: their names, and which accumulators time what. */
private[log] final class SqlEvents(c: JsonCursor, builder: TraceBuilder) {
  import SqlEvents._
  import TaskEvents.{firstLine, orEmpty}

  def start(): Unit = {
    var id, at = 0L
    var root = -1L
    var description = ""
    var key = c.nextKey(keys)
    while (key != Keys.End) {
      key match {
        case ExecutionId => id = c.long()
        case RootId      => root = c.long()
        case Description => description = orEmpty(c.string())
        case Time        => at = c.long()
        case Plan        => plan()
        case _           => c.skip()
      }
      key = c.nextKey(keys)
    }
    builder.sqlStart(SqlInfo(id, if (root < 0) id else root, description, at, 0, None))
  }

  def end(): Unit = {
    var id, at = 0L
    var error = ""
    var key = c.nextKey(keys)
    while (key != Keys.End) {
      key match {
        case ExecutionId  => id = c.long()
        case Time         => at = c.long()
        case ErrorMessage => error = firstLine(c.string())
        case _            => c.skip()
      }
      key = c.nextKey(keys)
    }
    builder.sqlEnd(id, at, Option(error).filter(_.nonEmpty))
  }

  /** Adaptive execution changes the plan, and with it the accumulators, while the query runs. */
  def planUpdate(): Unit = {
    var key = c.nextKey(keys)
    while (key != Keys.End) {
      key match {
        case Plan       => plan()
        case SqlMetrics => metrics()
        case _          => c.skip()
      }
      key = c.nextKey(keys)
    }
  }

  private def plan(): Unit =
    if (c.enterObject()) {
      var key = c.nextKey(keys)
      while (key != Keys.End) {
        key match {
          case Children => if (c.enterArray()) while (c.nextElement()) plan()
          case Metrics  => metrics()
          case _        => c.skip()
        }
        key = c.nextKey(keys)
      }
    }

  private def metrics(): Unit = if (c.enterArray()) while (c.nextElement()) metric()

  private def metric(): Unit =
    if (c.enterObject()) {
      var id = -1L
      var name, unit = ""
      var key = c.nextKey(keys)
      while (key != Keys.End) {
        key match {
          case MetricName    => name = orEmpty(c.string())
          case AccumulatorId => id = c.long()
          case MetricType    => unit = orEmpty(c.string())
          case _             => c.skip()
        }
        key = c.nextKey(keys)
      }
      for {
        column <- timed.get(name)
        nanos <- unit match {
          case "timing"   => Some(1000000L)
          case "nsTiming" => Some(1L)
          case _          => None
        }
      } builder.timings(id) = Timing(column, nanos)
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
