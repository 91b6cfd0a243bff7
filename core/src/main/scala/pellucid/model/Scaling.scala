package pellucid.model

import pellucid.disk.DiskProfile
import pellucid.sched.MonotaskPhase
import pellucid.trace.Trace

/** How long each step takes, of its resource alone, on other machines than the recorded ones (thesis sections 5.6.2 to 5.6.4).
  *
  * A disk's step takes as long as its bytes at the disk's bandwidth for requests of that size (Doppio section 3). Of a network
  * step the time that its bytes need goes with the network's bandwidth, and with the part of the shuffle that is on other
  * machines: (n-1)/n of it with n machines; so does what it waits beside others, but for the least that any step took longer than its
  * bytes: that is the time that answers need, and stays. What is written to other machines takes as long as the slower of their disks
  * and the network.
  */
final class Scaling(trace: Trace, work: Work, now: Cluster, next: Cluster) {
  private val table = work.table
  private val steps = 0 until table.size

  /** The least that a step took longer than its bytes need. */
  private def latency(of: Resource, secondsOfByte: Double) =
    steps.iterator.filter(s => work.kind(s) == of && table.bytes(s) > 0)
      .map(s => math.max(0.0, work.micros(s) - table.bytes(s) * secondsOfByte * 1e6)).minOption.getOrElse(0.0)
  private val networkLatency = latency(Resource.Network, now.networkBytesPerSecond.fold(0.0)(1 / _))
  private val outputLatency = latency(Resource.Output, outputSeconds(now))

  private val network =
    (for (a <- now.networkBytesPerSecond; b <- next.networkBytesPerSecond) yield a / b).getOrElse(1.0)

  private val remoteShuffle =
    if (now.machines == 1) 1.0 else (1 - 1.0 / next.machines) / (1 - 1.0 / now.machines)

  /** Seconds that a byte takes of a machine, where every machine writes: all replicas' disks, or all but the first through the network.
    * Datanodes' page caches make large requests of small files.
    */
  private def outputSeconds(c: Cluster) = {
    val disk = c.disk.fold(0.0)(d => c.replicas / (c.disks * d.writeBytesPerSecond(Scaling.LargeBytes)))
    val network = c.networkBytesPerSecond.fold(0.0)((c.replicas - 1) / _)
    math.max(if (c.without(Resource.Disk)) 0 else disk, if (c.without(Resource.Network)) 0 else network)
  }

  /** Of the CPU time of each stage, what deserialized its input, as samples showed. */
  private val deserialized: Array[Double] = {
    val seen, all = new Array[Double](trace.stages.size)
    for (use <- trace.paths if use.sampled && (use.kind == "deserialize" || use.kind == "decompress"))
      seen(use.stage) += use.micros.toDouble
    for (step <- steps if work.kind(step) == Resource.Cpu) all(trace.tasks.stage(table.task(step))) += work.micros(step)
    Array.tabulate(seen.length)(s => if (all(s) > 0) math.min(1.0, seen(s) / all(s)) else 0.0)
  }

  private val readsInput: Array[Boolean] = {
    val reads = new Array[Boolean](trace.stages.size)
    for (task <- 0 until trace.tasks.size if trace.tasks.inputBytes(task) > 0) reads(trace.tasks.stage(task)) = true
    reads
  }

  private val output = if (outputSeconds(now) > 0) outputSeconds(next) / outputSeconds(now) else 1.0

  private def disk(bytesPerSecond: DiskProfile => Double): Double =
    (for (a <- now.disk; b <- next.disk) yield bytesPerSecond(a) / bytesPerSecond(b)).getOrElse(1.0)

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
        if (next.inputInMemory && readsInput(stage)) 1 - deserialized(stage) else 1
    }
  }

  private def fixed(step: Int): Double = work.kind(step) match {
    case Resource.Network => networkLatency
    case Resource.Output => outputLatency
    case _ => 0
  }

  /** By step. */
  val micros: Array[Double] = Array.tabulate(table.size) { step =>
    val same = math.min(work.micros(step), fixed(step))
    val to = ratio(step)
    if (to == 0) 0 else same + (work.micros(step) - same) * to
  }
}

private object Scaling {
  private final val LargeBytes = 128e6
}
