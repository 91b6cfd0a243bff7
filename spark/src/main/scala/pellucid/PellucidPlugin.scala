package pellucid

import java.util.{Collections, Map => JMap}

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.pellucid.TaskObservations

import pellucid.observe.{Channel, Observer}
import pellucid.plugin.{Guard, Versions}

/** What `spark.plugins` names. Nothing that it calls may throw: an exception in an executor's `init` restarts the executor for
  * ever, and one in the driver's ends the application.
  */
final class PellucidPlugin extends SparkPlugin {
  def driverPlugin(): DriverPlugin = new DriverPlugin {

    /** Spark itself knows accumulators by weak references only. */
    private var observations: Option[TaskObservations] = None

    override def init(sc: SparkContext, context: PluginContext): JMap[String, String] = {
      Guard.plugin {
        if (!Versions.supported(sc.version))
          Guard.warn(s"Spark ${sc.version} is not among ${Versions.known}: Pellucid leaves it alone")
        else if (context.conf.getBoolean("spark.pellucid.observe", true))
          observations = Some(TaskObservations.register(sc))
      }
      observations.flatMap(o => Guard.plugin(Channel.toldBy(o))).getOrElse(Collections.emptyMap())
    }
  }

  def executorPlugin(): ExecutorPlugin = new ExecutorPlugin {
    private var observer: Option[Observer] = None

    override def init(context: PluginContext, extraConf: JMap[String, String]): Unit =
      observer = Guard.plugin(Channel.ofExecutor(extraConf).map(new Observer(_))).flatten

    override def onTaskStart(): Unit = observer.foreach(_.taskStarts())
  }
}
