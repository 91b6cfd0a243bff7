package pellucid.cost

import pellucid.disk.DiskProfile

/** N `machines` with P `cores` each, and on each one disk for HDFS and one for shuffle data, spills and persisted
  * blocks.
  */
final case class Cluster(machines: Int, cores: Int, hdfs: DiskProfile, local: DiskProfile) {
  def bytesPerSecond(term: Term, requestBytes: Double): Double = term match {
    case Term.HdfsRead => hdfs.readBytesPerSecond(requestBytes)
    case Term.HdfsWrite => hdfs.writeBytesPerSecond(requestBytes)
    case Term.LocalRead => local.readBytesPerSecond(requestBytes)
    case Term.LocalWrite => local.writeBytesPerSecond(requestBytes)
    case Term.Scale => throw new IllegalArgumentException("cores are no disk")
  }
}

/** One kind of a stage's I/O on a cluster.
  *
  * @param bytesPerSecond BW, of one machine's disk
  * @param breakPoint     b = BW / T: cores of a machine from which on they contend for the disk; not known where T is
  *                       not
  * @param taskOverIo     λ: the time of a task over that of its I/O
  * @param turningPoint   B: more cores of a machine than these do not make the stage faster. With one kind of I/O of a disk and direction it is λ b; all kinds
  *                       of one have the same, at which the disk is busy for as long as the cores
  */
final case class IoPrediction(
    kind: String,
    bytes: Double,
    requestBytes: Double,
    bytesPerSecond: Double,
    breakPoint: Option[Double],
    taskOverIo: Double,
    turningPoint: Double
)

/** @param bound key of the [[Term]] that the stage's time is */
final case class StagePrediction(
    job: String,
    id: Int,
    name: String,
    tasks: Int,
    recordedSeconds: Double,
    seconds: Double,
    bound: String,
    io: Seq[IoPrediction]
)

/** The I/O-aware model of Zhou et al., "Doppio" (ISPASS 2018), section IV, Eq. 1: a stage takes as long as the longest
  * of computing, reading and writing, each of which overlaps with the others from one task to the next.
  *
  * {{{
  * t_stage = max(t_scale, each limit)
  * t_scale = M / (N P) t_avg + δ             t_avg = computing + Σ bytes of a task / min(T, BW)
  * limit   = Σ D / (N BW) + δ                of one disk and direction, BW at the size of the requests
  * }}}
  *
  * As in the paper reads and writes of a disk are limits of their own, and the network is none. Two things are added:
  * on a disk slower than T a task's own I/O is slower too, and no stage is shorter than one task.
  */
object Doppio {
  def seconds(job: JobDemand, on: Cluster): Double = job.driverSeconds + job.stages.map(stage(_, on).seconds).sum

  def stage(demand: StageDemand, on: Cluster): StagePrediction = {
    val taskSeconds = demand.computeSeconds + demand.io.map(ioSeconds(_, demand.tasks, on)).sum
    val terms = Term.all.map {
      case Term.Scale =>
        math.max(demand.leastWaves, demand.waves(on)) * taskSeconds + demand.serialSeconds(0)
      case limit =>
        val disk = diskSeconds(demand, limit, on)
        if (disk > 0) disk + demand.serialSeconds(limit.index) else 0.0
    }
    val bound = Term.all.maxBy(t => terms(t.index)) // of equal ones the first: the cores
    StagePrediction(
      demand.job,
      demand.id,
      demand.name,
      demand.tasks,
      demand.recordedSeconds,
      terms(bound.index),
      bound.key,
      demand.io.filter(_.bytes > 0).map { io =>
        val bandwidth = on.bytesPerSecond(io.kind.term, io.requestBytes)
        IoPrediction(
          io.kind.key,
          io.bytesOn(on.machines),
          io.requestBytes,
          bandwidth,
          io.coreBytesPerSecond.map(bandwidth / math.min(_, bandwidth) * demand.coresPerTask),
          taskSeconds / ioSeconds(io, demand.tasks, on),
          taskSeconds * demand.tasks * demand.coresPerTask / diskWork(demand, io.kind.term, on)
        )
      }
    )
  }

  /** How long the disks of all machines take for it, without δ. */
  def diskSeconds(demand: StageDemand, limit: Term, on: Cluster): Double =
    diskWork(demand, limit, on) / on.machines

  /** The same, one after the other. */
  def diskWork(demand: StageDemand, limit: Term, on: Cluster): Double =
    demand.io.filter(_.kind.term == limit)
      .map(io => io.bytesOn(on.machines) / on.bytesPerSecond(limit, io.requestBytes)).sum

  /** Of one task that has the disks to itself: those of a file's replicas write at once. */
  def ioSeconds(io: Io, tasks: Int, on: Cluster): Double = {
    val bandwidth = on.bytesPerSecond(io.kind.term, io.requestBytes)
    io.bytes / io.replicas / tasks / io.coreBytesPerSecond.fold(bandwidth)(math.min(_, bandwidth))
  }
}
