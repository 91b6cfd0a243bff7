package pellucid.monotask

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

import org.apache.spark.{BarrierTaskContext, SparkConf, SparkEnv, TaskContext}
import org.apache.spark.pellucid.{Fetches, LocalDisks, MonotaskShuffle, TaskMemory}

import org.slf4j.LoggerFactory

import pellucid.plugin.Guard

/** An executor's tasks as monotasks: the resources, the tasks that use them, and a watch over both.
  *
  * @param cores that Spark gave the executor
  * @param send to the driver: that an executor wants so many more tasks at once, or that a task of it failed for want of memory
  */
private[pellucid] final class Monotasks(cores: Int, conf: SparkConf, send: String => Unit) {
  import Monotasks._
  private def set(slots: String) = {
    val set = conf.getOption(s"spark.pellucid.monotasks.$slots").map(_.toInt)
    require(set.forall(_ > 0), s"spark.pellucid.monotasks.$slots is at least 1")
    set
  }
  private val disks = new DiskSlots(set("diskSlots"), new LocalDisks(SparkEnv.get).names)
  private val networkSlots = set("networkSlots").getOrElse(4)
  private val resources = new Resources(cores, disks, networkSlots, set("outputSlots").getOrElse(disks.ofLocal))
  private lazy val shuffle: Unit = MonotaskShuffle.install()
  private val running = ConcurrentHashMap.newKeySet[Multitask]
  private val begun = new AtomicLong

  /** Tasks at once: enough for each resource to be in use, and one more (thesis section 5.3.4). As many as there are cores where code
    * may count on being alone (one core), and where each Python worker has its part of a limited memory.
    */
  @volatile private var most =
    if (cores == 1 || conf.contains("spark.executor.pyspark.memory")) cores
    else cores + disks.ofLocal + networkSlots + 1
  private val inFlight = Fetches.mostInFlight
  private var tasks = cores
  private var idleLooks = 0
  private var computedAt = 0L // a task did, or a core was lent that made one
  private var ofStuck = 0 // cores lent that tasks had which seemed stuck
  @volatile private var stopped = false

  private val watch = new Thread(() => watching(), "pellucid-monotasks")
  watch.setDaemon(true)
  watch.start()

  /** On a task's thread, which waits for a core. None of tasks that stock Spark runs side by side for a reason: those of barrier
    * stages wait for each other, and those that were given several cores use more than their thread.
    */
  def begin(): Option[Multitask] = {
    val task = TaskContext.get()
    if (task.cpus() == 1 && !task.isInstanceOf[BarrierTaskContext]) {
      shuffle
      val multitask = new Multitask(begun.getAndIncrement(), resources, math.max(most, cores))
      running.add(multitask)
      multitask.begin()
      Some(multitask)
    } else {
      giveBack()
      None
    }
  }

  /** Of too little memory more tasks have less each. */
  def memoryFailed(): Unit = {
    send(s"memory ${SparkEnv.get.executorId}")
    giveBack()
  }

  /** As many tasks as cores from now on: there are tasks for which more would be too many. */
  private def giveBack(): Unit = synchronized {
    most = cores
    if (tasks > cores) change(cores - tasks)
  }

  /** All tasks together have as much under way as one per core has in stock Spark. */
  private def change(more: Int): Unit = {
    send(s"tasks ${SparkEnv.get.executorId} $more")
    tasks += more
    Fetches.allowInFlight(inFlight * cores / tasks)
  }

  def end(multitask: Multitask): Unit = { running.remove(multitask); multitask.end() }

  /** Tasks that still run have their cores to the end. */
  def stop(): Unit = stopped = true

  private def watching(): Unit =
    try
      while ((!stopped || !running.isEmpty) && guard(look()).isDefined)
        Thread.sleep(if (running.isEmpty) RestMillis else if (resources.cpu.waits > 0) BusyMillis else IdleMillis)
    finally resources.cpu.open() // without a watch a task could wait for ever for the core of one that waits for it

  /** A task that waits for another thread lends its core, and later goes on beside the one that got it, with all that they hold in the heap.
    * So some cores are lent at once, beyond that and while the heap is short only to tasks that stock Spark would have begun, and
    * one more whenever no task has computed for a while: it may be what they wait for.
    */
  private def look(): Unit = {
    val (blocked, others) = running.asScala.filter(_.computes).toSeq.partition(m => isBlocked(m.thread))
    val stuck = others.filter(_.isStuck)
    val waiting = blocked ++ stuck
    val now = System.nanoTime()
    if (waiting.isEmpty || stuck.size < others.size) computedAt = now
    val still = now - computedAt > StillNanos
    val lent = resources.cpu.runs - cores
    val few = (cores + 1) / 2
    val careful = lent >= few || Heap.isShort
    resources.cpu.upTo(if (careful) oldest(if (still) waiting else Nil) else Long.MaxValue)
    val lendable = math.min(waiting.size, if (still) lent + 1 else if (careful) Int.MaxValue else few)
    (lent until lendable).takeWhile(_ => resources.cpu.waits > 0 && resources.cpu.overdraw()).foreach { n =>
      computedAt = now
      if (n >= blocked.size) tellOfStuck()
    }
    resources.network.overdrawAfter(SlowNanos)
    resources.freeingFirst(TaskMemory.isShort)
    val idle = resources.cpu.waits == 0 && resources.cpu.runs < cores + blocked.size && running.size >= tasks
    idleLooks = if (idle) idleLooks + 1 else 0
    if (idleLooks >= LooksBeforeMore && tasks < most && TaskMemory.isPlenty && Heap.isPlenty) oneMore()
  }

  /** The last of as many as there are cores, which is how many stock Spark would have begun, not counting `but`. */
  private def oldest(but: Seq[Multitask]): Long =
    running.asScala.filterNot(but.contains).map(_.number).toSeq.sorted.lift(cores - 1).getOrElse(Long.MaxValue)

  private def tellOfStuck(): Unit = {
    ofStuck += 1
    if (Integer.bitCount(ofStuck) == 1)
      log.info(
        s"Pellucid: a task neither computed nor waited for another thread for seconds; its core was lent ($ofStuck so far)"
      )
  }

  private def oneMore(): Unit = synchronized {
    idleLooks = 0
    if (tasks < most) change(1)
  }
}

private object Monotasks {
  private final val BusyMillis = 2L
  private final val IdleMillis = 5L
  private final val RestMillis = 20L
  private final val LooksBeforeMore = 2

  private final val StillNanos = 100000000L

  /** A machine that is slow or gone should not keep those that want something of others from the network. */
  private final val SlowNanos = 1000000000L
  private val guard = new Guard("watching monotasks")
  private val log = LoggerFactory.getLogger("pellucid")

  /** It waits for another thread: for fetched blocks, a lock, a broadcast variable, and uses no core meanwhile. */
  private def isBlocked(thread: Thread): Boolean = thread.getState match {
    case Thread.State.RUNNABLE | Thread.State.NEW => false
    case _ => true
  }
}
