package pellucid

import java.util.{Collections, Map => JMap}

import org.apache.spark.{SPARK_VERSION, SparkConf, SparkContext, TaskFailedReason}
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.pellucid.{LiveTab, MachineLog, ReduceLocality, Slots, TaskObservations}
import org.apache.spark.scheduler.InputLocality
import org.apache.spark.storage.KeptMapOutput

import pellucid.fs.{Completion, EarlyInput, HdfsReplicas, ReplicaChoice}
import pellucid.monotask.{Monotasks, TasksLeft}
import pellucid.observe.{Channel, Observer}
import pellucid.plugin.{Guard, Versions}

/** What `spark.plugins` names. Nothing that it calls may throw: an exception in an executor's `init` restarts the executor for
  * ever, and one in the driver's ends the application. Of a Spark with another Scala no more than this class can be loaded.
  */
final class PellucidPlugin extends SparkPlugin {
  def driverPlugin(): DriverPlugin =
    if (Versions.supported(SPARK_VERSION)) new OnDriver
    else {
      Guard.warn(s"Spark $SPARK_VERSION is not one of ${Versions.known}: Pellucid leaves it alone")
      null
    }

  def executorPlugin(): ExecutorPlugin = if (Versions.supported(SPARK_VERSION)) new OnExecutor else null
}

private final class OnDriver extends DriverPlugin {

  /** Spark itself knows accumulators by weak references only. */
  private var observations: Option[TaskObservations] = None
  @volatile private var memoryFailed = false
  private val replicas = new ReplicaChoice
  private var onceScheduling = () => ()

  override def init(sc: SparkContext, context: PluginContext): JMap[String, String] =
    Guard.plugin(start(sc, context.conf)).getOrElse(Collections.emptyMap())

  private def start(sc: SparkContext, conf: SparkConf): JMap[String, String] = {
    PellucidPlugin.logged = Some(new MachineLog(sc))
    val slots = new Slots(sc)
    PellucidPlugin.slots = Some(slots)
    val observes = conf.getBoolean("spark.pellucid.observe", true)
    val monotasks = conf.getBoolean("spark.pellucid.monotasks", false)
    if (monotasks && !observes)
      Guard.warn("without spark.pellucid.observe no task runs as monotasks, whatever spark.pellucid.monotasks says")
    if (monotasks && observes) {
      val left = new TasksLeft(slots.remain, gone(slots))
      slots.hears(left)
      PellucidPlugin.locality(ReduceLocality.whole(conf))
      onceScheduling = () => InputLocality.choose(sc, slots.ofHosts, left.assigned, PellucidPlugin.input)
      PellucidPlugin.mapOutput(KeptMapOutput.fetchFromHost(sc))
      PellucidPlugin.completion(Completion.askSooner(sc.hadoopConfiguration))
    }
    if (conf.getBoolean("spark.pellucid.ui", true)) Guard.tab(LiveTab.start(sc))
    if (observes) observations = Some(TaskObservations.register(sc))
    observations.fold(Collections.emptyMap[String, String]())(Channel.toldBy)
  }

  /** Spark's scheduler has been made by now. */
  override def registerMetrics(application: String, context: PluginContext): Unit = {
    PellucidPlugin.input(onceScheduling()); ()
  }

  /** From an executor: `cores EXECUTOR`, which is answered, by 0 if it should have no monotasks, `tasks EXECUTOR TASKS`, `memory EXECUTOR` if
    * a task of it failed for want of that, what it writes to HDFS ([[ReplicaChoice]]), or what its machine did.
    */
  override def receive(message: Any): AnyRef = message.toString.split(' ') match {
    case Array("cores", executor) =>
      Int.box(PellucidPlugin.slots.filterNot(_ => memoryFailed).fold(0)(_.begins(executor)))
    case Array("tasks", executor, tasks) => PellucidPlugin.wants(executor, tasks.toInt); null
    case Array("memory", executor) => shortOfMemory(executor); null
    case Array("writes", executor, file, fileSystem, own, count) =>
      PellucidPlugin.replicas(replicas.begins(executor, file.toLong, fileSystem, own, count.toInt))
        .getOrElse(ReplicaChoice.Nothing)
    case Array("written", executor, file, fileSystem) =>
      PellucidPlugin.replicas(replicas.ends(executor, file.toLong, fileSystem)); null
    case Array("chosen", fileSystem, machines @ _*) =>
      PellucidPlugin.replicas(replicas.chose(fileSystem, machines)); null
    case _ => PellucidPlugin.log(message.toString); null
  }

  private def gone(slots: Slots)(executor: String, forMemory: Boolean): Unit = {
    slots.ends(executor)
    PellucidPlugin.replicas(replicas.gone(executor))
    if (forMemory) shortOfMemory(executor)
  }

  /** It may have lost its executor, and the job fails if the next ones are lost in the same way. */
  private def shortOfMemory(executor: String): Unit = {
    if (!memoryFailed)
      Guard.warn(
        s"a task of executor $executor failed for want of memory: no executor gets more tasks than cores, and those that start from now on have no monotasks"
      )
    memoryFailed = true
    PellucidPlugin.slots.foreach(_.onePerCore())
  }

  override def shutdown(): Unit = {
    PellucidPlugin.here.foreach(_.stop()) // in local mode the executor would come too late with its last counters
    PellucidPlugin.here = None
    PellucidPlugin.logged.foreach(_.flush())
    PellucidPlugin.logged = None
    PellucidPlugin.slots = None
    LiveTab.stop()
  }
}

private final class OnExecutor extends ExecutorPlugin {
  private var observer: Option[Observer] = None

  override def init(context: PluginContext, extraConf: JMap[String, String]): Unit = {
    observer = Guard.plugin(Channel.ofExecutor(extraConf).map(new Observer(
      _,
      context.conf.getBoolean("spark.pellucid.sample", true),
      monotasks(context),
      tell(context)
    ))).flatten
    PellucidPlugin.here = observer
  }

  private def monotasks(context: PluginContext): Option[Monotasks] =
    if (!context.conf.getBoolean("spark.pellucid.monotasks", false)) None
    else
      PellucidPlugin.monotasks {
        val cores = context.ask(s"cores ${context.executorID}").asInstanceOf[Int]
        val balances = context.conf.getBoolean("spark.pellucid.monotasks.balanceReplicas", true)
        HdfsReplicas.driver = Option.when(cores > 0 && balances)(context)
        Option.when(cores > 0)(new Monotasks(cores, context.conf, balances, EarlyInput.begin, context.send(_)))
      }.flatten

  /** The driver. One in this JVM is told at once: a message would come too late when the application ends. */
  private def tell(context: PluginContext)(text: String): Unit =
    if (PellucidPlugin.logged.isDefined) PellucidPlugin.log(text) else context.send(text)

  override def onTaskStart(): Unit = observer.foreach(_.taskStarts())

  override def onTaskFailed(why: TaskFailedReason): Unit = observer.foreach(_.taskFailed(why))

  override def shutdown(): Unit = {
    HdfsReplicas.driver = None
    observer.foreach(_.stop())
  }
}

/** What the driver and the executor of one JVM share, in local mode, and their hooks. */
private object PellucidPlugin {
  val counters = new Guard("logging what machines do")
  val monotasks = new Guard("running tasks as monotasks")
  val locality = new Guard("letting any executor have any reducer")
  val input = new Guard("choosing machines for input")
  val mapOutput = new Guard("fetching map output of executors on one host")
  val completion = new Guard("asking soon whether a file is complete")
  val replicas = new Guard("choosing machines for replicas")

  /** Of the application whose driver this JVM is. */
  @volatile var logged: Option[MachineLog] = None

  /** Of the same. */
  @volatile var slots: Option[Slots] = None

  def wants(executor: String, tasks: Int): Unit = { monotasks(slots.foreach(_.wants(executor, tasks))); () }

  /** What an executor has told of its machine. */
  def log(told: String): Unit = { counters { logged.foreach(_.add(told)); LiveTab.heard(told) }; () }

  /** The executor's in this JVM, which in local mode is the driver's too. */
  @volatile var here: Option[Observer] = None
}
