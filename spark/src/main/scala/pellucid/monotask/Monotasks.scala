package pellucid.monotask

import java.io.File
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport

import org.apache.spark.{BarrierTaskContext, SparkConf, SparkEnv, TaskContext}
import org.apache.spark.pellucid.{Fetches, LocalDisks, MonotaskShuffle, ScheduledServing, Slots, TaskMemory}
import org.apache.spark.storage.KeptMapOutput

import pellucid.observe.{Activity, CpuClock, Daemons, Machine, QueueLevel}
import pellucid.plugin.Guard
import pellucid.sched.{Concurrency, CoreLending, CpuLimit}
import pellucid.sched.CoreLending.{Computes, HasNone, Task, Waits}

/** An executor's tasks as monotasks: the resources, the tasks that use them, and a watch over both.
  *
  * @param cores that Spark gave the executor
  * @param balances what is written to HDFS goes to the machines that fewest write to
  * @param beginEarly the first monotasks of a task that waits for something else, on another thread
  * @param send to the driver: that an executor wants so many tasks at once, or that a task of it failed for want of memory
  */
private[pellucid] final class Monotasks(
    cores: Int,
    conf: SparkConf,
    balances: Boolean,
    beginEarly: Multitask => Unit,
    send: String => Unit
) {
  import Monotasks._
  private val executor = SparkEnv.get.executorId
  private def set(slots: String) = {
    val set = conf.getOption(s"spark.pellucid.monotasks.$slots").map(_.toInt)
    require(set.forall(_ > 0), s"spark.pellucid.monotasks.$slots is at least 1")
    set
  }
  private val localDisks = new LocalDisks(SparkEnv.get)
  private val disks = new DiskSlots(set("diskSlots"), localDisks.names)
  private val networkSlots = set("networkSlots").getOrElse(4)
  private val outputSlots = set("outputSlots").getOrElse(
    if (balances) disks.ofOutput else disks.ofLocal
  )
  private val resources = new Resources(cores, disks, networkSlots, outputSlots)
  ScheduledServing.install(new Serving(resources, localDisks.of(_: File)))

  /** Of a stage's results, which beyond a limit end the job, what is said of its tasks' monotasks. */
  private val mostText = conf.getSizeAsBytes("spark.driver.maxResultSize", "1g") match {
    case 0 => Long.MaxValue // no limit
    case limit => limit / PartOfResults
  }
  private lazy val shuffle = MonotaskShuffle.install()

  /** What it keeps; none before the first task. */
  @volatile private var mapOutput: Option[KeptMapOutput] = None
  private val running = ConcurrentHashMap.newKeySet[Multitask]
  private val begun = new AtomicLong

  /** As many tasks at once as there are cores where code may count on being alone (one core), and where each Python worker has its part of a limited
    * memory. The user's bound is for what bears no more, as where each task has a connection to a database.
    */
  private val concurrency = {
    val most =
      if (cores == 1 || conf.contains("spark.executor.pyspark.memory")) cores
      else Concurrency.most(cores, disks.ofLocal, networkSlots, set("mostTasks"))
    new Concurrency(cores, most)
  }
  private var told = cores // tasks that the driver knows of
  if (Slots.areGivenBack) resources.tasks.open()
  private val inFlight = Fetches.mostInFlight
  private val container = ContainerMemory.of(conf)
  private val lending = new CoreLending(cores)
  private val cpuLimit = new CpuLimit(Machine.cpuPeriods())
  private var pauseNanos = LeastNanos
  @volatile private var newestStage = -1
  private var seenStage = -1 // by the watch
  private var cpuBefore = 0L // of the watch, before its last look
  private val ofStuck, ofGone = new Watchdog
  @volatile private var stopped, resting = false

  private val watch = new Daemons("pellucid-monotasks").newThread(() => watching())
  watch.start()

  /** On a task's thread, which waits for a core. None of tasks that stock Spark runs side by side for a reason: those of barrier
    * stages wait for each other, and those that were given several cores use more than their thread.
    */
  def begin(): Option[Multitask] = {
    val task = TaskContext.get()
    val isOne = task.cpus() == 1 && !task.isInstanceOf[BarrierTaskContext]
    if (isOne) {
      mapOutput = shuffle
      mapOutput.foreach(_.begins(task))
      val multitask =
        new Multitask(begun.getAndIncrement(), resources, concurrency.atMost, mostText / task.numPartitions())
      multitask.waitForPlace()
      running.add(multitask)
      val isNew = task.stageId() > newestStage
      if (isNew) newestStage = task.stageId()
      if (resting || isNew) LockSupport.unpark(watch)
      multitask.begin()
      Some(multitask)
    } else {
      passes()
      None
    }
  }

  /** On the thread of a task that stays as in stock Spark. */
  def passes(): Unit = { mapOutput.foreach(_.begins(TaskContext.get())); giveBack() }

  /** Of too little memory more tasks have less each. */
  def memoryFailed(): Unit = {
    send(s"memory $executor")
    mapOutput.foreach(_.close())
    giveBack()
  }

  /** There are tasks for which more than one per core would be too many. */
  private def giveBack(): Unit = { changing(_.onePerCore()); () }

  /** How many tasks there may be, and so how much each may fetch at once: together as much as one per core in stock Spark. Returns whether they are
    * other than before.
    */
  private def changing(change: Concurrency => Unit): Boolean = synchronized {
    change(concurrency)
    val tasks = concurrency.tasks
    val others = tasks != told
    if (others) {
      send(s"tasks $executor $tasks")
      told = tasks
      Fetches.allowInFlight(inFlight * cores / tasks)
      if (!Slots.areGivenBack) resources.tasks.resize(tasks)
    }
    others
  }

  /** What each of its resources has to do. */
  def queues(): Seq[QueueLevel] = resources.levels()

  def end(multitask: Multitask): Unit = { running.remove(multitask); multitask.end() }

  /** Tasks that still run have their cores to the end. */
  def stop(): Unit = { stopped = true; LockSupport.unpark(watch) }

  private def watching(): Unit =
    try
      while ((!stopped || !running.isEmpty) && guard(look()).isDefined) {
        LockSupport.parkNanos(pause())
        rest()
      }
    finally {
      if (!stopped) withoutWatch(giveBack())
      resources.open() // without a watch a task could wait for ever for what one has that waits for it
    }

  /** Until the next look: longer where CPUs are so slow that looks would take more than a part in [[Share]] of one. */
  private def pause(): Long = {
    val cpu = CpuClock.nanos()
    val cost = cpu - cpuBefore
    cpuBefore = cpu
    if (newestStage > seenStage) { seenStage = newestStage; pauseNanos = LeastNanos }
    math.min(math.max(pauseNanos, cost * Share), MostNanos)
  }

  /** Until a task begins; the next one of a stage of short tasks does so at once. */
  private def rest(): Unit = if (running.isEmpty && !stopped) {
    LockSupport.parkNanos(Concurrency.EmptyNanos)
    if (running.isEmpty) {
      guard(changing(_.empty()))
      cpuLimit.forget()
      val since = System.nanoTime()
      resting = true
      if (running.isEmpty && !stopped) LockSupport.parkNanos(RestNanos)
      resting = false
      val rested = System.nanoTime() - since >= RestNanos // or a task woke it, which may be over by now
      if (rested) mapOutput.foreach(_.rests(running.isEmpty))
    }
    lending.computes(System.nanoTime())
  }

  private def look(): Unit = {
    val all = running.toArray(Array.empty[Multitask])
    val blocked = all.filter(task => task.computes && isBlocked(task.thread))
    blocked.foreach(task => if (task.mayHaveEarly) beginEarly(task))
    val quiet = blocked.isEmpty && all.length <= cores && all.forall(_.computes) // each task uses the core it has
    if (quiet) lending.computes(System.nanoTime())
    else {
      lend(all, blocked)
      resources.overdraw().foreach(resource =>
        ofGone.fires(s"nothing has ended at $resource for ten seconds; one more may use it")
      )
      resources.freeingFirst(TaskMemory.isShort)
    }
    val waits = resources.cpu.waits
    val queued = longestQueue(all)
    val now = System.nanoTime()
    val oneMoreHelps = concurrency.oneMoreHelps(
      all.length,
      resources.cpu.runs - concurrency.stillBlocked(blocked.map(_.number)),
      waits,
      // what has ended since has left a core that the next task is about to have
      all.forall(running.contains(_)) && {
        val youngest = all.maxBy(_.number)
        !(blocked.contains(youngest) && Activity.asksDriver(youngest.thread)) &&
        resources.areFreeAfter(youngest.waits, queued, all.length)
      } && cpuLimit.leavesSome(now)
    )
    if (changing(_.look(oneMoreHelps, all.length, queued, now, hasRoom(all.length))))
      cpuLimit.forget()
    pauseNanos =
      if (blocked.nonEmpty && waits > 0 || oneMoreHelps) LeastNanos
      else math.min(2 * pauseNanos, MostNanos)
  }

  /** How many tasks wait in it. */
  private def longestQueue(tasks: Array[Multitask]) =
    tasks.flatMap(_.waits).groupBy { case (gate, _) => gate }.values.map(_.length).maxOption.getOrElse(0)

  /** For one more task than these. */
  private def hasRoom(tasks: Int) =
    TaskMemory.isPlenty && container.isPlenty(tasks) && Heap.isPlenty(concurrency.atMost)

  private def lend(all: Array[Multitask], blocked: Array[Multitask]): Unit = {
    def state(task: Multitask) =
      if (blocked.contains(task)) Waits
      else if (!task.computes) HasNone
      else if (task.isStuck) Waits
      else Computes
    val now = System.nanoTime()
    val lent = resources.cpu.runs - cores
    val allowed = lending.look(all.toSeq.map(task => Task(task.number, state(task))), lent, Heap.isShort, now)
    resources.cpu.upTo(allowed.youngest)
    def isSeen(n: Int) = n < blocked.length
    (lent until allowed.lent).takeWhile { n =>
      resources.cpu.waits > 0 && (if (isSeen(n)) resources.cpu.overdraw() else resources.cpu.overdrawUnseen())
    }.foreach { n =>
      lending.computes(now)
      if (!isSeen(n))
        ofStuck.fires("a task neither computed nor waited for another thread for seconds; its core was lent")
    }
  }
}

private object Monotasks {

  /** Between two looks: soon again where a core may be lent or there may be too few tasks, seldom while all compute, as looks take
    * CPU time from them.
    */
  private final val LeastNanos = 2000000L
  private final val MostNanos = CoreLending.StillNanos / 2 // so that what is asked for after that is done then

  /** Without a task for so long it writes what it keeps of map output: longer than the end of a stage whose last tasks others run, and wait for these disks. */
  private final val RestNanos = 10000000000L
  private final val Share = 200L
  private final val PartOfResults = 4
  private val guard = new Guard("watching monotasks")
  private val withoutWatch = new Guard("giving tasks back")

  /** It waits for another thread: for fetched blocks, a lock, a broadcast variable, and uses no core meanwhile. */
  private def isBlocked(thread: Thread): Boolean = thread.getState match {
    case Thread.State.RUNNABLE | Thread.State.NEW => false
    case _ => true
  }
}
