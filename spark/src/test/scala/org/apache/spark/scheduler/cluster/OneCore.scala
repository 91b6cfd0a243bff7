package org.apache.spark.scheduler.cluster

import scala.collection.mutable.HashMap

import org.apache.spark.pellucid.Fields
import org.apache.spark.rpc.RpcAddress

/** Executors of a driver that has none, with one core each. */
final class OneCore(driver: CoarseGrainedSchedulerBackend) {
  private val executors = Fields.get(classOf[CoarseGrainedSchedulerBackend], driver, "executorDataMap")
    .asInstanceOf[HashMap[String, ExecutorData]]

  def add(executor: String, resourceProfile: Int): Unit = driver.synchronized {
    val at = RpcAddress("localhost", 1)
    executors(executor) =
      new ExecutorData(null, at, at.host, 1, 1, Map.empty, Map.empty, Map.empty, resourceProfile, 0, None)
  }

  /** Cores that the driver takes for free. */
  def free(executor: String): Int = driver.synchronized(executors(executor).freeCores)
}
