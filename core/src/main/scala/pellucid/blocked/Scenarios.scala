package pellucid.blocked

import java.util.BitSet

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
  def shorter(micros: (Int, Int) => Long): Simulated = changed(micros, Replay.NoTask)

  /** Replays with these tasks on any of their stage's executors, without their wait for one. */
  def anywhere(rows: BitSet): Simulated = changed((_, millis) => millis * 1000L, rows)

  private def changed(micros: (Int, Int) => Long, anywhere: BitSet): Simulated = {
    var row = 0
    while (row < duration.length) {
      duration(row) = math.max(0L, micros(row, tasks.durationMillis(row)))
      row += 1
    }
    replay.run(duration, anywhere)
  }

  /** Replays with each task shorter by its part of `what`. */
  def without(what: Blockage): Simulated =
    if (what.totalNanos == 0) recorded else shorter((row, millis) => millis * 1000L - what.micros(row))
}

/** The blocked-time scenarios of an application, with what each saves the application, its jobs and its stages. */
final class BlockedTime(scenarios: Scenarios, all: Blockage.All, val noStragglers: Simulated) {
  import scenarios.{recorded, without}

  private val diskLogged = without(all.diskLogged)
  private val networkLogged = without(all.networkLogged)
  private val neitherLogged =
    replay(all.neitherLogged, all.diskLogged -> diskLogged, all.networkLogged -> networkLogged)
  private val diskAtMost = replay(all.diskAtMost, all.diskLogged -> diskLogged)
  private val networkAtMost = replay(all.networkAtMost, all.networkLogged -> networkLogged)
  private val neitherAtMost = replay(all.neitherAtMost, all.neitherLogged -> neitherLogged)

  /** Task by task no part of it, whose replay is known, is more than `what`: where the sums are equal, so are they. */
  private def replay(what: Blockage, parts: (Blockage, Simulated)*): Simulated =
    parts.collectFirst { case (part, replayed) if part.totalNanos == what.totalNanos => replayed }
      .getOrElse(without(what))

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
      def at(quantile: Double) =
        errors(math.min(errors.length - 1, math.ceil(quantile * errors.length).toInt - 1).max(0))._1
      ReplayError(errors.length, at(0.5), at(0.95), errors.last._1, Some(errors.last._2))
    }
  }

  private def millis(trace: Trace, j: Int) = trace.jobs(j).completionMillis - trace.jobs(j).submissionMillis
}
