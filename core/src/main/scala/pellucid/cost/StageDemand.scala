package pellucid.cost

/** What bounds a stage in Doppio's Eq. 1: the cores, or reading or writing on one of the two disks. */
sealed abstract class Term(val index: Int, val key: String, val label: String)

object Term {
  case object Scale extends Term(0, "cores", "cores")
  case object HdfsRead extends Term(1, "hdfsRead", "HDFS disk, reading")
  case object HdfsWrite extends Term(2, "hdfsWrite", "HDFS disk, writing")
  case object LocalRead extends Term(3, "localRead", "local disk, reading")
  case object LocalWrite extends Term(4, "localWrite", "local disk, writing")

  val all: IndexedSeq[Term] = IndexedSeq(Scale, HdfsRead, HdfsWrite, LocalRead, LocalWrite)
  val limits: IndexedSeq[Term] = all.tail
}

/** The kinds of I/O of a stage (Doppio, section III-B), each with the term that it adds to. */
sealed abstract class IoKind(val key: String, val label: String, val term: Term)

object IoKind {
  case object HdfsRead extends IoKind("hdfsRead", "HDFS read", Term.HdfsRead)
  case object HdfsWrite extends IoKind("hdfsWrite", "HDFS write", Term.HdfsWrite)
  case object ShuffleRead extends IoKind("shuffleRead", "shuffle read", Term.LocalRead)
  case object ShuffleWrite extends IoKind("shuffleWrite", "shuffle write", Term.LocalWrite)

  /** Persisted blocks, and spills. */
  case object PersistRead extends IoKind("persistRead", "persisted read", Term.LocalRead)
  case object PersistWrite extends IoKind("persistWrite", "persisted write", Term.LocalWrite)

  val all: IndexedSeq[IoKind] =
    IndexedSeq(HdfsRead, HdfsWrite, ShuffleRead, ShuffleWrite, PersistRead, PersistWrite)
}

/** What all tasks of a stage read or write of one kind.
  *
  * @param bytes              D of the paper
  * @param requestBytes       the size of a request, on average
  * @param coreBytesPerSecond T: what one core moves while nobody else uses the disk; where it is not known a task that
  *                           is alone gets what the disk can do
  * @param replicas           that `bytes` are, each on another machine: fewer machines have no more than one each
  */
final case class Io(
    kind: IoKind,
    bytes: Double,
    requestBytes: Double,
    coreBytesPerSecond: Option[Double] = None,
    replicas: Int = 1
) {
  def bytesOn(machines: Int): Double = Replicated(bytes, replicas).on(machines)
}

/** Bytes of so many replicas, each on another machine: fewer machines have no more than one each. */
final case class Replicated(bytes: Double, replicas: Int) {
  def on(machines: Int): Double = math.min(machines, replicas).toDouble / replicas * bytes
}

/** What a stage asks of any cluster (Doppio, sections IV-A and IV-C).
  *
  * @param tasks           M
  * @param computeSeconds  of an average task, without its I/O; with it, it is t_avg
  * @param leastWaves      a stage takes no less than so many times an average task: 1, or less of one that ran beside
  *                        others
  * @param serialSeconds   δ of each term of Eq. 1, by [[Term.index]]
  * @param recordedSeconds of the application's time as it was recorded; 0 where it was not
  * @param retries         of its tasks, attempts beyond one for each partition
  * @param coresPerTask    `spark.task.cpus`
  */
final case class StageDemand(
    job: String,
    id: Int,
    name: String,
    tasks: Int,
    computeSeconds: Double,
    io: Seq[Io],
    serialSeconds: IndexedSeq[Double] = StageDemand.NoSerial,
    leastWaves: Double = 1,
    recordedSeconds: Double = 0,
    retries: Int = 0,
    coresPerTask: Int = 1
) {
  def partitions: Int = tasks - retries

  /** Tasks at once on a machine of so many cores. */
  def slots(cores: Int): Int = math.max(1, cores / coresPerTask)
  def waves(on: Cluster): Double = tasks / (on.machines.toDouble * slots(on.cores))
}

object StageDemand {
  val NoSerial: IndexedSeq[Double] = serial(0)

  /** The same in each term. */
  def serial(seconds: Double): IndexedSeq[Double] = Term.all.map(_ => seconds)
}

/** One job, or several one after another.
  *
  * @param driverSeconds in which no task runs, whatever the cluster
  * @param localBytes    what the local disks together have to hold at least
  * @param hdfsInputs    what the HDFS disks have to hold beside all output: of each job what the stage reads that reads most
  * @param notes         what was assumed
  */
final case class JobDemand(
    names: Seq[String],
    stages: IndexedSeq[StageDemand],
    driverSeconds: Double,
    localBytes: Double,
    hdfsInputs: Seq[Replicated],
    notes: Seq[String]
) {
  def hdfsBytes(machines: Int): Double =
    hdfsInputs.map(_.on(machines)).maxOption.getOrElse(0.0) +
      stages.flatMap(_.io).filter(_.kind == IoKind.HdfsWrite).map(_.bytesOn(machines)).sum
  def recordedSeconds: Double = driverSeconds + stages.map(_.recordedSeconds).sum

  /** Both, one after the other; what the first leaves on local disks is gone by then. */
  def +(next: JobDemand): JobDemand = JobDemand(
    names ++ next.names,
    stages ++ next.stages,
    driverSeconds + next.driverSeconds,
    math.max(localBytes, next.localBytes),
    hdfsInputs ++ next.hdfsInputs,
    (notes ++ next.notes).distinct
  )
}
