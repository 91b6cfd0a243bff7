package org.apache.spark.pellucid

import java.util.{Collection => JCollection}
import java.util.concurrent.{BlockingQueue, LinkedBlockingDeque, LinkedBlockingQueue}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkEnv
import org.apache.spark.internal.config.REDUCER_MAX_SIZE_IN_FLIGHT
import org.apache.spark.network.shuffle.BlockFetchingListener
import org.apache.spark.storage.ShuffleBlockFetcherIterator

import pellucid.monotask.Multitask
import pellucid.observe.TaskRecord
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** A task's requests for shuffle blocks of other executors. They stay here until the task has read what it has got; then all of them are
  * sent, and their blocks waited for, as one monotask of the network, of which few multitasks have requests under way at once (thesis
  * section 5.3.3).
  */
private[pellucid] final class Fetches(task: Multitask) {
  private val unsent = ArrayBuffer.empty[() => Unit]
  private var blocks = 0 // of those that were sent
  private var bytes = 0L
  private var failed = false

  def add(ofBlocks: Int)(send: => Unit): Unit =
    synchronized(unsent += (() => { synchronized(blocks += ofBlocks); send }))

  def arrived(size: Long): Unit = synchronized { bytes += size; ended() }
  def fails(): Unit = synchronized { failed = true; ended() }
  private def ended(): Unit = { blocks -= 1; notifyAll() }

  /** On the thread that has read what there was. */
  private def fetch(): Unit = {
    val requests = synchronized { val all = unsent.toList; unsent.clear(); all }
    if (requests.nonEmpty) task.at("shuffle", MonotaskPhase.ShuffleRead) { requests.foreach(_()); await() }
    ()
  }

  /** A failure is for the task to see at once. */
  private def await(): Int = synchronized {
    while (blocks > 0 && !failed) wait()
    val moved = bytes
    bytes = 0
    failed = false
    math.min(moved, Int.MaxValue.toLong).toInt
  }
}

object Fetches {
  private val guard = new Guard("fetching shuffle blocks as monotasks")

  /** More tasks than cores together have no more under way than Spark lets one task per core have. */
  def divide(cores: Int, tasks: Int): Unit = {
    guard {
      val conf = SparkEnv.get.conf
      val megabytes = conf.get(REDUCER_MAX_SIZE_IN_FLIGHT) * cores / tasks
      conf.set(REDUCER_MAX_SIZE_IN_FLIGHT, math.max(1, megabytes))
    }
    ()
  }

  /** Where what was fetched, or found in local files, waits for the task. */
  private sealed trait Results { def fetches: Fetches }
  private final class Queue(val fetches: Fetches) extends LinkedBlockingQueue[AnyRef] with Results {
    override def take(): AnyRef = { if (isEmpty) fetches.fetch(); super.take() }
  }
  private final class Deque(val fetches: Fetches) extends LinkedBlockingDeque[AnyRef] with Results {
    override def take(): AnyRef = { if (isEmpty) fetches.fetch(); super.take() }
  }

  /** Of the iterator over a shuffle's blocks that asked; None where that is not one's, or no multitask's. On the task's thread, and first
    * with what is asked for first, when the iterator's results are still empty.
    */
  private[pellucid] def of(listener: BlockFetchingListener, record: TaskRecord): Option[Fetches] =
    record.multitask.flatMap { task =>
      if (!listener.getClass.getName.startsWith(classOf[ShuffleBlockFetcherIterator].getName)) None
      else guard(within(Fields.get(listener.getClass, listener, "$outer"), task)).flatten
    }

  private def within(iterator: AnyRef, task: Multitask): Option[Fetches] =
    Fields.get(classOf[ShuffleBlockFetcherIterator], iterator, "results") match {
      case ours: Results => Some(ours.fetches)
      case stock: JCollection[_] if stock.isEmpty =>
        val fetches = new Fetches(task)
        Fields.replace(classOf[ShuffleBlockFetcherIterator], iterator, results(stock.getClass, fetches), "results")
        Some(fetches)
      case _ => None
    }

  /** @param stock what Spark has: the former until 4.0 */
  private[pellucid] def results(stock: Class[_], fetches: Fetches): BlockingQueue[AnyRef] =
    if (stock == classOf[LinkedBlockingQueue[_]]) new Queue(fetches) else new Deque(fetches)
}
