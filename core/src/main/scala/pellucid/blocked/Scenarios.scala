package pellucid.blocked

import pellucid.breakdown.{Sums, TaskPhases}
import pellucid.report.{Completion, ReplayError, Saving}
import pellucid.trace.Trace

/** Replays of one application with parts of its tasks' time taken away, each compared with the replay of its recorded times
  * (thesis section 3.3.2: simulated against simulated).
  */
final class Scenarios(trace: Trace) {
  val schedule = new Schedule(trace)
  private val replay = new Replay(schedule)
  private val tasks = trace.tasks
  private val duration = new Array[Long](tasks.size)

  val recorded: Simulated = shorter((_, millis) => millis * 1000L)

  /** Replays with each task's duration changed: (row, recorded milliseconds) => microseconds. */
  def shorter(micros: (Int, Int) => Long): Simulated = {
    var row = 0
    while (row < duration.length) {
      duration(row) = math.max(0L, micros(row, tasks.durationMillis(row)))
      row += 1
    }
    replay.run(duration)
  }

  /** Replays without what `saved` gives, in nanoseconds of each task; `total` is its sum, and nothing saved needs no replay. */
  def without(total: Long)(saved: TaskPhases => Long): Simulated =
    if (total == 0) recorded
    else {
      val times = new TaskPhases(tasks)
      shorter { (row, millis) =>
        times.load(row)
        millis * 1000L - saved(times) / 1000L
      }
    }
}

/** The blocked-time scenarios of an application, with what each saves the application, its jobs and its stages. */
final class BlockedTime(scenarios: Scenarios, total: Sums, val noStragglers: Simulated) {
  import scenarios.{recorded, without}

  private val diskLogged = without(total.diskLogged)(_.diskLogged)
  private val networkLogged = without(total.networkLogged)(_.networkLogged)
  private val neitherLogged =
    if (total.networkLogged == 0) diskLogged
    else if (total.diskLogged == 0) networkLogged
    else without(total.neitherLogged)(_.neitherLogged)
  private val diskAtMost = if (total.diskAtMost == total.diskLogged) diskLogged else without(total.diskAtMost)(_.diskAtMost)
  private val networkAtMost =
    if (total.networkAtMost == total.networkLogged) networkLogged else without(total.networkAtMost)(_.networkAtMost)
  private val neitherAtMost =
    if (total.neitherAtMost == total.neitherLogged) neitherLogged else without(total.neitherAtMost)(_.neitherAtMost)

  def application(recordedSeconds: Double): Completion = completion(recordedSeconds, _.end)
  def job(row: Int, recordedSeconds: Double): Completion = completion(recordedSeconds, _.jobMicros(row))
  def stage(row: Int, recordedSeconds: Double): Completion = completion(recordedSeconds, _.stageMicros(row))

  private def completion(recordedSeconds: Double, micros: Simulated => Long): Completion = {
    val base = micros(recorded)
    def saved(s: Simulated) = (base - micros(s)) / 1e6
    def saving(logged: Simulated, atMost: Simulated) = Saving(saved(logged), math.max(saved(logged), saved(atMost)))
    Completion(
      recordedSeconds,
      base / 1e6,
      saving(diskLogged, diskAtMost),
      saving(networkLogged, networkAtMost),
      saving(neitherLogged, neitherAtMost),
      saved(noStragglers)
    )
  }
}

object BlockedTime {

  /** The replay's error against the recorded times of the jobs that ended and took longer than a second. */
  def error(trace: Trace, recorded: Simulated): ReplayError = {
    val errors = trace.jobs.indices.iterator
      .filter(j => trace.jobs(j).ended && millis(trace, j) > 1000)
      .map(j => (math.abs(recorded.jobMicros(j) / 1000.0 - millis(trace, j)) / millis(trace, j), trace.jobs(j).id))
      .toArray
      .sortBy(_._1)
    if (errors.isEmpty) ReplayError(0, 0, 0, 0, None)
    else {
      def at(quantile: Double) = errors(math.min(errors.length - 1, math.ceil(quantile * errors.length).toInt - 1).max(0))._1
      ReplayError(errors.length, at(0.5), at(0.95), errors.last._1, Some(errors.last._2))
    }
  }

  private def millis(trace: Trace, j: Int) = trace.jobs(j).completionMillis - trace.jobs(j).submissionMillis
}
