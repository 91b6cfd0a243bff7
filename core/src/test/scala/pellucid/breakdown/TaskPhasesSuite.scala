package pellucid.breakdown

import pellucid.TraceOf
import pellucid.trace.Tasks

class TaskPhasesSuite extends munit.FunSuite {
  private def phases(from: Long, to: Long)(set: (Tasks, Int) => Unit): TaskPhases = {
    val trace = new TraceOf().job(0, 0, to, 0).stage(0, 0, to).task(0, from, to)(set).result()
    val times = new TaskPhases(trace.tasks)
    times.load(0)
    times
  }
  private def ms(times: TaskPhases)(phase: Phase): Long = times(phase) / 1000000L

  test("each part of a task's time, and what is left of it") {
    // 1000 ms in its slot: 50 deserialize, 900 run, 10 result serialize, 15 getting result: 25 scheduler delay.
    // Of the run: 500 on CPU, 100 fetch wait, 50 GC, 30 shuffle write: 220 waiting, not logged which.
    val t = phases(0, 1000) { (t, r) =>
      t.deserializeMillis(r) = 50
      t.runMillis(r) = 900
      t.resultSerializeMillis(r) = 10
      t.gettingResultMillis(r) = 15
      t.cpuNanos(r) = 500000000L
      t.fetchWaitMillis(r) = 100
      t.gcMillis(r) = 50
      t.shuffleWriteNanos(r) = 30000000L
    }
    val expected = Map(
      Phase.SchedulerDelay -> 25L,
      Phase.Deserialize -> 50L,
      Phase.Compute -> 500L,
      Phase.ShuffleRead -> 100L,
      Phase.Gc -> 50L,
      Phase.ShuffleWrite -> 30L,
      Phase.Waiting -> 220L,
      Phase.ResultSerialize -> 10L,
      Phase.GettingResult -> 15L
    )
    Phase.all.foreach(p => assertEquals(ms(t)(p), expected.getOrElse(p, 0L), p.key))
    assertEquals(t.nanos.sum, 1000000000L)
  }

  test("a shuffle write that used the CPU is computing; only its part beyond the CPU time is blocked") {
    // run 100, CPU 90, write 30: at least 20 of the write was on the CPU
    val t = phases(0, 100) { (t, r) => t.cpuNanos(r) = 90000000L; t.shuffleWriteNanos(r) = 30000000L }
    assertEquals((ms(t)(Phase.Compute), ms(t)(Phase.ShuffleWrite), ms(t)(Phase.Waiting)), (90L, 10L, 0L))
  }

  test("waiting is bounded by what the task can have waited for") {
    // 100 ms run, 40 CPU: 60 waiting. It read input, and its scans took 25 ms: input explains at most 25; it spilled: at most 60.
    val t = phases(0, 100) { (t, r) =>
      t.cpuNanos(r) = 40000000L
      t.inputBytes(r) = 1
      t.scanNanos(r) = 25000000L
      t.diskSpilledBytes(r) = 1
    }
    assertEquals((t.inputAtMost, t.spillAtMost, t.outputAtMost), (25000000L, 60000000L, 0L))
    assertEquals((t.diskLogged, t.diskAtMost), (0L, 60000000L)) // 25 + 60, but no more than the waiting
    assertEquals((t.networkLogged, t.networkAtMost), (0L, 60000000L))
  }

  test("waiting of a task without input, output or spill is never charged to the disk") {
    val t = phases(0, 100) { (t, r) => t.cpuNanos(r) = 40000000L }
    assertEquals((t.diskAtMost, t.networkAtMost, t.neitherAtMost), (0L, 60000000L, 60000000L))
  }

  test("without CPU time in the log, computing and waiting are not told apart") {
    val t = phases(0, 100) { (t, r) =>
      t.flags(r) = t.flags(r) & ~Tasks.CpuLogged
      t.cpuNanos(r) = 0
      t.gcMillis(r) = 10
    }
    assertEquals(
      (ms(t)(Phase.Compute), ms(t)(Phase.Waiting), ms(t)(Phase.ComputeOrWaiting), ms(t)(Phase.Gc)),
      (0L, 0L, 90L, 10L)
    )
  }

  test("numbers of the log that exceed the task's duration are cut to it") {
    val t = phases(0, 100) { (t, r) => t.runMillis(r) = 500; t.cpuNanos(r) = 900000000L; t.fetchWaitMillis(r) = 300 }
    assertEquals(t.nanos.sum, 100000000L)
  }

  test("an attempt that failed: without metrics, or with a run time and no CPU time, nothing is told apart") {
    // FetchFailed and ExecutorLostFailure come without metrics: 100 ms of which nothing is known
    val lost = phases(0, 100) { (t, r) => t.set(r, Tasks.Failed); t.runMillis(r) = 0; t.cpuNanos(r) = 0 }
    assertEquals((ms(lost)(Phase.ComputeOrWaiting), ms(lost)(Phase.SchedulerDelay)), (100L, 0L))
    // an exception: 80 ms of run time, CPU time 0
    val failed = phases(0, 100) { (t, r) => t.set(r, Tasks.Failed); t.runMillis(r) = 80; t.cpuNanos(r) = 0 }
    assertEquals(
      (ms(failed)(Phase.ComputeOrWaiting), ms(failed)(Phase.Waiting), ms(failed)(Phase.SchedulerDelay)),
      (80L, 0L, 20L)
    )
  }
}
