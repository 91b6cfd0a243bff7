package pellucid.log

import pellucid.trace.{ApplicationInfo, ResourceProfile, Timing, TraceBuilder}

/** Events of the application and its executors. */
private[log] final class ApplicationEvents(c: JsonCursor, builder: TraceBuilder) {
  import ApplicationEvents._
  import TaskEvents.{firstLine, orEmpty}

  def logStart(): Unit = {
    var version = ""
    c.event(keys) { case Version => version = orEmpty(c.string()) }
    builder.application = builder.application.copy(sparkVersion = version)
  }

  def start(): Unit = {
    var app = builder.application
    var attempt = ""
    c.event(keys) {
      case Attempt => attempt = orEmpty(c.string())
      case AppName => app = app.copy(name = orEmpty(c.string()))
      case AppId => app = app.copy(id = orEmpty(c.string()))
      case User => app = app.copy(user = orEmpty(c.string()))
      case Timestamp => app = app.copy(startMillis = c.long())
    }
    val before = builder.application.id
    if (before.nonEmpty && (before, builder.attempt) != (app.id, attempt)) builder.otherApplications += 1
    builder.attempt = attempt
    builder.application = app
    builder.saw(app.startMillis)
  }

  def end(): Unit = {
    var at = 0L
    c.event(keys) { case Timestamp => at = c.long() }
    builder.application = builder.application.copy(endMillis = at)
    builder.ended = true
  }

  /** Of the environment only the settings that an analysis reads are kept. */
  def environment(): Unit = {
    var kept = builder.application.properties
    var run = builder.application.run
    c.event(keys) {
      case SparkProperties =>
        c.fields(settingKeys) {
          case ObservationId => orEmpty(c.string()).toLongOption.foreach(builder.timings(_) = Timing.Observation)
          case Run => run = Some(orEmpty(c.string()))
          case key if key != Keys.Unknown => kept += settings(key - 1) -> orEmpty(c.string())
        }
    }
    builder.application = builder.application.copy(properties = kept, run = run)
  }

  def executorAdded(): Unit = {
    var id, host = ""
    var cores, profile = 0
    var at = 0L
    c.event(keys) {
      case Timestamp => at = c.long()
      case ExecutorId => id = orEmpty(c.string())
      case ExecutorInfo =>
        c.fields(keys) {
          case Host => host = orEmpty(c.string())
          case Cores => cores = c.long().toInt
          case ProfileId => profile = c.long().toInt
        }
    }
    builder.executorAdded(id, host, cores, at, profile)
  }

  def executorRemoved(): Unit = {
    var id, reason = ""
    var at = 0L
    c.event(keys) {
      case Timestamp => at = c.long()
      case ExecutorId => id = orEmpty(c.string())
      case RemovedReason => reason = firstLine(c.string())
    }
    builder.executorRemoved(id, at, reason)
  }

  /** Before Spark 1.3 this event alone tells that an executor came. The driver has a block manager too, and runs no tasks. */
  def blockManagerAdded(): Unit = {
    var id, host = ""
    var at = 0L
    c.event(keys) {
      case Timestamp => at = c.long()
      case BlockManagerId =>
        c.fields(keys) {
          case ExecutorId => id = orEmpty(c.string())
          case Host => host = orEmpty(c.string())
        }
    }
    if (id.nonEmpty && id != "driver" && id != "<driver>") builder.executorAdded(id, host, 0, at, 0)
  }

  def resourceProfile(): Unit = {
    var id = 0
    var executor, task = Map.empty[String, Double]
    c.event(keys) {
      case ProfileId => id = c.long().toInt
      case ExecutorRequests => executor = amounts()
      case TaskRequests => task = amounts()
    }
    builder.profile(id, ResourceProfile(executor, task))
  }

  /** `{"cpus": {"Resource Name": "cpus", "Amount": 1.0}, …}`; a fraction matters here. */
  private def amounts(): Map[String, Double] = {
    var out = Map.empty[String, Double]
    if (c.enterObject()) {
      var key = c.nextKey(keys)
      while (key != Keys.End) {
        var name = ""
        var amount = 0.0
        c.fields(keys) {
          case ResourceName => name = orEmpty(c.string())
          case Amount => amount = orEmpty(c.string()).toDoubleOption.getOrElse(0.0)
        }
        if (amount > 0) out += name -> amount
        key = c.nextKey(keys)
      }
    }
    out
  }

  // these tables learn the order of the keys, so each reader has its own
  private val keys = new Keys(
    Version -> "Spark Version",
    AppName -> "App Name",
    AppId -> "App ID",
    User -> "User",
    Timestamp -> "Timestamp",
    SparkProperties -> "Spark Properties",
    ExecutorId -> "Executor ID",
    ExecutorInfo -> "Executor Info",
    Host -> "Host",
    Cores -> "Total Cores",
    ProfileId -> "Resource Profile Id",
    RemovedReason -> "Removed Reason",
    BlockManagerId -> "Block Manager ID",
    ExecutorRequests -> "Executor Resource Requests",
    TaskRequests -> "Task Resource Requests",
    ResourceName -> "Resource Name",
    Amount -> "Amount",
    Attempt -> "App Attempt ID"
  )
  private val settingKeys =
    new Keys(
      Seq(ObservationId -> observationId, Run -> ApplicationInfo.Run) ++
        settings.zipWithIndex.map { case (name, i) => (i + 1) -> name }: _*
    )
}

private[log] object ApplicationEvents {
  private final val Version = 1
  private final val AppName = 2
  private final val AppId = 3
  private final val User = 4
  private final val Timestamp = 5
  private final val SparkProperties = 6
  private final val ExecutorId = 7
  private final val ExecutorInfo = 8
  private final val Host = 9
  private final val Cores = 10
  private final val ProfileId = 11
  private final val RemovedReason = 12
  private final val BlockManagerId = 13
  private final val ExecutorRequests = 14
  private final val TaskRequests = 15
  private final val ResourceName = 16
  private final val Amount = 17
  private final val Attempt = 18

  /** What the plugin's driver tells its executors: the number of the accumulator that tasks write to. */
  private final val ObservationId = 100
  private final val Run = 101
  private val observationId = "spark.plugins.internal.conf.pellucid.PellucidPlugin.task"

  private val settings = IndexedSeq(
    "spark.master",
    "spark.task.cpus",
    "spark.executor.cores",
    "spark.executor.memory",
    "spark.executor.instances",
    "spark.scheduler.mode",
    "spark.speculation",
    "spark.locality.wait",
    "spark.dynamicAllocation.enabled",
    "spark.sql.shuffle.partitions",
    "spark.sql.adaptive.enabled",
    "spark.hadoop.dfs.replication",
    "spark.shuffle.compress",
    "spark.pellucid.monotasks.balanceReplicas",
    "spark.pellucid.monotasks.mostTasks"
  )
}
