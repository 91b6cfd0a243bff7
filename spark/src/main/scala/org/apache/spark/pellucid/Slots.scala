package org.apache.spark.pellucid

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.nio.ByteBuffer

import scala.collection.mutable.HashMap

import org.apache.spark.{SparkContext, SparkEnv, SparkException, TaskState}
import org.apache.spark.resource.ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID
import org.apache.spark.scheduler.{SparkListenerInterface, TaskSchedulerImpl}
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.StatusUpdate
import org.apache.spark.scheduler.cluster.{CoarseGrainedSchedulerBackend, ExecutorInfo}
import org.apache.spark.scheduler.local.LocalSchedulerBackend
import org.apache.spark.util.SerializableBuffer
import org.slf4j.{Logger, LoggerFactory}

import pellucid.sched.Spread

/** The driver's end of how many tasks an executor runs at once: more than it has cores, as most of its tasks wait for a disk or the
  * network while others compute (thesis section 5.3.4), but for the last wave of a stage ([[Spread]]).
  *
  * Spark's scheduler counts cores that finished tasks free. It is told that a task that never was has finished; what it says about
  * that in the driver's log is left out.
  */
final class Slots(sc: SparkContext) {
  import Slots._
  private val spread = new Spread[String](add, givesBack = !sc.isLocal)
  private lazy val quiet: Unit = sc.taskScheduler match {
    case scheduler: TaskSchedulerImpl => leaveOut(scheduler)
    case _ =>
  }

  /** An executor's cores, its resource profile and its host. */
  private def known(executor: String): Option[(Int, Int, String)] = sc.schedulerBackend match {
    case local: LocalSchedulerBackend => Some((local.totalCores, DEFAULT_RESOURCE_PROFILE_ID, "localhost"))
    case cluster: CoarseGrainedSchedulerBackend =>
      cluster.synchronized(executors(cluster).get(executor))
        .map(info => (info.totalCores, info.resourceProfileId, info.executorHost))
    case _ => None
  }

  private def executors(cluster: CoarseGrainedSchedulerBackend) =
    Fields.get(
      classOf[CoarseGrainedSchedulerBackend],
      cluster,
      "executorDataMap"
    ).asInstanceOf[HashMap[String, ExecutorInfo]]

  /** How many tasks Spark's cores are for on each host that has executors with this resource profile; none in local mode. */
  def ofHosts(resourceProfile: Int): Map[String, Int] = sc.schedulerBackend match {
    case cluster: CoarseGrainedSchedulerBackend =>
      val coresOfTask = sc.conf.getDouble("spark.task.cpus", 1)
      cluster.synchronized {
        executors(cluster).toSeq.collect {
          case (executor, its) if its.resourceProfileId == resourceProfile && cluster.isExecutorActive(executor) =>
            its.executorHost -> (its.totalCores / coresOfTask).toInt
        }
      }.groupMapReduce(_._1)(_._2)(_ + _)
    case _ => Map.empty
  }

  /** From an executor with monotasks: how many cores Spark gave it, 0 where it is not known, or gone. One with a resource profile of its own gets no more tasks
    * than that, whatever it wants: how much memory its container has no setting says.
    */
  def begins(executor: String): Int = synchronized {
    val its = known(executor)
    for ((cores, DEFAULT_RESOURCE_PROFILE_ID, host) <- its) spread.begins(executor, cores, host)
    its.fold(0)(_._1)
  }
  def ends(executor: String): Unit = synchronized(spread.ends(executor))

  /** So many tasks at once in all. */
  def wants(executor: String, tasks: Int): Unit = synchronized(spread.wants(executor, tasks))

  /** No executor has more tasks than cores from now on. */
  def onePerCore(): Unit = synchronized(spread.onePerCore())

  /** To hear of tasks and executors, beside Spark's own listener to the latter, whose thread each event wakes as it is: the thread of other listeners
    * there might be for this one alone.
    */
  def hears(listener: SparkListenerInterface): Unit = sc.listenerBus.addToManagementQueue(listener)

  /** So many tasks are there that no executor has, assigned to these hosts, if each is to one. */
  def remain(tasks: Long, owners: Option[Set[String]]): Unit = synchronized(spread.remain(tasks, owners))

  /** In local mode, where all are the application's own, what was added stays. Where the application ends, its scheduler is gone before the plugin,
    * and executors still tell what they want.
    */
  private def add(executor: String, tasks: Int): Unit = {
    quiet
    try
      sc.schedulerBackend match {
        case local: LocalSchedulerBackend =>
          for (_ <- 1 to tasks) local.statusUpdate(NoTask, TaskState.FINISHED, ByteBuffer.allocate(0))
        case cluster: CoarseGrainedSchedulerBackend =>
          cluster.driverEndpoint.send(finished(executor, tasks))
        case _ =>
      }
    catch { case _: SparkException if sc.isStopped => }
  }
}

object Slots {
  private final val NoTask = -1L

  /** Whether this executor can give back what it was given. */
  def areGivenBack: Boolean = SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER

  /** That a task of so many cores has, of which Spark 4.3 has fractions. */
  private def finished(executor: String, cores: Int): StatusUpdate = {
    val make = classOf[StatusUpdate].getConstructors.head
    val cpus: AnyRef = if (make.getParameterTypes.apply(4) == Integer.TYPE) Int.box(cores) else BigDecimal(cores)
    val nothing = new SerializableBuffer(ByteBuffer.allocate(0))
    make.newInstance(
      executor,
      Long.box(NoTask),
      TaskState.FINISHED,
      nothing,
      cpus,
      Map.empty
    ).asInstanceOf[StatusUpdate]
  }

  /** The scheduler's errors about [[NoTask]]. */
  private def leaveOut(scheduler: TaskSchedulerImpl): Unit = {
    val log = LoggerFactory.getLogger(scheduler.getClass.getName.stripSuffix("$"))
    val filter = Proxy.newProxyInstance(
      classOf[Logger].getClassLoader,
      Array(classOf[Logger]),
      (_: Object, method: Method, arguments: Array[Object]) =>
        if (method.getName == "error" && String.valueOf(arguments(0)).contains(s"for TID $NoTask because")) null
        else
          try method.invoke(log, Option(arguments).getOrElse(Array.empty[Object]): _*)
          catch { case e: InvocationTargetException => throw e.getCause }
    )
    val set = classOf[TaskSchedulerImpl].getMethods.find(_.getName == "org$apache$spark$internal$Logging$$log__$eq").get
    set.invoke(scheduler, filter)
    ()
  }
}
