package org.apache.spark.pellucid

import java.util.{Collection => JCollection}
import java.util.concurrent.{BlockingQueue, LinkedBlockingDeque, LinkedBlockingQueue, Semaphore, TimeUnit}

import scala.collection.mutable.{ArrayBuffer, Map}

import org.apache.spark.{SparkContext, SparkEnv, TaskContext}
import org.apache.spark.internal.config.REDUCER_MAX_SIZE_IN_FLIGHT
import org.apache.spark.network.buffer.ManagedBuffer
import org.apache.spark.network.shuffle.BlockFetchingListener
import org.apache.spark.storage.ShuffleBlockFetcherIterator

import pellucid.monotask.Multitask
import pellucid.observe.TaskRecord
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** A task's requests for shuffle blocks of other executors. They stay here until the task has read what it has got; then all of them are
  * sent, and their blocks waited for, as one monotask of the network, of which few multitasks have requests under way at once (thesis
  * section 5.3.3). Where the task's core would idle meanwhile, it goes on with the first half of the blocks, and what comes while it computes on them is a
  * monotask beside that. Many bytes keep the network busy by themselves: such requests are sent one task's after the other's, when half of the blocks of the
  * one before are there, so that a task has its own sooner than it would beside others.
  *
  * @param underWay bytes that were asked for and not read
  */
private[pellucid] final class Fetches(task: Multitask, underWay: () => Long) {
  import Fetches._
  private val unsent = ArrayBuffer.empty[Request]
  private var blocks = 0 // that are to come, of requests that were sent
  private var bytes = 0L // of blocks that have come since the last monotask
  private var cameAt = 0L // the last of them
  private var failed = false

  /** When the task went on without the rest, until it comes back for that. */
  private var wentOnAt: Option[Long] = None
  TaskContext.get().addTaskCompletionListener[Unit](_ => adds()) // what it has not read was fetched, too

  /** A request for so many blocks, of each of which `send` tells its listener once. */
  def add(ofBlocks: Int, listener: BlockFetchingListener)(send: BlockFetchingListener => Unit): Unit =
    synchronized(unsent += new Request(ofBlocks, () => send(new Counted(listener))))

  /** Each is counted before the task can have it and end. */
  private final class Counted(stock: BlockFetchingListener) extends BlockFetchingListener {
    override def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit = {
      ended(data.size)
      stock.onBlockFetchSuccess(blockId, data)
    }
    override def onBlockFetchFailure(blockId: String, e: Throwable): Unit = {
      Fetches.this.synchronized { failed = true }
      ended(0)
      stock.onBlockFetchFailure(blockId, e)
    }
  }

  private def ended(size: Long): Unit = synchronized {
    bytes += size
    cameAt = System.nanoTime()
    blocks = math.max(0, blocks - 1)
    notifyAll()
  }

  /** On the thread that reads, before it takes one of those that are there, or where none is. */
  private def reads(none: => Boolean): Unit = {
    if (synchronized { failed = false; blocks == 0 }) adds()
    if (none) {
      if (synchronized(unsent.isEmpty)) comesBack().foreach(task.rejoins(Place, Phase, _)(ask())(moved()))
      else {
        adds() // more than what it went on without takes a place at the network
        task.at(Place, Phase) { ask(); moved()._1 }
        ()
      }
    }
  }

  /** What has come since the task went on without it. */
  private def adds(): Unit = comesBack().foreach(task.adds(Place, Phase, _)(moved()))

  /** Since when it had gone on. */
  private def comesBack(): Option[Long] = synchronized { val at = wentOnAt; wentOnAt = None; at }

  private def ask(): Unit = {
    if (Thread.interrupted()) throw new InterruptedException // as the queue would, and nothing is asked for
    try {
      if (asksForMany) inTurn(task)(askForHalf()) else askForHalf()
      awaitRest()
    } finally synchronized(if (blocks > 0) cameAt = System.nanoTime())
    synchronized(if (blocks > 0 && !failed) wentOnAt = Some(cameAt))
  }

  /** Not where it comes back for what it has asked for. */
  private def asksForMany = synchronized(unsent.nonEmpty) && underWay() >= ManyBytes

  /** All blocks are counted before the first of them can come. A failure is for the task to see at once. */
  private def askForHalf(): Unit = {
    val (requests, half) = synchronized {
      val all = unsent.toList
      unsent.clear()
      blocks += all.iterator.map(_.blocks).sum
      (all, blocks / 2)
    }
    requests.foreach(_.send())
    synchronized(while (blocks > half && !failed) wait())
  }

  /** While its core is wanted: of that, as nobody tells, it asks again and again. */
  private def awaitRest(): Unit =
    synchronized(while (blocks > 0 && !failed && !task.mayGoOn(Place, Phase)) wait(AskMillis))

  /** So many bytes, and when the last of them came. */
  private def moved(): (Int, Long) = synchronized {
    val all = bytes
    bytes = 0
    (math.min(all, Int.MaxValue.toLong).toInt, cameAt)
  }
}

object Fetches {
  private val guard = new Guard("fetching shuffle blocks as monotasks")
  private final val Place = "shuffle"
  private val Phase = MonotaskPhase.ShuffleRead
  private final val AskMillis = 10L
  private final val ManyBytes = 4L << 20
  private val turn = new Semaphore(1, true)

  /** After those before it, for which it waits a second at most: a machine that is slow or gone should not keep it from others. */
  private def inTurn(task: Multitask)(asks: => Unit): Unit = {
    val has = task.inLine(Place, Phase)(turn.tryAcquire(1, TimeUnit.SECONDS))
    try asks
    finally if (has) turn.release()
  }

  private final class Request(val blocks: Int, val send: () => Unit)

  /** MB that a task may have under way. */
  def mostInFlight: Long = SparkEnv.get.conf.get(REDUCER_MAX_SIZE_IN_FLIGHT)

  /** From now on, on this executor; in local mode, where there is nothing to fetch, the driver's settings stay what they are. */
  def allowInFlight(megabytes: Long): Unit =
    if (SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER) {
      SparkEnv.get.conf.set(REDUCER_MAX_SIZE_IN_FLIGHT, math.max(1, megabytes))
      ()
    }

  /** Where what was fetched, or found in local files, waits for the task. */
  private sealed trait Results { def fetches: Fetches }
  private final class Queue(val fetches: Fetches) extends LinkedBlockingQueue[AnyRef] with Results {
    override def take(): AnyRef = { fetches.reads(isEmpty); super.take() }
  }
  private final class Deque(val fetches: Fetches) extends LinkedBlockingDeque[AnyRef] with Results {
    override def take(): AnyRef = { fetches.reads(isEmpty); super.take() }
  }

  /** Of the iterator over a shuffle's blocks that asked; None where that is not one's, or no multitask's. */
  private[pellucid] def of(listener: BlockFetchingListener, record: TaskRecord): Option[Fetches] =
    record.multitask.flatMap { task =>
      if (!listener.getClass.getName.startsWith(classOf[ShuffleBlockFetcherIterator].getName)) None
      else guard(within(Fields.get(listener.getClass, listener, "$outer"), task)).flatten
    }

  private def within(iterator: AnyRef, task: Multitask): Option[Fetches] =
    Fields.get(classOf[ShuffleBlockFetcherIterator], iterator, "results") match {
      case ours: Results => Some(ours.fetches)
      case stock: JCollection[_] if stock.isEmpty && asksFirst(iterator) =>
        val underWay = Fields.of(classOf[ShuffleBlockFetcherIterator], "bytesInFlight")
        val fetches = new Fetches(task, () => underWay.getLong(iterator))
        Fields.replace(classOf[ShuffleBlockFetcherIterator], iterator, results(stock.getClass, fetches), "results")
        Some(fetches)
      case _ => None
    }

  /** It has asked nobody for anything, so nobody else knows its results yet. */
  private def asksFirst(iterator: AnyRef) = {
    def field(name: String) = Fields.get(classOf[ShuffleBlockFetcherIterator], iterator, name)
    field("numBlocksProcessed") == Int.box(0) && field("numBlocksInFlightPerAddress").asInstanceOf[Map[_, _]].isEmpty
  }

  /** @param stock what Spark has: the former until 4.0 */
  private[pellucid] def results(stock: Class[_], fetches: Fetches): BlockingQueue[AnyRef] =
    if (stock == classOf[LinkedBlockingQueue[_]]) new Queue(fetches) else new Deque(fetches)
}
