package pellucid.cost

/** Every configuration of a space, by the model of [[Doppio]]; numbers in arrays, nothing allocated per configuration.
  *
  * @param tooSmall configurations left out because their disks do not hold the job's data
  */
final class Search(val front: Front, val tooSmall: Long)

object Search {
  private final val Terms = 5

  def of(job: JobDemand, space: Space): Search = {
    val stages = job.stages.size
    val disks = space.disks.size
    val front = new Front
    var tooSmall = 0L
    // by stage: seconds of all tasks' work on one core, and of each disk's own, on one machine
    val work = new Array[Double](stages)
    val limits = Array.ofDim[Double](Terms, stages)
    val serial = Array.tabulate(Terms, stages)((t, s) => job.stages(s).serialSeconds(t))
    val least = Array.tabulate(stages)(s => job.stages(s).leastWaves / job.stages(s).tasks)
    val perHour = space.disks.map(_.dollarsPerHour).toArray
    val bytes = space.disks.map(_.gigabytes * 1e9).toArray
    for (counts <- alike(job, space); (machine, m) <- space.machines.zipWithIndex) {
      val fewest = space.fewest + counts.head
      val table = new DiskTable(job, space, machine.cores, fewest)
      val hdfsBytes = job.hdfsBytes(fewest)
      val perSlot = job.stages.map(1.0 / _.slots(machine.cores)).toArray
      for (hdfs <- 0 until disks; local <- 0 until disks) {
        for (s <- 0 until stages) {
          work(s) = job.stages(s).computeSeconds * job.stages(s).tasks + table.hdfsWork(hdfs)(s) +
            table.localWork(local)(s)
          limits(1)(s) = table.limit(1)(hdfs)(s)
          limits(2)(s) = table.limit(2)(hdfs)(s)
          limits(3)(s) = table.limit(3)(local)(s)
          limits(4)(s) = table.limit(4)(local)(s)
        }
        val dollarsPerHour = machine.dollarsPerHour + perHour(hdfs) + perHour(local)
        var count = counts.head
        while (count <= counts.last) {
          val machines = space.fewest + count
          if (machines * bytes(local) < job.localBytes || machines * bytes(hdfs) < hdfsBytes) tooSmall += 1
          else {
            val seconds = job.driverSeconds + stageSeconds(work, limits, serial, least, perSlot, machines)
            front.offer(seconds, seconds / 3600 * machines * dollarsPerHour, space.point(m, hdfs, local, count))
          }
          count += 1
        }
      }
    }
    new Search(front, tooSmall)
  }

  /** Numbers of machines with equally many replicas of all files. */
  private def alike(job: JobDemand, space: Space): Seq[Range] = {
    val replicas = (job.hdfsInputs.map(_.replicas) ++ job.stages.flatMap(_.io).map(_.replicas)).maxOption.getOrElse(1)
    val few = math.max(0, math.min(replicas - space.fewest, space.counts))
    ((0 until few).map(n => n to n) :+ (few until space.counts)).filter(_.nonEmpty)
  }

  private def stageSeconds(
      work: Array[Double],
      limits: Array[Array[Double]],
      serial: Array[Array[Double]],
      least: Array[Double],
      perSlot: Array[Double],
      machines: Int
  ): Double = {
    val perMachine = 1.0 / machines
    var sum = 0.0
    var s = 0
    while (s < work.length) {
      var longest = math.max(least(s), perMachine * perSlot(s)) * work(s) + serial(0)(s)
      var t = 1
      while (t < Terms) {
        val limit = limits(t)(s)
        if (limit > 0) longest = math.max(longest, limit * perMachine + serial(t)(s))
        t += 1
      }
      sum += longest
      s += 1
    }
    sum
  }

  /** Of machines with so many cores, where there are so many replicas as on `machines`: by disk, and by stage. */
  private final class DiskTable(job: JobDemand, space: Space, cores: Int, machines: Int) {
    private val profiles = space.disks.map(d => d.kind.speed.of(d.gigabytes, cores))

    // the other disk of the cluster plays no part in what is asked of the one
    private val clusters = profiles.map(p => Cluster(machines, cores, p, p))

    private def table(of: (StageDemand, Cluster) => Double): Array[Array[Double]] =
      clusters.map(c => job.stages.map(of(_, c)).toArray).toArray

    private def workOf(terms: Set[Term]) = table((stage, cluster) =>
      stage.tasks * stage.io.filter(io => terms(io.kind.term)).map(Doppio.ioSeconds(_, stage.tasks, cluster)).sum
    )
    val hdfsWork: Array[Array[Double]] = workOf(Set(Term.HdfsRead, Term.HdfsWrite))
    val localWork: Array[Array[Double]] = workOf(Set(Term.LocalRead, Term.LocalWrite))

    /** By term, too; of one machine. */
    val limit: IndexedSeq[Array[Array[Double]]] = Term.all.map {
      case Term.Scale => Array.empty[Array[Double]]
      case term => table((stage, cluster) => Doppio.diskWork(stage, term, cluster))
    }
  }
}
