package pellucid.cost

/** A run of a job whose cluster is known. `job`'s stages have their recorded times, bytes and request sizes. */
final case class SampleRun(job: JobDemand, cluster: Cluster)

/** The constants of Eq. 1 from four runs of one job (Doppio, section VI-1): two with different numbers of cores on
  * disks that are not the bottleneck, which give a task's time and what does not scale; one with a slow local disk and
  * one with a slow HDFS disk, which give what their limits leave unexplained.
  */
object SampleRuns {

  /** @throws IllegalArgumentException where the runs are not of one job, or have equally many cores */
  def fit(few: SampleRun, more: SampleRun, slowLocal: SampleRun, slowHdfs: SampleRun): JobDemand = {
    val runs = Seq(few, more, slowLocal, slowHdfs)
    val shapes = runs.map(_.job.stages.map(s => s"${s.name} of ${s.partitions} tasks"))
    for (i <- shapes.indices; (one, other) <- shapes.head.zipAll(shapes(i), "no other", "no other") if one != other)
      throw new IllegalArgumentException(
        s"run ${i + 1} has not the stages and tasks of run 1 ($other, $one): they are not of one job"
      )
    if (cores(few.cluster) == cores(more.cluster))
      throw new IllegalArgumentException(s"runs 1 and 2 both have ${cores(few.cluster)} cores")
    val notes = Seq.newBuilder[String]
    val stages = few.job.stages.indices.map { i =>
      val (one, two) = (few.job.stages(i), more.job.stages(i))
      val label = s"${one.job}, stage ${one.id}"
      for ((run, n) <- Seq(few, more).zipWithIndex; stage = run.job.stages(i)) {
        val limit = Term.limits.map(Doppio.diskSeconds(stage, _, run.cluster)).max
        if (limit >= stage.recordedSeconds && limit > 0)
          notes += s"$label: the disk alone takes as long as run ${n + 1} did: repeat it with a faster disk"
      }
      val ofIo = one.io.map(Doppio.ioSeconds(_, one.tasks, few.cluster)).sum
      // no stage is shorter than one task: of one that was a single wave in both, a task's time is as recorded
      val (wavesOne, wavesTwo) = (math.max(1.0, one.waves(few.cluster)), math.max(1.0, two.waves(more.cluster)))
      val slope =
        if (wavesOne == wavesTwo) math.min(one.recordedSeconds, one.computeSeconds + ofIo)
        else (one.recordedSeconds - two.recordedSeconds) / (wavesOne - wavesTwo)
      val intercept = one.recordedSeconds - wavesOne * slope
      val (taskSeconds, serial) =
        if (slope < 0) { // more cores were slower: nothing of it scales, as far as the runs tell
          notes += s"$label: not faster with more cores"
          (0.0, one.recordedSeconds)
        } else if (intercept < 0) (one.recordedSeconds / wavesOne, 0.0)
        else (slope, intercept)
      val computing = one.copy(computeSeconds = math.max(0.0, taskSeconds - ofIo), leastWaves = 1)
      def left(run: SampleRun, limits: Term*): Map[Term, Double] = {
        val seconds = run.job.stages(i).recordedSeconds
        val longest = limits.maxBy(Doppio.diskSeconds(one, _, run.cluster))
        val limit = Doppio.diskSeconds(one, longest, run.cluster)
        val scale = Doppio.stage(
          computing.copy(serialSeconds = StageDemand.serial(serial), io = Nil, computeSeconds = taskSeconds),
          run.cluster
        ).seconds
        if (limit > 0 && seconds > scale) Map(longest -> math.max(0.0, seconds - limit)) else Map.empty
      }
      val known = left(slowLocal, Term.LocalRead, Term.LocalWrite) ++ left(slowHdfs, Term.HdfsRead, Term.HdfsWrite)
      computing.copy(serialSeconds = Term.all.map(t => known.getOrElse(t, serial)))
    }
    few.job.copy(stages = stages, notes = (few.job.notes ++ notes.result()).distinct)
  }

  private def cores(cluster: Cluster): Int = cluster.machines * cluster.cores
}
