package pellucid.trace

import scala.collection.mutable

import MachineSample.some

/** What an executor's machine did in a stretch of time in which tasks ran, as the plugin read it from the kernel's counters.
  *
  * `coveredMillis` of the time between the two moments were measured. CPU times and `throttledMillis` are added up over cores and
  * threads; `cpuMillis` is the executor's own JVM, `machineCpuMillis` all processes of the machine.
  */
final case class MachineSample(
    fromMillis: Long,
    untilMillis: Long,
    coveredMillis: Long,
    cores: Int,
    cpuMillis: Long,
    machineCpuMillis: Long,
    /** Threads that ran or could have run: at the end of each second, on average. */
    runnable: Double,
    throttledMillis: Long,
    /** The most that was seen. */
    heapBytes: Long,
    gcMillis: Long,
    disks: IndexedSeq[DiskSample],
    nics: IndexedSeq[NicSample],
    /** Of the executor's shuffle files, to others, and how long its disks kept the threads that sent it. */
    servedBytes: Long = 0,
    servedBlockedMicros: Long = 0,
    /** CPU time of all processes of the executor's container, the executor among them; 0 where it is not known. */
    containerCpuMillis: Long = 0,
    /** How long what was served waited for a disk's other monotasks. */
    servedQueuedMicros: Long = 0,
    /** Of the resources of its monotasks that were in use. */
    queues: IndexedSeq[QueueSample] = Vector.empty
) {

  /** Of all processes beside which the executor has its cores, or at least of itself. */
  def usedCpuMillis: Long = math.max(cpuMillis, containerCpuMillis)

  /** Between two moments, with this part of all that was counted. */
  def between(from: Long, until: Long, part: Double): MachineSample = copy(
    fromMillis = from,
    untilMillis = until,
    coveredMillis = some(coveredMillis, part),
    cpuMillis = some(cpuMillis, part),
    machineCpuMillis = some(machineCpuMillis, part),
    throttledMillis = some(throttledMillis, part),
    gcMillis = some(gcMillis, part),
    disks = disks.map(_ * part),
    nics = nics.map(_ * part),
    servedBytes = some(servedBytes, part),
    servedBlockedMicros = some(servedBlockedMicros, part),
    containerCpuMillis = some(containerCpuMillis, part),
    servedQueuedMicros = some(servedQueuedMicros, part),
    queues = queues.map(q => q.copy(overdrawn = some(q.overdrawn, part)))
  )

  /** Both as one, of whatever lies between them nothing is known. */
  def +(later: MachineSample): MachineSample = {
    val covered = coveredMillis + later.coveredMillis
    MachineSample(
      fromMillis,
      later.untilMillis,
      covered,
      math.max(cores, later.cores),
      cpuMillis + later.cpuMillis,
      machineCpuMillis + later.machineCpuMillis,
      if (covered > 0) (runnable * coveredMillis + later.runnable * later.coveredMillis) / covered else 0,
      throttledMillis + later.throttledMillis,
      math.max(heapBytes, later.heapBytes),
      gcMillis + later.gcMillis,
      MachineSample.joined(disks, later.disks)(_.name)(_ + _),
      MachineSample.joined(nics, later.nics)(_.name)(_ + _),
      servedBytes + later.servedBytes,
      servedBlockedMicros + later.servedBlockedMicros,
      containerCpuMillis + later.containerCpuMillis,
      servedQueuedMicros + later.servedQueuedMicros,
      MachineSample.joined(levels(covered), later.levels(covered))(_.resource)(_ + _)
    )
  }

  /** As its part of so much time. */
  private def levels(millis: Long) = {
    val part = if (millis > 0) coveredMillis.toDouble / millis else 0.0
    queues.map(q => q.copy(running = q.running * part, waiting = q.waiting * part))
  }
}

object MachineSample {
  private[trace] def some(counted: Long, part: Double): Long = math.round(counted * part)

  private def joined[A, K: Ordering](one: IndexedSeq[A], other: IndexedSeq[A])(name: A => K)(add: (A, A) => A) =
    if (one.map(name) == other.map(name)) one.lazyZip(other).map(add)
    else (one ++ other).groupBy(name).toIndexedSeq.sortBy(_._1).map(_._2.reduce(add))
}

/** `busyMillis`: in which the device had a request. */
final case class DiskSample(
    name: String,
    reads: Long,
    readBytes: Long,
    writes: Long,
    writtenBytes: Long,
    busyMillis: Long
) {
  def +(o: DiskSample): DiskSample = DiskSample(
    name,
    reads + o.reads,
    readBytes + o.readBytes,
    writes + o.writes,
    writtenBytes + o.writtenBytes,
    busyMillis + o.busyMillis
  )

  def *(part: Double): DiskSample = DiskSample(
    name,
    some(reads, part),
    some(readBytes, part),
    some(writes, part),
    some(writtenBytes, part),
    some(busyMillis, part)
  )
}

final case class NicSample(name: String, inBytes: Long, outBytes: Long) {
  def +(o: NicSample): NicSample = NicSample(name, inBytes + o.inBytes, outBytes + o.outBytes)
  def *(part: Double): NicSample = NicSample(name, some(inBytes, part), some(outBytes, part))
}

/** Of a resource of an executor's monotasks, by its number in [[MonotaskTable.resources]]: how many used it and how many waited for it at the end of each
  * second, on average, and how often one more began than it has slots, since nothing had ended there for long.
  */
final case class QueueSample(resource: Int, running: Double, waiting: Double, overdrawn: Long) {
  def +(o: QueueSample): QueueSample =
    QueueSample(resource, running + o.running, waiting + o.waiting, overdrawn + o.overdrawn)
}

/** The samples of each executor, by its row, in the order of time. Beyond `most` of an executor neighbours are joined, so that a long application costs no more than a short one.
  */
final class MachineTable(most: Int) {
  private val samples = mutable.LinkedHashMap.empty[Int, Vector[MachineSample]]

  def add(executor: Int, sample: MachineSample): Unit = {
    val all = samples.getOrElse(executor, Vector.empty) :+ sample
    samples(executor) = if (all.size <= most) all else all.grouped(2).map(_.reduce(_ + _)).toVector
  }

  def forget(until: Long): Unit = samples.mapValuesInPlace((_, all) => all.dropWhile(_.untilMillis <= until))

  def result: Map[Int, IndexedSeq[MachineSample]] = samples.filter(_._2.nonEmpty).toMap
}

object MachineTable {
  final val MostSamples = 512
}
