package org.apache.spark.pellucid

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent

/** What executors and their machines did second by second, as an event of Spark's event log: of each batch the executor, its host
  * and the counters (docs/observed.md). Who reads the log without this class passes it over.
  */
final case class MachineCounters(batches: Seq[String]) extends SparkListenerEvent

/** The driver's end of executors' counters. Spark flushes its event log with each event that it does not know, so the batches of
  * all executors go into one event every ten seconds, and what is left when the application ends.
  */
final class MachineLog(sc: SparkContext) {
  private val batches = ArrayBuffer.empty[String]
  private var postedNanos = System.nanoTime()

  def add(batch: String): Unit = synchronized {
    batches += batch
    if (System.nanoTime() - postedNanos > MachineLog.EveryNanos) flush()
  }

  def flush(): Unit = synchronized {
    if (batches.nonEmpty) sc.listenerBus.post(MachineCounters(batches.toSeq))
    batches.clear()
    postedNanos = System.nanoTime()
  }
}

private object MachineLog {
  private final val EveryNanos = 10000000000L
}
