package pellucid.model

import scala.collection.mutable

import pellucid.blocked.Schedule
import pellucid.trace.Trace

/** The simple model (thesis section 5.6.1): a stage takes as long as its resource that would take longest if it were used
  * perfectly, and a job as long as the longest chain of its stages.
  */
final class Ideal(trace: Trace, schedule: Schedule, work: Work, scaling: Scaling, setup: Setup) {
  import setup.{cluster, output}
  private val sums = Array.ofDim[Double](trace.stages.size, Resource.all.size)
  private val written = new Array[Double](trace.stages.size) // bytes, to other machines
  for (step <- 0 until work.table.size) {
    val kind = work.kind(step)
    // what uses a core of a stretch of computing is its CPU time; it changes as the stretch does
    val recorded = if (work.micros(step) > 0) scaling.micros(step) / work.micros(step) else 1.0
    val time = if (kind == Resource.Cpu) work.table.cpuMicros(step) * recorded else scaling.busy(step)
    val stage = trace.tasks.stage(work.table.task(step))
    sums(stage)(Resource.all.indexOf(kind)) += time / 1e6
    if (kind == Resource.Output) written(stage) += work.table.bytes(step)
  }

  private def units(of: Resource): Double = cluster.machines *
    (of match {
      case Resource.Cpu => cluster.cpus
      case Resource.Disk => cluster.disks.toDouble
      case _ => 1.0
    })

  /** Seconds of all of them; of disks also for all replicas of what is written to other machines. */
  private def sum(stage: Int, of: Resource): Double = sums(stage)(Resource.all.indexOf(of)) +
    (if (of == Resource.Disk) written(stage) * output.replicas * output.disk else 0.0)

  /** Ideal seconds of each resource. */
  def ofResources(stage: Int): IndexedSeq[(Resource, Double)] = Resource.all.map(r => r -> sum(stage, r) / units(r))

  /** None of a stage without steps. */
  def bottleneck(stage: Int): Option[Resource] =
    Option(ofResources(stage).maxBy(_._2)).filter(_._2 > 0).map(_._1)

  /** CPUs per disk from which on its disks keep a stage as long as it is, however many there are (Doppio's turning point B, section IV:
    * it is the time that tasks compute over the time that disks need for them); None of a stage without steps of a disk.
    */
  def turningPoint(stage: Int): Option[Double] =
    Option.when(sum(stage, Resource.Disk) > 0)(sum(stage, Resource.Cpu) / sum(stage, Resource.Disk))

  def seconds(stage: Int): Double = ofResources(stage).map(_._2).max

  /** Along the graph of its stages. */
  def ofJob(job: Int): Double = ofJobs(job)
  private lazy val ofJobs = schedule.stagesOfJob.map(stages =>
    math.max(
      longest(stages.sortBy(s => (schedule.stageSubmitted(s), s)), schedule.stageAfter(_), seconds),
      shared(stages.toIndexedSeq)
    )
  )

  /** Along the jobs that followed one another. */
  lazy val ofApplication: Double = {
    val jobs = trace.jobs.indices.sortBy(j => (trace.jobs(j).submissionMillis, j))
    math.max(longest(jobs, schedule.jobAfter(_), ofJob), shared(trace.stages.indices))
  }

  /** What runs at once shares the resources: each has to do what all ask of it. */
  private def shared(stages: Seq[Int]): Double =
    if (stages.isEmpty) 0.0 else stages.map(ofResources(_).map(_._2)).transpose.map(_.sum).max

  /** The chain that takes longest of `all`, which stand in an order in which none comes before what it follows. */
  private def longest(all: Iterable[Int], after: Int => Array[Int], seconds: Int => Double): Double = {
    val ends = mutable.HashMap.empty[Int, Double]
    for (each <- all) {
      val before = after(each).iterator.flatMap(ends.get).maxOption.getOrElse(0.0)
      ends(each) = before + seconds(each)
    }
    ends.values.maxOption.getOrElse(0.0)
  }
}
