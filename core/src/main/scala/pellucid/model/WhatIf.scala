package pellucid.model

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import pellucid.blocked.{Blockage, BlockedTime, Scenarios, Schedule, Simulated}
import pellucid.disk.DiskProfile
import pellucid.sched.MonotaskPhase
import pellucid.trace.Trace

/** How long an application, its jobs and its stages would take on other machines. Durations are seconds.
  *
  * @param monotasks whether the log has them; otherwise they are estimates
  * @param validation of the replay of the application; None where the lab has seen no such change
  * @param bounds of the recorded machines, whatever is asked
  * @param assumptions what was taken for granted, in words
  */
final case class WhatIf(
    schemaVersion: Int,
    id: String,
    name: String,
    monotasks: Boolean,
    now: Machines,
    next: Machines,
    application: Prediction,
    validation: Option[Validation],
    jobs: Seq[JobPrediction],
    stages: Seq[StagePrediction],
    bounds: Seq[Bound],
    assumptions: Seq[String]
)

/** @param disk its profile's name, and `networkMbits` per second and direction, of a machine; None where nothing tells
  * @param partitions of each shuffle, where another number than the recorded one is asked for
  * @param plainShuffles map output is not compressed, where it was
  */
final case class Machines(
    count: Int,
    cores: Int,
    disks: Int,
    disk: Option[String],
    networkMbits: Option[Double],
    inputInMemory: Boolean,
    partitions: Option[Int],
    plainShuffles: Boolean
)

/** Three predictions, each the recorded time multiplied by what its model takes then, over what it takes now: the replay's, the
  * ideal model's, and by slots alone, as if nothing else mattered.
  *
  * @param replayNow what the replay of the recorded machines takes: how near it comes to what was recorded says how far to trust it
  * @param idealNow the ideal model's own time: with every resource used perfectly it would have taken no longer than its bottleneck
  */
final case class Prediction(
    seconds: Double,
    replay: Double,
    ideal: Double,
    slots: Double,
    replayNow: Double,
    idealNow: Double,
    idealNext: Double
)

/** The application with a resource that were infinitely fast (thesis Fig. 5.13): no faster one could make it shorter than this.
  *
  * @param blockedTime by blocked-time analysis: without the time that tasks were blocked on it, and `blockedTimeAtLeast` without all that
  *                    they may have been; None of the CPU
  */
final case class Bound(
    resource: String,
    replay: Double,
    ideal: Double,
    blockedTime: Option[Double],
    blockedTimeAtLeast: Option[Double]
)

final case class JobPrediction(id: Int, prediction: Prediction)

/** @param bottleneckNow the resource with the longest ideal time; None of a stage without steps
  * @param turningPoint more CPUs per disk than this do not make the stage shorter on those machines; None where it uses no disk
  */
final case class StagePrediction(
    id: Int,
    attempt: Int,
    name: String,
    prediction: Prediction,
    bottleneckNow: Option[String],
    bottleneckNext: Option[String],
    turningPoint: Option[Double]
)

/** What is asked: None is as recorded. */
final case class Change(
    machines: Option[Int] = None,
    cores: Option[Int] = None,
    disks: Option[Int] = None,
    disk: Option[DiskProfile] = None,
    networkBytesPerSecond: Option[Double] = None,
    inputInMemory: Boolean = false,
    partitions: Option[Int] = None,
    plainShuffles: Boolean = false
) {
  def of(c: Cluster): Cluster = c.copy(
    machines = machines.getOrElse(c.machines),
    cores = cores.getOrElse(c.cores),
    cpus = c.cpus * cores.getOrElse(c.cores) / c.cores,
    disks = disks.getOrElse(c.disks),
    disk = disk.orElse(c.disk),
    networkBytesPerSecond = networkBytesPerSecond.orElse(c.networkBytesPerSecond),
    inputInMemory = inputInMemory,
    partitions = partitions,
    plainShuffles = plainShuffles
  )
}

/** The models of one recording: any number of changes are asked of it. */
final class Models(trace: Trace, known: Known = Known()) {
  private val recorded = new Recorded(trace, known)
  private val now = recorded.setup.cluster
  private val schedule = new Schedule(trace)
  private val simulation = new Simulation(schedule, recorded.work, recorded.blocks)

  private val asRecorded = new Division(schedule, recorded.work, None)

  private val staying = new Staying(trace, recorded.work, recorded.setup).micros
  private val deserialized = Deserialized.of(trace, recorded.work)
  private val compression = new Compression(trace, recorded.work, spillsApart = recorded.monotasks)

  private final class On(cluster: Cluster, idling: Double = slower) {
    private val setup = recorded.on(cluster)
    private val scaling =
      new Scaling(trace, recorded.work, staying, deserialized, compression, recorded.setup, setup, idling)
    lazy val ideal = new Ideal(trace, schedule, recorded.work, scaling, setup)
    val simulated: Simulated =
      simulation.run(
        scaling,
        setup,
        cluster.partitions.fold(asRecorded)(n => new Division(schedule, recorded.work, Some(n)))
      )
    val slots: Double = cluster.slots.toDouble
  }

  /** Of the application, as recorded. */
  private val seconds = (trace.endMillis - trace.startMillis) / 1e3

  /** How many times as long as a disk needs for it takes what is written by way of its page cache, where output waited for disks: these idle in turn, as
    * files wait for others. As long as makes the replay of the recorded machines take what was recorded.
    */
  private lazy val slower: Double =
    if (!trace.stages.indices.exists(recorded.work.outputWaitedFor(_).contains(Resource.Disk))) 1
    else
      (1 to Models.Halvings).foldLeft((1.0, Models.Slowest)) { case ((low, high), _) =>
        val middle = (low + high) / 2
        if (new On(now, middle).simulated.end < seconds * 1e6) (middle, high) else (low, middle)
      }._1

  private val before = new On(now)

  /** Whether any step uses it, and whether any waits for a task's input. */
  def uses(resource: Resource): Boolean = (0 until recorded.work.table.size).exists(recorded.work.kind(_) == resource)
  def readsInput: Boolean = (0 until recorded.work.table.size).exists(recorded.work.phase(_) == MonotaskPhase.InputRead)

  /** Whether a number of partitions changes anything. */
  def dividesShuffles: Boolean = asRecorded.mayDiffer

  /** Whether the log tells how large map output is that is not compressed. */
  def knowsPlainShuffles: Boolean = compression.isKnown

  def predict(change: Change): WhatIf = {
    val next = change.of(now)
    val after = if (next == now) before else new On(next)
    val jobs = jobsOn(after)
    val stages = trace.stages.indices.filter(trace.stages(_).ended).map { s =>
      val stage = trace.stages(s)
      StagePrediction(
        stage.id,
        stage.attempt,
        stage.name,
        prediction(
          (schedule.stageCompleted(s) - schedule.stageSubmitted(s)) / 1e6,
          after,
          _.stageMicros(s),
          _.seconds(s)
        ),
        before.ideal.bottleneck(s).map(_.name),
        after.ideal.bottleneck(s).map(_.name),
        after.ideal.turningPoint(s)
      )
    }
    val all = application(jobs.map(_.prediction), after)
    WhatIf(
      1,
      trace.application.id,
      trace.application.name,
      recorded.monotasks,
      machines(now),
      machines(next),
      all,
      Validation.of(recorded.variant, next.differs(now), all.replay),
      jobs.zip(ofKnownEnd).collect { case (prediction, (j, _, _)) if trace.jobs(j).ended => prediction },
      stages,
      bounds,
      recorded.assumptions(next) ++ Option.when(next.plainShuffles)(compression.assumed) ++ assumed
    )
  }

  private def assumed: Option[String] = Option.when(slower > 1)(
    f"disks write ${100 / slower}%.0f %% of what they could while output waits for them, as in the recording: they idle in turn"
  )

  private def jobsOn(after: On): Seq[JobPrediction] = ofKnownEnd.map { case (j, from, to) =>
    JobPrediction(trace.jobs(j).id, prediction((to - from) / 1e6, after, _.jobMicros(j), _.ofJob(j)))
  }

  /** Jobs whose end is known, each with its microseconds from and to. */
  private val ofKnownEnd = trace.jobs.indices.filter(schedule.jobCompleted(_) >= 0)
    .map(j => (j, (trace.jobs(j).submissionMillis - trace.startMillis) * Schedule.Micros, schedule.jobCompleted(j)))

  private lazy val bounds: Seq[Bound] = {
    val scenarios = new Scenarios(trace)
    val blocked =
      new BlockedTime(scenarios, new Blockage.All(trace), noStragglers = scenarios.recorded).application(seconds)
    val savings = Map(Resource.Disk -> blocked.noDisk, Resource.Network -> blocked.noNetwork)
    Seq(Resource.Cpu, Resource.Disk, Resource.Network).map { resource =>
      val without = new On(now.copy(without = Set(resource)))
      val all = application(jobsOn(without).map(_.prediction), without)
      val saving = savings.get(resource)
      Bound(
        resource.name,
        all.replay,
        all.ideal,
        saving.map(seconds - _.loggedSeconds),
        saving.map(seconds - _.atMostSeconds)
      )
    }
  }

  private def prediction(
      seconds: Double,
      after: On,
      simulated: Simulated => Long,
      ideal: Ideal => Double
  ): Prediction = {
    def scaled(from: Double, to: Double) = if (from > 0) seconds * to / from else seconds
    val (idealNow, idealNext) = (ideal(before.ideal), ideal(after.ideal))
    Prediction(
      seconds,
      scaled(simulated(before.simulated).toDouble, simulated(after.simulated).toDouble),
      scaled(idealNow, idealNext),
      seconds * before.slots / after.slots,
      simulated(before.simulated) / 1e6,
      idealNow,
      idealNext
    )
  }

  /** What no job ran in stays as it was. The simple models take the rest to change as the sum of the jobs does. */
  private def application(jobs: Seq[Prediction], after: On): Prediction = {
    val inJobs = Models.covered(ofKnownEnd.map { case (_, from, to) => (from, to) }) / 1e6
    val all = jobs.map(_.seconds).sum
    def sum(of: Prediction => Double) = seconds + (if (all > 0) inJobs * (jobs.map(of).sum / all - 1) else 0.0)
    Prediction(
      seconds,
      seconds * after.simulated.end / math.max(1L, before.simulated.end),
      sum(_.ideal),
      sum(_.slots),
      before.simulated.end / 1e6,
      before.ideal.ofApplication,
      after.ideal.ofApplication
    )
  }

  private def machines(c: Cluster) =
    Machines(
      c.machines,
      c.cores,
      c.disks,
      c.disk.map(_.name),
      c.networkBytesPerSecond.map(_ * 8 / 1e6),
      c.inputInMemory,
      c.partitions,
      c.plainShuffles
    )
}

object Models {

  /** The most that disks' idling may make writing longer, and how finely it is told. */
  private final val Slowest = 1.5
  private final val Halvings = 5

  /** How much the spans cover together. */
  private def covered(spans: Iterable[(Long, Long)]): Long = {
    var until = Long.MinValue
    spans.toSeq.sorted.iterator.map { case (from, to) =>
      val more = math.max(0L, to - math.max(from, until))
      until = math.max(until, to)
      more
    }.sum
  }
}

object WhatIf {
  private implicit val codec: JsonValueCodec[Seq[WhatIf]] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false).withTransientNone(false))

  /** An answer for each change. */
  def json(all: Seq[WhatIf]): Array[Byte] = writeToArray(all)
}
