package pellucid.model

import pellucid.demand.Use
import pellucid.disk.{BandwidthCurve, DiskProfile}
import pellucid.sched.{Concurrency, Monotask}
import pellucid.trace.{ApplicationInfo, MachineSample, Tasks, Trace}

/** The machines that an application ran on, as far as its log tells; the user may know more. */
final class Recorded(trace: Trace, known: Known) {

  /** Of a log with monotasks; others are estimated. */
  val monotasks: Boolean = trace.monotasks.size > 0
  private val table = if (monotasks) SmallReads.apart(trace) else Estimate.of(trace)

  /** What tasks waited for was measured. */
  private val observed = !monotasks && trace.byLaunch.exists(trace.tasks.is(_, Tasks.Observed))

  /** Of tasks whose waiting is a guess it would make nothing better, nor where the disk's speed does not tell how much it is. */
  private val hidesReads = observed && known.disk.isDefined

  /** What a task's time is known from, as the lab's predictions name it. */
  val variant: String = if (monotasks) "monotasks" else if (observed) "observed" else "stock"
  private val kinds = table.resources.map(Resource.of)

  /** Executors that ran tasks. */
  private val byHost = trace.byLaunch.map(trace.tasks.executor(_)).distinct.groupBy(trace.executors(_).host)
  private val machines = math.max(1, Use.machines(trace, trace.executorsThere))

  /** The same of every machine: what the machine with the median has, of the executors that are there at once. */
  private def ofMachine(amount: Int => Int): Int = median(byHost.values.map(Use.atOnce(trace, _, amount)))

  private def median(each: Iterable[Int]): Int =
    each.toIndexedSeq.sorted.lift(each.size / 2).fold(1)(math.max(1, _))

  private def slotsOf(executor: Int, of: Resource): Int =
    table.slots.iterator.collect { case ((`executor`, r), n) if kinds(r) == of => n }.sum

  /** What an object store serves at once comes by the same network, and has slots of its own: the replay has the most of both for all of it. */
  private def slotsOfNetwork(executor: Int): Int =
    table.slots.iterator.collect { case ((`executor`, r), n) if kinds(r) == Resource.Network => n }.maxOption.getOrElse(
      0
    )

  /** Several executors of a machine have the same. */
  private val disksNamed = median(byHost.values.map { executors =>
    table.slots.keysIterator.collect {
      case (e, r) if kinds(r) == Resource.Disk && executors.contains(e) => r
    }.toSet.size
  })
  private val disks = known.disks.getOrElse(disksNamed)

  private val coresOfTask = math.max(1, trace.application.taskCpus)

  /** Of an executor without monotasks, those of as many tasks as Spark gave it, or it ran at once. */
  private val cores = ofMachine { e =>
    val queued = if (monotasks) slotsOf(e, Resource.Cpu) else 0
    if (queued > 0) queued else math.max(1, trace.lanes.count(e)) * coresOfTask
  }

  /** A container that is held back has what it used in its busiest seconds; a machine what each of its executors had, or the container of all. */
  private lazy val limit: Option[Double] = byHost.values.flatMap { executors =>
    def most(executor: Int, millis: MachineSample => Long): Option[Double] = trace.machines.getOrElse(executor, Nil)
      .filter(m => m.coveredMillis > 0 && m.throttledMillis > m.coveredMillis * Recorded.HeldBack)
      .map(m => millis(m).toDouble / m.coveredMillis).maxOption
    executors.flatMap(most(_, _.usedCpuMillis)).maxOption.map { ofOne =>
      val thousandths = Use.atOnce(trace, executors, e => (most(e, _.cpuMillis).getOrElse(0.0) * 1000).round.toInt)
      math.max(ofOne, thousandths / 1000.0)
    }
  }.toSeq.sorted.lift(byHost.size / 2)
  private val cpus = math.min(cores.toDouble, known.cpus.orElse(limit).getOrElse(cores.toDouble))

  /** As if what is written to other machines took nothing of their disks and network. */
  private lazy val withoutOutput =
    new Work(trace, table, hidesReads, machines, disks, disksNamed, cpus, Output.Free, 0, None)

  private def bytesPerSecond(reads: Boolean): Option[Double] = {
    val work = withoutOutput
    val steps = (0 until table.size).filter(s =>
      work.kind(s) == Resource.Disk && work.phase(s).frees != reads && table.bytes(s) > 0
    )
    val bytes = steps.iterator.map(table.bytes(_).toDouble).sum
    val seconds = steps.iterator.map(work.micros(_)).sum / 1e6
    Option.when(bytes > 0 && seconds > 0)(bytes / seconds)
  }

  /** Monotasks tell how long the disk took; other tasks only how long they waited for what page caches had for the most part. */
  private lazy val measuredDisk: Option[DiskProfile] = if (!monotasks) None
  else {
    val read = bytesPerSecond(reads = true)
    val write = bytesPerSecond(reads = false)
    for (r <- read.orElse(write); w <- write.orElse(read))
      yield DiskProfile("as recorded", BandwidthCurve.flat(r), BandwidthCurve.flat(w))
  }

  /** The most that any network card received or sent in a sample: its speed is no less. */
  private lazy val peakBytesPerSecond: Option[Double] =
    trace.machines.valuesIterator.flatten.filter(_.coveredMillis > 0).flatMap(m =>
      m.nics.map(n => math.max(n.inBytes, n.outBytes) * 1000.0 / m.coveredMillis)
    ).maxOption.filter(_ > 0)

  private val cluster: Cluster = Cluster(
    machines,
    trace.application.replication.getOrElse(ApplicationInfo.DefaultReplication),
    cores,
    cpus,
    disks,
    known.disk.orElse(measuredDisk),
    known.networkBytesPerSecond.orElse(peakBytesPerSecond)
  )

  /** Of files that a stage writes to other machines, of that which writes most. */
  val blocks: Int = {
    val ofTask = new Array[Long](trace.tasks.size)
    for (s <- 0 until table.size if kinds(table.resource(s)) == Resource.Output)
      ofTask(table.task(s)) += table.bytes(s)
    val tasks = ofTask.indices.filter(ofTask(_) > 0).groupBy(trace.tasks.stage(_)).values
    tasks.map(_.map(t => (ofTask(t) - 1) / Output.BlockBytes + 1).sum).maxOption.fold(0)(_.min(Int.MaxValue).toInt)
  }

  private val slotsOfDisk: Int = math.max(
    1,
    table.slots.iterator.collect { case ((_, r), n) if kinds(r) == Resource.Disk => n }
      .maxOption.getOrElse(1)
  )

  private def balancesReplicas = monotasks && trace.application.balancesReplicas

  private def slots(namesOfDisk: Int): Slots =
    if (!monotasks) withoutQueues(cores)
    else {
      val network = ofMachine(slotsOfNetwork)
      Slots(
        cores,
        slotsOfDisk * namesOfDisk,
        network,
        ofMachine(slotsOf(_, Resource.Output)),
        tasks(cores, disks * slotsOfDisk, network)
      )
    }

  /** Stock Spark has no queues: what its tasks want is served at once. */
  private def withoutQueues(cores: Int): Slots = {
    val tasks = math.max(1, cores / coresOfTask)
    Slots(tasks, Int.MaxValue, Int.MaxValue, Int.MaxValue, tasks)
  }

  /** At once, at most. */
  private def tasks(cores: Int, disk: Int, network: Int) =
    Concurrency.most(cores, disk, network, trace.application.mostTasks)

  private def outputOn(cluster: Cluster, slots: Slots) =
    Output.of(cluster, blocks, math.min(slots.output, slots.tasks), balancesReplicas)

  val work = new Work(
    trace,
    table,
    hidesReads,
    machines,
    disks,
    disksNamed,
    cpus,
    outputOn(cluster, slots(namesOfDisk = 1)),
    known.disk.fold(0.0)(Output.secondsOfByte),
    known.dirtyBytes
  )

  /** What is written to a known disk goes to its page cache, which has slots of its own. */
  private val namesOfDisk = if (known.disk.isDefined) 1 else work.namesOfDisk
  private val now = slots(namesOfDisk)

  val setup: Setup = on(cluster)

  /** Other machines. */
  def on(other: Cluster): Setup = {
    val slotsThere = slotsOfDiskOn(other)
    val next =
      if (!monotasks) withoutQueues(other.cores)
      else
        now.copy(
          cores = other.cores,
          disk = slotsThere * namesOfDisk,
          output = outputSlots(other.disks, slotsThere),
          tasks = tasks(other.cores, other.disks * slotsThere, now.network)
        )
    Setup(other, next, outputOn(other, next))
  }

  /** In proportion to the slots of the machine's disks, where the user has set them. */
  private def outputSlots(disksThere: Int, slotsThere: Int) =
    if (balancesReplicas && now.output == cluster.disks * Monotask.slotsOfOutput(slotsOfDisk))
      disksThere * Monotask.slotsOfOutput(slotsThere)
    else
      math.max(1, math.round(now.output.toDouble * disksThere * slotsThere / (cluster.disks * slotsOfDisk)).toInt)

  /** Of another kind of disk, those that it has unless the user sets them. */
  private def slotsOfDiskOn(other: Cluster): Int = (known.disk, other.disk) match {
    case (Some(before), Some(next)) if before.isFlash != next.isFlash =>
      Monotask.slotsOfDisk(rotates = !next.isFlash)
    case _ => slotsOfDisk
  }

  private lazy val shuffles = (0 until trace.tasks.size).exists(trace.tasks.shuffleLocalBytes(_) > 0)

  /** What was taken for granted of `next`, in words. */
  def assumptions(next: Cluster): Seq[String] = trace.intake.lacks ++ Seq(
    Option.when(cluster.machines == 1 && next.machines > 1 && shuffles)(
      "on one machine no shuffle went through the network: what it would take between several is not in the prediction"
    ),
    Option.when(next.machines < cluster.machines && shuffles)(
      "on fewer machines more of a shuffle is read from a task's own machine: what that takes its disks is not in the prediction"
    ),
    Option.when(next.partitions.nonEmpty)(
      "stages that read a shuffle divide evenly into their new tasks, in the order of the recorded ones, and all that a task computes goes " +
        "with its part: many small tasks, as where each writes a file, take longer; so do tasks that have too little memory; adaptive execution may make fewer of them"
    ),
    Option.when(trace.paths.exists(use => use.inStore && use.bytes > 0))(
      "an object store sends and takes as much as the network of the machines does"
    ),
    Option.when(!monotasks)("the log has no monotasks: those of its tasks are estimated from the phases of their time"),
    Option.when(known.cpus.isEmpty && limit.isDefined)(
      f"a container's limit held tasks back: $cpus%.2f CPUs of a machine, the most that was used (--cpus-now says otherwise)"
    ),
    Option.when(known.disks.isEmpty)(
      if (!monotasks) "one disk of a machine now, as the log does not say (--disks-now does)"
      else
        s"$disks ${if (disks == 1) "disk" else "disks"} of a machine now, as tasks used them (--disks-now says otherwise)"
    ),
    Option.when(known.disk.isEmpty)(measuredDisk.fold(
      "the speed of the disks now is not known (--disk-now says it)"
    )(_ => "a disk now is as fast as it was for the recorded requests (--disk-now says otherwise)")),
    Option.when(next != cluster && work.dirtyIsUnknown)(
      "no task waited for room in a page cache: as if there always were some for what is written " +
        s"(--dirty-now${if (known.disk.isEmpty) " with --disk-now" else ""} says how much)"
    ),
    Option.when(known.networkBytesPerSecond.isEmpty)(peakBytesPerSecond.fold(
      "the speed of the network now is not known (--network-now says it)"
    )(peak =>
      s"the network now has ${Axes.speed(peak * 8 / 1e6)}, the most that was seen: where it has more, a faster one is worth less (--network-now says it)"
    ))
  ).flatten
}

private object Recorded {

  /** Of the time: less is said by a limit that hardly mattered. */
  private final val HeldBack = 0.05
}

/** What the user knows of the machines of the recording.
  *
  * @param dirtyBytes that the page cache of a machine takes for one disk before tasks wait for it, where none waited that shows it
  */
final case class Known(
    cpus: Option[Double] = None,
    disks: Option[Int] = None,
    disk: Option[DiskProfile] = None,
    networkBytesPerSecond: Option[Double] = None,
    dirtyBytes: Option[Double] = None
)
