package pellucid.model

import pellucid.sched.MonotaskPhase
import pellucid.trace.{MonotaskTable, PathTable, Trace}

/** What the tasks of an application did: the steps of each, one after the other, and what each step had of its resource alone.
  *
  * Of n monotasks that one device serves at once each has an n-th of it; so has each of n stretches of computing on fewer cores (the core of
  * one that is blocked is lent to another). The shares of a device's steps add up to the time in which it had something to do, and
  * can be laid out anew for a device that is faster, or has others beside them.
  *
  * @param table the recorded monotasks, or estimates of them ([[Estimate]])
  * @param hidesReads whether what tasks read next is read while they compute, as it is in stock Spark by the kernel and by datanodes: the log has only what
  *                   tasks waited for it
  * @param machines       that there were at once
  * @param disksOfMachine physical disks of each machine, of which executors have told `disksNamed`
  * @param cpus that a machine's cores really have together
  * @param output of the recorded machines
  * @param secondsOfByte that one of their disks needs to write it; 0 where it is not known
  * @param dirtyBytes that may be in a page cache for one disk, if the user says it
  */
final class Work(
    trace: Trace,
    val table: MonotaskTable,
    val hidesReads: Boolean,
    val machines: Int,
    val disksOfMachine: Int,
    disksNamed: Int,
    cpus: Double,
    output: Output,
    secondsOfByte: Double,
    dirtyBytes: Option[Double]
) {
  import Work._

  /** Those that ran tasks, and those that could have, by number. */
  val hosts: IndexedSeq[String] =
    (trace.byLaunch.iterator.map(trace.host) ++
      trace.executorsThere.iterator.map(trace.executors(_).host)).distinct.toIndexedSeq
  private val hostOfExecutor = trace.executors.map(e => hosts.indexOf(e.host)).toArray
  def hostOf(task: Int): Int = hostOfExecutor(trace.tasks.executor(task))

  val kinds: Array[Resource] = table.resources.map(Resource.of).toArray
  def kind(step: Int): Resource = kinds(table.resource(step))
  def phase(step: Int): MonotaskPhase = MonotaskPhase.all(table.phase(step))
  def usesNetwork(step: Int): Boolean = kind(step) == Resource.Network || kind(step) == Resource.Output

  /** Steps of a task row are those from `first` until `last`. */
  val first, last = new Array[Int](trace.tasks.size)
  for (step <- 0 until table.size) {
    val task = table.task(step)
    if (last(task) == 0) first(task) = step
    last(task) = step + 1
  }

  /** Whether it begins before its task asks for it: as soon as the task goes on from the read or the fetch before, or in a log of monotasks at its start. */
  def isAhead(step: Int): Boolean = kind(step) match {
    case Resource.Disk => (hidesReads || table.ahead(step) == 1) && phase(step) == MonotaskPhase.InputRead
    case Resource.Network => table.ahead(step) == 1
    case _ => false
  }

  def begin(step: Int): Long = table.beginMicros(step)
  def end(step: Int): Long = table.endMicros(step)

  /** Time from a task's launch to its first step, and from its last to its finish: of a task without steps, all of its time. */
  val beforeMicros, afterMicros = new Array[Long](trace.tasks.size)
  for (task <- first.indices) {
    val launch = trace.tasks.launchMillis(task) * 1000
    val finish = trace.tasks.finishMillis(task) * 1000
    if (last(task) == 0) beforeMicros(task) = finish - launch
    else {
      val all = finish - launch
      beforeMicros(task) = math.max(0L, math.min(all, table.queuedMicros(first(task)) - launch))
      afterMicros(task) = math.max(0L, math.min(all - beforeMicros(task), finish - end(last(task) - 1)))
    }
  }

  /** The number of each disk among those of its machine, by machine and name. A datanode and Spark give one disk two names, and each has its own order. */
  private val diskNumber: Map[(Int, Int), Int] = {
    val named = (0 until table.size).iterator.filter(kind(_) == Resource.Disk)
      .map(step => (hostOf(table.task(step)), table.resource(step))).toSet
    named.groupBy { case (host, name) => (host, table.resources(name).startsWith(Storage)) }
      .valuesIterator.flatMap(_.toSeq.sorted.zipWithIndex).toMap
  }

  /** Names per physical disk: as many monotasks at once as it has names, and slots of each. */
  val namesOfDisk: Int = {
    val most = diskNumber.keySet.groupBy(_._1).valuesIterator.map(_.size).maxOption.getOrElse(0)
    math.max(1, math.round(most.toDouble / disksOfMachine).toInt)
  }

  /** Number of the step's disk on its machine. Where a name stands for several of them, its machine's tasks take turns. */
  val disk: Array[Int] = {
    val turn = new Array[Int](trace.tasks.size)
    if ((diskNumber.valuesIterator.map(_ + 1) ++ Iterator(disksNamed)).max < disksOfMachine)
      for (ofHost <- trace.byLaunch.groupBy(hostOf).valuesIterator; (task, n) <- ofHost.zipWithIndex) turn(task) = n
    Array.tabulate(table.size) { s =>
      val task = table.task(s)
      (diskNumber.getOrElse((hostOf(task), table.resource(s)), 0) + turn(task)) % disksOfMachine
    }
  }

  /** All physical ones. */
  private[model] val disks: Int = machines * disksOfMachine

  /** What the disk needs for what the step writes there, though the task waits at most until there is room in the page cache; of what it writes to
    * other machines, the mean disk.
    */
  def needs(step: Int): Double = kind(step) match {
    case Resource.Disk if phase(step).frees => table.bytes(step) * secondsOfByte * 1e6
    case Resource.Output => table.bytes(step) * output.disk * output.replicas / disks * 1e6
    case _ => 0
  }

  private def dirtyMicros(part: Double): Option[Double] = dirtyBytes.map(_ * part * secondsOfByte * 1e6)

  /** What is in a page cache before its disk begins to write, as the time that the disk needs for it. */
  val idle: Double = dirtyMicros(PageCache.Begins).getOrElse(0.0)

  /** Beyond that, before tasks wait for the disk, if the user says it. */
  private val told: Option[Double] = dirtyMicros(PageCache.Waits - PageCache.Begins)

  /** What page caches take for a disk before any task waits for it, if the user says it. */
  val room: Option[Double] = dirtyMicros(PageCache.Waits)

  /** Of steps that write to a page cache of their machine: when the disk has written what was in it and is theirs, if it goes on writing. */
  private val clean: Map[Int, Double] = {
    val writing = (0 until table.size).filter(needs(_) > 0)
    val (ofAll, others) = writing.partition(kind(_) == Resource.Output)
    val everywhere = ofAll.sortBy(begin)
    others.groupBy(s => (hostOf(table.task(s)), disk(s))).valuesIterator.flatMap { steps =>
      val cache = new PageCache(idle)
      var next = 0
      def write(step: Int) = cache.write(begin(step), needs(step))
      steps.sortBy(begin).map { step =>
        while (next < everywhere.size && begin(everywhere(next)) < begin(step)) { write(everywhere(next)); next += 1 }
        step -> write(step)
      }
    }.toMap
  }

  /** What was left when those went on that had waited for the disk, in the mean of their bytes, as the time that it needs for it; None where none had. */
  private val left: Option[Double] = {
    val waited =
      clean.keysIterator.filter(s => clean(s) > end(s) && table.serviceMicros(s) >= needs(s) * Waited).toSeq
    val needed = waited.map(needs).sum
    Option.when(needed > 0)(waited.map(s => needs(s) * (clean(s) - end(s))).sum / needed)
  }

  /** How much a disk may have to write before tasks wait for it, as the time that it needs for it. */
  val allowance: Double = told.orElse(left).getOrElse(Double.PositiveInfinity)

  /** What a step that writes to a page cache took when the disk had nothing left to write. */
  def apart(step: Int): Double =
    clean.get(step).fold(0.0)(until => math.max(0, end(step) - math.max(until, begin(step).toDouble)))

  /** What the step had of its resource, and of page caches of other machines. */
  private val had: Array[Double] = {
    val out = new Array[Double](table.size)
    val steps = (0 until table.size).filter(table.serviceMicros(_) > 0)
    for ((_, ofHost) <- steps.groupBy(s => hostOf(table.task(s)))) {
      def of(kinds: Resource*) = ofHost.filter(s => kinds.contains(kind(s)))
      val (cached, onDisk) = of(Resource.Disk).partition(clean.contains)
      lay(of(Resource.Cpu), _ => 0, Array(1.0), (running, speed) => speed(0) = math.min(running(0).toDouble, cpus), out)
      lay(onDisk, disk, Array.fill(disksOfMachine)(1.0), (_, _) => (), out)
      val shares = new Shares(output)
      def network(running: Array[Int], speed: Array[Double]): Unit = {
        shares.of(running(0), running(1))
        speed(0) = shares.fetched
        speed(1) = shares.written
      }
      lay(
        of(Resource.Network, Resource.Output),
        s => if (kind(s) == Resource.Output) 1 else 0,
        Array(1.0, 1.0),
        network,
        out
      )
      cached.foreach(s => out(s) = table.serviceMicros(s).toDouble)
    }
    out
  }

  private val outputWaits = new OutputWaits(trace, this, output, had)

  /** The same before what is written to other machines waits for it. */
  val allowanceOfOutput: Double = told.orElse(outputWaits.left).orElse(left).getOrElse(Double.PositiveInfinity)

  /** Whether tasks wrote to page caches of which nothing tells how much they take. */
  def dirtyIsUnknown: Boolean =
    (clean.nonEmpty && allowance.isInfinite) || (outputWaits.areKnown && allowanceOfOutput.isInfinite)

  /** What the output of a stage waited for most of the time, disks or the network, if for any. */
  def outputWaitedFor(stage: Int): Option[Resource] = outputWaits.waitedFor(stage)

  /** What the step had of its resource alone. */
  val micros: Array[Double] = outputWaits.without(allowanceOfOutput)

  private lazy val cpuBeside = new Beside(trace, this)

  /** CPU time beside a step's own that comes with each microsecond of what it has of its resource. */
  def beside(step: Int): Double = cpuBeside.of(step)

  /** Of some devices, of each of which the running steps have the same part.
    *
    * @param speed of each, and `changes` of it by how many steps of each run
    */
  private def lay(
      steps: IndexedSeq[Int],
      device: Int => Int,
      speed: Array[Double],
      changes: (Array[Int], Array[Double]) => Unit,
      out: Array[Double]
  ): Unit = {
    // (moment, whether a step begins, step): ends first
    val moments = (steps.map(s => (begin(s), 1, s)) ++ steps.map(s => (end(s), 0, s))).sorted
    val running = new Array[Int](speed.length)
    val had = new Array[Double](speed.length) // by a step that was there from the first moment on
    var at = moments.headOption.fold(0L)(_._1)
    val before = new java.util.HashMap[Integer, java.lang.Double]
    for ((moment, begins, step) <- moments) {
      if (moment > at) {
        changes(running, speed)
        for (d <- had.indices if running(d) > 0) had(d) += (moment - at) * speed(d) / running(d)
        at = moment
      }
      val d = device(step)
      running(d) += 2 * begins - 1
      if (begins == 1) before.put(step, had(d)) else out(step) = had(d) - before.get(step)
    }
  }
}

private object Work {

  /** Begins the name that a datanode gives a disk. */
  private final val Storage = "disk:DS-"

  /** A part of what the disk needs: those that took less have copied their bytes to memory. */
  private[model] final val Waited = 0.2
}

/** A kind of resource that a step uses. */
sealed abstract class Resource(val name: String)
object Resource {
  case object Cpu extends Resource("cpu")
  case object Disk extends Resource("disk")
  case object Network extends Resource("network")

  /** What is written to other machines: their disks and the network between. */
  case object Output extends Resource("output")

  val all: IndexedSeq[Resource] = IndexedSeq(Cpu, Disk, Network, Output)

  def of(name: String): Resource =
    if (name == "cpu") Cpu
    else if (name.startsWith("disk")) Disk
    else if (name == "network" || name.startsWith(PathTable.Store)) Network
    else Output
}
