package pellucid.breakdown

/** The phases that a task's time is divided into; docs/report.md defines each. */
final case class Phase(index: Int, key: String, label: String)

object Phase {
  val SchedulerDelay: Phase = Phase(0, "schedulerDelay", "scheduler delay")
  val Deserialize: Phase = Phase(1, "deserialize", "task deserialize")
  val InputRead: Phase = Phase(2, "inputRead", "input read")
  val ShuffleRead: Phase = Phase(3, "shuffleRead", "shuffle read (fetch wait)")
  val Compute: Phase = Phase(4, "compute", "compute on CPU")
  val Gc: Phase = Phase(5, "gc", "garbage collection")
  val ShuffleWrite: Phase = Phase(6, "shuffleWrite", "shuffle write")
  val Spill: Phase = Phase(7, "spill", "spill")
  val OutputWrite: Phase = Phase(8, "outputWrite", "output write")

  /** Asking a file system's name server: opening, creating, renaming, deleting, listing. */
  val Metadata: Phase = Phase(9, "metadata", "file system metadata")

  /** Ready to run: other work had the CPUs, or a container's limit held the task back. */
  val CpuQueue: Phase = Phase(10, "cpuQueue", "waiting for a CPU")

  /** While a Python worker computed. */
  val PythonWorker: Phase = Phase(11, "pythonWorker", "Python worker")

  /** For what only the driver knows, and for broadcast variables. */
  val Driver: Phase = Phase(12, "driver", "waiting for the driver")

  /** For a lock or another thread of the executor. */
  val Lock: Phase = Phase(13, "lock", "waiting for a lock or a thread")
  val Waiting: Phase = Phase(14, "waiting", "waiting, not logged which")

  /** Without CPU time (Spark before 2.1, attempts that failed) computing and waiting cannot be told apart. */
  val ComputeOrWaiting: Phase =
    Phase(15, "computeOrWaiting", "compute or waiting, not told apart")
  val ResultSerialize: Phase = Phase(16, "resultSerialize", "result serialize")
  val GettingResult: Phase = Phase(17, "gettingResult", "getting result")

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
