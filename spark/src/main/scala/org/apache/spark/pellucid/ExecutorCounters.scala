package org.apache.spark.pellucid

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent

/** What an executor and its machine did second by second (docs/observed.md), as an event of Spark's event log. Who reads the log
  * without this class passes it over.
  */
final case class ExecutorCounters(executorId: String, host: String, counters: String) extends SparkListenerEvent

object ExecutorCounters {

  /** How it travels to the driver: as a text, so that no class loader has to know this class. */
  def told(executorId: String, host: String, counters: String): String = s"$executorId $host $counters"

  def post(sc: SparkContext, told: String): Unit = {
    val fields = told.split(" ", 3)
    sc.listenerBus.post(ExecutorCounters(fields(0), fields(1), fields(2)))
  }
}
