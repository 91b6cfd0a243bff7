package pellucid.model

import pellucid.disk.DiskProfile
import pellucid.sched.MonotaskPhase
import pellucid.trace.Trace

/** How long each step takes, of its resource alone, on other machines than the recorded ones (thesis sections 5.6.2 to 5.6.4).
  *
  * A disk's step takes as long as its bytes at the disk's bandwidth for requests of that size (Doppio section 3); what reading took longer
  * than that goes with the time of a faster disk's seeks. Of a network step the time that its bytes need goes with the
  * network's bandwidth, and with the part of the shuffle that is on other machines: (n-1)/n of it with n machines; so does what it waits
  * beside others, but for the least that any step took longer than its bytes: that is the time that answers need, and stays. So does what
  * the median of a stage's tasks takes longer than its bytes for what is written to other machines, whose bytes go with [[Output]].
  *
  * @param staying of each step, [[Staying]], and of each stage what is `deserialized`, [[Deserialized]]
  * @param idling how many times as long as a disk needs for it takes what goes to page caches
  */
final class Scaling(
    trace: Trace,
    work: Work,
    staying: Array[Double],
    deserialized: Array[Double],
    compression: Compression,
    before: Setup,
    after: Setup,
    idling: Double
) {
  import after.{cluster => next}
  import before.{cluster => now}
  private val table = work.table

  private val network =
    (for (a <- now.networkBytesPerSecond; b <- next.networkBytesPerSecond) yield a / b).getOrElse(1.0)

  private val remoteShuffle =
    if (now.machines == 1) 1.0 else (1 - 1.0 / next.machines) / (1 - 1.0 / now.machines)

  private val output = if (before.output.network > 0) after.output.network / before.output.network else 1.0

  private def disk(bytesPerSecond: DiskProfile => Double): Double =
    (for (a <- now.disk; b <- next.disk) yield bytesPerSecond(a) / bytesPerSecond(b)).getOrElse(1.0)

  private lazy val seekMicros = now.disk.fold(0.0)(SmallReads.seekMicros)

  private val seek = disk(1 / SmallReads.seekMicros(_))

  private def reads(step: Int) = work.kind(step) == Resource.Disk && !work.phase(step).frees

  /** What reading its bytes took, and the seeks that it took beside them: for directories, inodes and checksums, or as the kernel's requests were smaller
    * than the task's. Of a slower disk no more than a small read's own seeks are slower: the rest of what a fast one took was not the disk's.
    */
  private def read(step: Int, micros: Double, ratio: Double): Double =
    if (ratio > 1) {
      val slower = if (SmallReads.isOne(table, step)) math.min(micros, seekMicros) else micros
      micros + slower * (ratio - 1)
    } else {
      val ofBytes = bytesMicros(step).fold(micros)(math.min(micros, _))
      ofBytes * ratio + (micros - ofBytes) * math.min(ratio, seek)
    }

  /** What reading its bytes takes a disk now, if its speed is known. */
  private def bytesMicros(step: Int): Option[Double] = {
    val bytes = table.bytes(step).toDouble
    now.disk.map(bytes / _.readBytesPerSecond(bytes) * 1e6)
  }

  /** Of a read that begins ahead, where the log does not have all of it, what its task did not wait for as it computed: of what its bytes need. */
  private def hidden(step: Int): Double =
    if (
      work.hidesReads && work.isAhead(step) && step + 1 < work.last(table.task(step)) &&
      work.kind(step + 1) == Resource.Cpu
    )
      bytesMicros(step).fold(0.0)(math.min(work.micros(step + 1), _))
    else 0

  private def ratio(step: Int): Double = {
    val bytes = table.bytes(step).toDouble
    val inMemory = next.inputInMemory && work.phase(step) == MonotaskPhase.InputRead
    work.kind(step) match {
      case kind if inMemory || next.without(kind) => 0
      case Resource.Disk if work.phase(step).frees => disk(_.writeBytesPerSecond(bytes))
      case Resource.Disk => disk(_.readBytesPerSecond(bytes))
      case Resource.Network => network * (if (work.phase(step) == MonotaskPhase.ShuffleRead) remoteShuffle else 1)
      case Resource.Output => output
      case Resource.Cpu =>
        val stage = trace.tasks.stage(table.task(step))
        1 - (if (next.inputInMemory) deserialized(stage) else 0) -
          (if (next.plainShuffles) compression.cpu(stage) else 0)
    }
  }

  /** How many times as many bytes it moves. */
  private def growth(step: Int): Double =
    if (next.plainShuffles) compression.growth(trace.tasks.stage(table.task(step)), work.phase(step)) else 1

  /** By step. */
  val micros: Array[Double] = Array.tabulate(table.size) { step =>
    val same = staying(step)
    val to = ratio(step)
    val more = work.micros(step) + hidden(step) - same
    if (to == 0 && work.kind(step) != Resource.Output) 0
    else if (work.kind(step) == Resource.Output && before.output.network == 0)
      work.micros(step) + table.bytes(step) * after.output.network * 1e6
    else same + (if (reads(step)) read(step, more, to) else more * to) * growth(step)
  }

  /** What a part of the step takes: of what does not depend on how much it is, it has `lot` in place of `share`. */
  def part(step: Int, share: Double, lot: Double): Double = {
    val same = math.min(staying(step), micros(step))
    same * lot + (micros(step) - same) * share
  }

  private val alone = if (next.without(Resource.Disk)) 0 else disk(1 / Output.secondsOfByte(_))
  private val written = alone * idling

  /** How long the step keeps its resource busy: what goes to a page cache longer, or less long, than its task waits. */
  def busy(step: Int): Double =
    if (work.kind(step) == Resource.Disk && work.needs(step) > 0) work.needs(step) * alone * growth(step)
    else micros(step)

  /** Of what goes to page caches: what a disk needs for the step's bytes, and for as much as may be there while it idles, and before tasks wait. */
  def needs(step: Int): Double =
    if (work.kind(step) == Resource.Output) table.bytes(step) * after.output.disk * idling * 1e6
    else work.needs(step) * written * growth(step)
  val idle: Double = work.idle * written
  val allowance: Double = if (written > 0) work.allowance * written else 0
  val allowanceOfOutput: Double = if (written > 0) work.allowanceOfOutput * written else 0
}

/** How long each step takes on whatever machines. */
private[model] final class Staying(trace: Trace, work: Work, now: Setup) {
  private val table = work.table
  private val steps = 0 until table.size

  /** The least that a fetch took longer than its bytes need. */
  private val latency: Double = steps.iterator
    .filter(s => isAskedFor(s) && table.bytes(s) > 0)
    .map(s =>
      math.max(0.0, work.micros(s) - table.bytes(s) * now.cluster.networkBytesPerSecond.fold(0.0)(1 / _) * 1e6)
    ).minOption.getOrElse(0.0)

  /** A fetch, or what an object store sends, but for the rest of one that its task went on without, which was asked for before. */
  private def isAskedFor(step: Int) =
    work.kind(step) == Resource.Network && !work.phase(step).frees && !work.isAhead(step)

  /** Of the time that each task took for its output, the part that does not depend on how much it is: what the median of its stage's tasks took
    * longer than its bytes need, and where they waited for the network the least, as the others waited for what is uneven in it. Bytes are written in
    * one step, and waited for in another, which closes the file.
    */
  private val closing: Array[Double] = {
    val bytes, micros = new Array[Double](trace.tasks.size)
    for (s <- steps if work.kind(s) == Resource.Output) {
      bytes(table.task(s)) += table.bytes(s).toDouble
      micros(table.task(s)) += work.micros(s)
    }
    val needs = now.output.network * 1e6
    val same = bytes.indices.filter(micros(_) > 0).groupBy(trace.tasks.stage(_)).map { case (stage, tasks) =>
      val longer = tasks.map(t => math.max(0.0, micros(t) - bytes(t) * needs)).sorted
      stage -> longer(if (work.outputWaitedFor(stage).contains(Resource.Network)) 0 else longer.size / 2)
    }
    Array.tabulate(bytes.length)(t => if (micros(t) > 0) math.min(1, same(trace.tasks.stage(t)) / micros(t)) else 0.0)
  }

  /** The least that small reads took longer than their seeks. */
  private val answers: Double = {
    val small = steps.iterator.filter(s => SmallReads.isOne(table, s) && work.micros(s) > 0).map(work.micros(_))
    small.minOption.fold(0.0)(least => math.max(0, least - now.cluster.disk.fold(0.0)(SmallReads.seekMicros)))
  }

  /** By step. */
  val micros: Array[Double] = Array.tabulate(table.size) { step =>
    work.kind(step) match {
      case Resource.Disk if SmallReads.isOne(table, step) => math.min(work.micros(step), answers)
      case _ if isAskedFor(step) => math.min(work.micros(step), latency)
      case Resource.Output => work.micros(step) * closing(table.task(step))
      case _ => 0
    }
  }
}

/** Of the time for which each stage computed, the part in which samples showed one of these `kinds`: CPU time or not. */
private[model] object SampledPart {
  def of(trace: Trace, work: Work, kinds: Set[String]): Array[Double] = {
    val seen, all = new Array[Double](trace.stages.size)
    for (use <- trace.paths if use.sampled && kinds(use.kind)) seen(use.stage) += use.micros.toDouble
    for (step <- 0 until work.table.size if work.kind(step) == Resource.Cpu)
      all(trace.tasks.stage(work.table.task(step))) += work.table.serviceMicros(step).toDouble
    Array.tabulate(all.length)(s => if (all(s) > 0) math.min(1.0, seen(s) / all(s)) else 0.0)
  }

  def readsInput(trace: Trace, stage: Int): Boolean = trace.tasksOfStage(stage).exists(trace.tasks.inputBytes(_) > 0)
}

/** Of the time for which each stage that reads input computed, the part that deserialized it. */
private[model] object Deserialized {
  def of(trace: Trace, work: Work): Array[Double] = {
    val part = SampledPart.of(trace, work, Set("deserialize", "decompress"))
    Array.tabulate(part.length)(s => if (SampledPart.readsInput(trace, s)) part(s) else 0.0)
  }
}
