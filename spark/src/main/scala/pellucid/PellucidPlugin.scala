package pellucid

import java.util.{Collections, Map => JMap}

import org.apache.spark.{SparkContext, TaskFailedReason}
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}

import pellucid.observe.{Channel, Observer}
import pellucid.plugin.{Guard, Versions}

/** What `spark.plugins` names. Nothing that it calls may throw: an exception in an executor's `init` restarts the executor for
  * ever, and one in the driver's ends the application.
  */
final class PellucidPlugin extends SparkPlugin {
  def driverPlugin(): DriverPlugin = new DriverPlugin {
    override def init(sc: SparkContext, context: PluginContext): JMap[String, String] =
      if (!Versions.supported(sc.version)) {
        Guard.warn(s"Spark ${sc.version} is not among ${Versions.known}: Pellucid leaves it alone")
        Collections.emptyMap()
      } else if (!context.conf.getBoolean("spark.pellucid.observe", true)) Collections.emptyMap()
      else Guard.plugin(Channel.open(sc)).getOrElse(Collections.emptyMap())
  }

  def executorPlugin(): ExecutorPlugin = new ExecutorPlugin {
    private var observer: Option[Observer] = None

    override def init(context: PluginContext, extraConf: JMap[String, String]): Unit =
      observer = Guard.plugin(Channel.ofExecutor(extraConf).map(new Observer(_))).flatten

    override def onTaskStart(): Unit = observer.foreach(_.taskStarts())
    override def onTaskSucceeded(): Unit = ()
    override def onTaskFailed(reason: TaskFailedReason): Unit = ()
  }
}
