package pellucid.breakdown

/** The phases that a task's time is divided into. `logged` by stock Spark or not; see docs/report.md for each definition. */
final case class Phase(index: Int, key: String, label: String, stockLogs: Boolean)

object Phase {
  val SchedulerDelay: Phase = Phase(0, "schedulerDelay", "scheduler delay", stockLogs = true)
  val Deserialize: Phase = Phase(1, "deserialize", "task deserialize", stockLogs = true)
  val InputRead: Phase = Phase(2, "inputRead", "input read", stockLogs = false)
  val ShuffleRead: Phase = Phase(3, "shuffleRead", "shuffle read (fetch wait)", stockLogs = true)
  val Compute: Phase = Phase(4, "compute", "compute on CPU", stockLogs = true)
  val Gc: Phase = Phase(5, "gc", "garbage collection", stockLogs = true)
  val ShuffleWrite: Phase = Phase(6, "shuffleWrite", "shuffle write", stockLogs = true)
  val Spill: Phase = Phase(7, "spill", "spill", stockLogs = false)
  val OutputWrite: Phase = Phase(8, "outputWrite", "output write", stockLogs = false)

  /** Asking a file system's name server: opening, creating, renaming, deleting, listing. */
  val Metadata: Phase = Phase(9, "metadata", "file system metadata", stockLogs = false)

  /** Ready to run: other work had the CPUs, or a container's limit held the task back. */
  val CpuQueue: Phase = Phase(10, "cpuQueue", "waiting for a CPU", stockLogs = false)

  /** While a Python worker computed. */
  val PythonWorker: Phase = Phase(11, "pythonWorker", "Python worker", stockLogs = false)

  /** For what only the driver knows, and for broadcast variables. */
  val Driver: Phase = Phase(12, "driver", "waiting for the driver", stockLogs = false)

  /** For a lock or another thread of the executor. */
  val Lock: Phase = Phase(13, "lock", "waiting for a lock or a thread", stockLogs = false)
  val Waiting: Phase = Phase(14, "waiting", "waiting, not logged which", stockLogs = true)

  /** Without CPU time (Spark before 2.1, attempts that failed) computing and waiting cannot be told apart. */
  val ComputeOrWaiting: Phase =
    Phase(15, "computeOrWaiting", "compute or waiting, not told apart", stockLogs = true)
  val ResultSerialize: Phase = Phase(16, "resultSerialize", "result serialize", stockLogs = true)
  val GettingResult: Phase = Phase(17, "gettingResult", "getting result", stockLogs = true)

  val all: IndexedSeq[Phase] = IndexedSeq(
    SchedulerDelay,
    Deserialize,
    InputRead,
    ShuffleRead,
    Compute,
    Gc,
    ShuffleWrite,
    Spill,
    OutputWrite,
    Metadata,
    CpuQueue,
    PythonWorker,
    Driver,
    Lock,
    Waiting,
    ComputeOrWaiting,
    ResultSerialize,
    GettingResult
  )
  val Count: Int = all.size

  /** What a task costs besides its work: it would be paid less often by fewer, larger tasks. */
  val overhead: Seq[Phase] = Seq(SchedulerDelay, Deserialize, ResultSerialize, GettingResult)
}
