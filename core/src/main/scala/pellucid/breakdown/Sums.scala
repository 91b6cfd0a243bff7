package pellucid.breakdown

import pellucid.report.{Breakdown, Demand, WaitingAtMost}
import pellucid.trace.Tasks

/** Sums over task attempts: their time by phase, and their demand on each resource. */
final class Sums {
  private var tasks = 0
  private var durationNanos, cpuNanos = 0L
  private val phases = new Array[Long](Phase.Count)
  private var inputAtMost, outputAtMost, spillAtMost, pythonAtMost = 0L
  private var input, output, shuffleRemote, shuffleLocal, shuffleWrite, diskSpilled, memorySpilled = 0L

  /** Blocked time at most on disk, and on the network. */
  var diskAtMost, networkAtMost = 0L

  /** `of` is loaded with `row`. */
  def add(of: TaskPhases, t: Tasks, row: Int): Unit = {
    tasks += 1
    durationNanos += t.durationMillis(row) * 1000000L
    cpuNanos += t.cpuNanos(row)
    var i = 0
    while (i < phases.length) { phases(i) += of.nanos(i); i += 1 }
    inputAtMost += of.inputAtMost
    outputAtMost += of.outputAtMost
    spillAtMost += of.spillAtMost
    pythonAtMost += of.pythonAtMost
    diskAtMost += of.diskAtMost
    networkAtMost += of.networkAtMost
    input += t.inputBytes(row)
    output += t.outputBytes(row)
    shuffleRemote += t.shuffleRemoteBytes(row)
    shuffleLocal += t.shuffleLocalBytes(row)
    shuffleWrite += t.shuffleWriteBytes(row)
    diskSpilled += t.diskSpilledBytes(row)
    memorySpilled += t.memorySpilledBytes(row)
  }

  def add(other: Sums): Unit = {
    tasks += other.tasks
    durationNanos += other.durationNanos
    cpuNanos += other.cpuNanos
    for (i <- phases.indices) phases(i) += other.phases(i)
    inputAtMost += other.inputAtMost
    outputAtMost += other.outputAtMost
    spillAtMost += other.spillAtMost
    pythonAtMost += other.pythonAtMost
    diskAtMost += other.diskAtMost
    networkAtMost += other.networkAtMost
    input += other.input
    output += other.output
    shuffleRemote += other.shuffleRemote
    shuffleLocal += other.shuffleLocal
    shuffleWrite += other.shuffleWrite
    diskSpilled += other.diskSpilled
    memorySpilled += other.memorySpilled
  }

  def nanos(phase: Phase): Long = phases(phase.index)

  def breakdown: Breakdown = Breakdown(
    tasks,
    seconds(durationNanos),
    Phase.all.iterator.map(p => p.key -> seconds(phases(p.index))).toMap,
    WaitingAtMost(seconds(inputAtMost), seconds(outputAtMost), seconds(spillAtMost), seconds(pythonAtMost))
  )

  /** Data moved per second of CPU time (thesis sections 4.5.4 and 4.6.2). Disk: input once, shuffle data written and read
    * once, spills written and read, output once (the log does not know its replication).
    */
  def demand: Demand = {
    val cpu = seconds(cpuNanos)
    val shuffleRead = shuffleRemote + shuffleLocal
    val disk = input + shuffleWrite + shuffleRead + output + 2 * diskSpilled
    def perCpu(amount: Double) = if (cpu > 0) Some(amount / cpu) else None
    def toInput(bytes: Long) = if (input > 0) Some(bytes.toDouble / input) else None
    Demand(
      cpu,
      input,
      output,
      shuffleRead,
      shuffleRemote,
      shuffleWrite,
      diskSpilled,
      memorySpilled,
      perCpu(disk / 1e6),
      perCpu(shuffleRemote * 8 / 1e6),
      toInput(shuffleWrite),
      toInput(output)
    )
  }

  private def seconds(nanos: Long): Double = nanos / 1e9
}
