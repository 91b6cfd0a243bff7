package pellucid.breakdown

import pellucid.trace.Tasks

/** Divides one task's duration into phases; [[load]] points it at a row. The phases add up to the duration exactly unless the
  * log's own numbers exceed it, and then the run time's do not.
  *
  * What the task's thread did while it ran: its CPU time is computing; the rest is waiting, first for what the log names
  * (measured input and output, fetch wait, GC pauses, shuffle write) and then for what it does not. A shuffle write that used
  * the CPU is computing, so only its part beyond the CPU time counts as blocked.
  */
final class TaskPhases(tasks: Tasks) {
  val nanos = new Array[Long](Phase.Count)

  // Upper bounds on how much of `waiting` each cause can explain; they overlap.
  var inputAtMost, outputAtMost, spillAtMost, pythonAtMost = 0L

  /** Whether the log has the task's CPU time: if not, computing is in [[Phase.ComputeOrWaiting]]. */
  var cpuLogged = false

  // Of the phases of input, output and shuffle read: how much is through other machines, and how much of local shuffle files.
  private var diskOrNetwork, localShuffleRead = 0L
  private var observed = false

  private var left = 0L
  private def take(phase: Phase, wanted: Long): Unit = {
    val taken = math.max(0L, math.min(wanted, left))
    nanos(phase.index) += taken
    left -= taken
  }

  def load(row: Int): Unit = {
    java.util.Arrays.fill(nanos, 0L)
    val duration = tasks.durationMillis(row) * Millis
    left = duration
    take(Phase.Deserialize, tasks.deserializeMillis(row) * Millis)
    take(Phase.ResultSerialize, tasks.resultSerializeMillis(row) * Millis)
    take(Phase.GettingResult, tasks.gettingResultMillis(row) * Millis)
    val run = math.min(left, tasks.runMillis(row) * Millis)
    val failed = tasks.outcome(row) != Tasks.Success
    val unmeasured = failed && tasks.runMillis(row) == 0 // still running, or lost with its metrics
    nanos((if (unmeasured) Phase.ComputeOrWaiting else Phase.SchedulerDelay).index) = left - run

    left = run
    // Spark gives a failed or killed attempt its run time, but no CPU time
    cpuLogged = tasks.is(row, Tasks.CpuLogged) && !(failed && tasks.cpuNanos(row) == 0)
    if (cpuLogged) take(Phase.Compute, tasks.cpuNanos(row))
    observed = tasks.is(row, Tasks.Observed)
    // measured calls hold pauses and waits for a CPU in the middle of them: where all do not fit, it is the calls that had these
    if (observed) { take(Phase.Gc, tasks.gcMillis(row) * Millis); take(Phase.CpuQueue, tasks.cpuQueueNanos(row)) }
    take(Phase.InputRead, tasks.inputBlockedNanos(row))
    take(Phase.ShuffleRead, tasks.fetchBlockedNanos(row) + tasks.localReadNanos(row))
    take(Phase.OutputWrite, tasks.outputBlockedNanos(row))
    take(Phase.Spill, tasks.spillBlockedNanos(row))
    take(Phase.Metadata, tasks.metadataNanos(row))
    take(Phase.ShuffleWrite, tasks.shuffleWriteBlockedNanos(row))
    if (!observed) take(Phase.Gc, tasks.gcMillis(row) * Millis)
    // what Spark's own time of shuffle writes has beyond that: computing, and joining files, which is not observed
    take(Phase.ShuffleWrite, tasks.shuffleWriteNanos(row) - tasks.shuffleWriteBlockedNanos(row))
    take(Phase.PythonWorker, tasks.pythonWorkerNanos(row))
    take(Phase.Driver, tasks.driverWaitNanos(row))
    take(Phase.Lock, tasks.lockWaitNanos(row))
    // a thread may be waited for that reads or writes what is not measured
    val waiting = left + apply(Phase.Lock)
    take(if (cpuLogged) Phase.Waiting else Phase.ComputeOrWaiting, left)

    diskOrNetwork = math.min(tasks.remoteBlockedNanos(row), apply(Phase.InputRead) + apply(Phase.OutputWrite))
    localShuffleRead = math.min(tasks.localReadNanos(row), apply(Phase.ShuffleRead))

    val scan = tasks.scanNanos(row)
    val reads = tasks.inputBytes(row) > 0 || tasks.inputRecords(row) > 0 || scan > 0
    inputAtMost =
      if (!reads || tasks.is(row, Tasks.InputLogged)) 0 else if (scan > 0) math.min(scan, waiting) else waiting
    outputAtMost = if (tasks.outputBytes(row) > 0 && !tasks.is(row, Tasks.OutputLogged)) waiting else 0
    spillAtMost = if (tasks.diskSpilledBytes(row) > 0) waiting else 0
    pythonAtMost = math.min(math.max(0L, tasks.pythonNanos(row) - tasks.pythonWorkerNanos(row)), waiting)
  }

  def apply(phase: Phase): Long = nanos(phase.index)

  private def unnamed: Long = apply(Phase.Lock) + apply(Phase.Waiting) + apply(Phase.ComputeOrWaiting)

  /** Blocked on disk for certain: measured reads of input, writes of shuffle data and output, local shuffle reads. */
  def diskLogged: Long = apply(Phase.InputRead) + apply(Phase.ShuffleWrite) + apply(Phase.Spill) +
    apply(Phase.OutputWrite) + localShuffleRead - diskOrNetwork

  /** At most: also what went to other machines' disks and the fetch wait, since the serving side reads from disk (thesis section
    * 4.5.1), and what of the unnamed waiting input, output or spill can explain.
    */
  def diskAtMost: Long =
    diskLogged + diskOrNetwork + networkLogged + math.min(unnamed, inputAtMost + outputAtMost + spillAtMost)

  /** Blocked on the network: the fetch wait; it includes the serving side's disk (thesis section 4.6.1). */
  def networkLogged: Long = apply(Phase.ShuffleRead) - localShuffleRead

  /** At most: also input and output that are remote, or may be; the name server; the driver; and all unnamed waiting of a task
    * whose CPU time is known.
    */
  def networkAtMost: Long =
    networkLogged + (if (observed) diskOrNetwork else apply(Phase.InputRead) + apply(Phase.OutputWrite)) +
      apply(Phase.Metadata) + apply(Phase.Driver) + apply(Phase.Lock) + apply(Phase.Waiting) +
      math.min(apply(Phase.ComputeOrWaiting), inputAtMost + outputAtMost)

  /** Of [[Phase.overhead]]. */
  def overhead: Long =
    apply(Phase.SchedulerDelay) + apply(Phase.Deserialize) + apply(Phase.ResultSerialize) + apply(Phase.GettingResult)

  def neitherLogged: Long = diskLogged + diskOrNetwork + networkLogged
  def neitherAtMost: Long =
    neitherLogged + apply(Phase.Metadata) + apply(Phase.Driver) + apply(Phase.Lock) + unnamedAtMost

  /** Measured on disks of other machines, or on the network between: which of the two, nothing tells. */
  def eitherLogged: Long = diskOrNetwork

  /** Waiting that nothing names. */
  def unnamedAtMost: Long = apply(Phase.Waiting) +
    math.min(apply(Phase.ComputeOrWaiting), inputAtMost + outputAtMost + spillAtMost)

  private final val Millis = 1000000L
}
