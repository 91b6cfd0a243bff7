package pellucid.observe

/** What a task asks a disk or the network for. */
final case class Kind(name: String)

object Kind {
  val Input: Kind = Kind("input")
  val Output: Kind = Kind("output")
  val SpillWrite: Kind = Kind("spillWrite")
  val SpillRead: Kind = Kind("spillRead")
  val ShuffleWrite: Kind = Kind("shuffleWrite")

  /** Of a local file. */
  val ShuffleRead: Kind = Kind("shuffleRead")

  /** From another executor or a shuffle service; Spark itself logs how long a task waited for all of them. */
  val ShuffleFetch: Kind = Kind("shuffleFetch")

  /** What a name node or an object store is asked: opening, creating, renaming, deleting, listing. */
  val Metadata: Kind = Kind("metadata")

  /** Persisted blocks on disk. */
  val BlockWrite: Kind = Kind("blockWrite")
  val BlockRead: Kind = Kind("blockRead")

  // What samples of the task's stack show ([[Activity]]).

  /** A Python worker computes, or is waited for. */
  val Python: Kind = Kind("python")

  /** SQL's spills are read ahead by another thread: the task waits for that. */
  val SpillWait: Kind = Kind("spillWait")

  /** Something that only the driver knows, and broadcast variables. */
  val Driver: Kind = Kind("driver")

  /** A lock, or another thread. */
  val Wait: Kind = Kind("wait")

  /** A system call that nothing measures: of another file system, a database, a socket. */
  val Io: Kind = Kind("io")
  val Decompress: Kind = Kind("decompress")
  val Deserialize: Kind = Kind("deserialize")
}
