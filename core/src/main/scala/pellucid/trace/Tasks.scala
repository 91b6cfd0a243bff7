package pellucid.trace

/** One row per task attempt that ended (or was still running when the log stopped), in the order of the log.
  *
  * Times are milliseconds unless the name says nanoseconds; sizes are bytes. A zero may also mean "not logged":
  * [[Tasks.CpuLogged]] and [[Tasks.InputLogged]] tell the two apart where it matters.
  */
final class Tasks {
  private var rows = 0
  def size: Int = rows

  val taskId = new LongColumn

  /** Row of the task's stage attempt in [[Trace.stages]]. */
  val stage = new IntColumn
  val index = new IntColumn
  val attempt = new IntColumn

  /** Row of the executor in [[Trace.executors]]. */
  val executor = new IntColumn
  val flags = new IntColumn

  /** Index in [[Trace.reasons]] of why the attempt failed; 0 where it did not. */
  val reason = new IntColumn

  val launchMillis = new LongColumn

  /** Finish minus launch as the driver saw them: the time during which the task held its slot. */
  val durationMillis = new IntColumn
  val gettingResultMillis = new IntColumn

  val deserializeMillis = new IntColumn
  val runMillis = new IntColumn
  val cpuNanos = new LongColumn
  val gcMillis = new IntColumn
  val resultSerializeMillis = new IntColumn

  /** Measured time blocked on reading input and persisted blocks; stock Spark does not log it. */
  val inputBlockedNanos = new LongColumn

  /** Measured time blocked on writing output and persisted blocks; stock Spark does not log it. */
  val outputBlockedNanos = new LongColumn
  val fetchWaitMillis = new IntColumn

  /** Measured time blocked on local shuffle files, apart from the fetch wait; stock Spark does not log it. */
  val localReadNanos = new LongColumn
  val shuffleWriteNanos = new LongColumn

  /** Measured time blocked on writing shuffle files, a part of [[shuffleWriteNanos]]; stock Spark does not log it. */
  val shuffleWriteBlockedNanos = new LongColumn

  /** Measured time blocked on writing and reading spills; stock Spark does not log it. */
  val spillBlockedNanos = new LongColumn

  /** Of the measured time blocked on input and output: through a file system of other machines, so on a disk or on the network. */
  val remoteBlockedNanos = new LongColumn

  /** Measured time waiting for a file system's name server; stock Spark does not log it. */
  val metadataNanos = new LongColumn

  /** Measured time ready to run without a CPU; stock Spark does not log it. */
  val cpuQueueNanos = new LongColumn

  /** Of that: after a fetch as a monotask, in Spark's fetch wait too. */
  val fetchCpuQueueNanos = new LongColumn

  /** Of samples of the task's stack: time in which a Python worker computed, in which the driver (or a broadcast) was waited for,
    * and a lock or another thread; stock Spark does not log them.
    */
  val pythonWorkerNanos = new LongColumn
  val driverWaitNanos = new LongColumn
  val lockWaitNanos = new LongColumn

  val inputBytes = new LongColumn
  val inputRecords = new LongColumn
  val outputBytes = new LongColumn
  val shuffleRemoteBytes = new LongColumn
  val shuffleLocalBytes = new LongColumn
  val shuffleWriteBytes = new LongColumn
  val memorySpilledBytes = new LongColumn
  val diskSpilledBytes = new LongColumn

  /** SQL's `scan time`: time in the scan operator, reading and decoding; bounds the time blocked on input. */
  val scanNanos = new LongColumn

  /** SQL's timings around Python workers: the JVM thread waits while Python computes. */
  val pythonNanos = new LongColumn

  private val ints = Array(
    stage,
    index,
    attempt,
    executor,
    flags,
    reason,
    durationMillis,
    gettingResultMillis,
    deserializeMillis,
    runMillis,
    gcMillis,
    resultSerializeMillis,
    fetchWaitMillis
  )
  private val longs = Array(
    taskId,
    launchMillis,
    cpuNanos,
    inputBlockedNanos,
    outputBlockedNanos,
    localReadNanos,
    shuffleWriteNanos,
    shuffleWriteBlockedNanos,
    spillBlockedNanos,
    remoteBlockedNanos,
    metadataNanos,
    cpuQueueNanos,
    fetchCpuQueueNanos,
    pythonWorkerNanos,
    driverWaitNanos,
    lockWaitNanos,
    inputBytes,
    inputRecords,
    outputBytes,
    shuffleRemoteBytes,
    shuffleLocalBytes,
    shuffleWriteBytes,
    memorySpilledBytes,
    diskSpilledBytes,
    scanNanos,
    pythonNanos
  )

  def append(): Int = { rows += 1; rows - 1 }

  /** Takes the last row back, for a line that turned out to be malformed half way. */
  def removeLast(): Unit = {
    rows -= 1
    ints.foreach(_(rows) = 0)
    longs.foreach(_(rows) = 0L)
  }

  /** A table with the given rows of this one, in the given order. */
  def select(keep: Array[Int]): Tasks = {
    val out = new Tasks
    for (from <- keep) out.copyRow(out.append(), this, from)
    out
  }

  /** Leaves only the given rows, which are ascending. */
  def keepOnly(keep: Array[Int]): Unit = {
    for (to <- keep.indices) copyRow(to, this, keep(to))
    rows = keep.length
    ints.foreach(_.truncate(rows))
    longs.foreach(_.truncate(rows))
  }

  def copy(): Tasks = {
    val out = new Tasks
    out.rows = rows
    ints.indices.foreach(i => out.ints(i).copyFrom(ints(i)))
    longs.indices.foreach(i => out.longs(i).copyFrom(longs(i)))
    out
  }

  private def copyRow(to: Int, from: Tasks, row: Int): Unit = {
    var i = 0
    while (i < ints.length) { ints(i)(to) = from.ints(i)(row); i += 1 }
    i = 0
    while (i < longs.length) { longs(i)(to) = from.longs(i)(row); i += 1 }
  }

  /** All columns of a row. */
  def values(row: Int): Seq[Long] = ints.toSeq.map(_(row).toLong) ++ longs.map(_(row))

  def is(row: Int, flag: Int): Boolean = (flags(row) & flag) != 0
  def set(row: Int, flag: Int): Unit = flags(row) = flags(row) | flag

  /** Waiting for blocks of other executors, and in the network's queue. */
  def fetchBlockedNanos(row: Int): Long = math.max(0, fetchWaitMillis(row) * 1000000L - fetchCpuQueueNanos(row))

  def finishMillis(row: Int): Long = launchMillis(row) + durationMillis(row)
  def shuffleReadBytes(row: Int): Long = shuffleRemoteBytes(row) + shuffleLocalBytes(row)

  /** What the thesis calls the task's input data: bytes read from storage or a cache, and from the shuffle. */
  def readBytes(row: Int): Long = inputBytes(row) + shuffleReadBytes(row)
  def writtenBytes(row: Int): Long = outputBytes(row) + shuffleWriteBytes(row)
  def outcome(row: Int): Int = flags(row) & Tasks.OutcomeMask
  def locality(row: Int): Int = (flags(row) & Tasks.LocalityMask) >>> Tasks.LocalityShift
  def succeeded(row: Int): Boolean = outcome(row) == Tasks.Success
}

object Tasks {
  // How the attempt ended: the low three bits of `flags`.
  final val OutcomeMask = 7
  final val Success = 0
  final val Failed = 1
  final val Killed = 2

  /** A second record of an attempt that had succeeded: its output was lost with its executor and is computed again. */
  final val Resubmitted = 3

  /** No end in the log: the task still ran when the log stopped. */
  final val Running = 4

  final val LocalityShift = 3
  final val LocalityMask = 7 << LocalityShift
  final val LocalityNames: Array[String] =
    Array("unknown", "PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY")
  final val NodeLocal = 2
  final val RackLocal = 4
  final val AnyLocality = 5

  final val Speculative = 1 << 6
  final val CpuLogged = 1 << 7

  /** The blocked time on input was measured (2014 job logger, or Pellucid's plugin). */
  final val InputLogged = 1 << 8
  final val OutputLogged = 1 << 9

  /** Pellucid's plugin measured this task. */
  final val Observed = 1 << 10
}
