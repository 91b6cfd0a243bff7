package pellucid.report

import pellucid.TraceOf
import pellucid.trace.{Tasks, Trace, Window}

class AnalysisSuite extends munit.FunSuite {

  test("no disk and no network: what the log states, and at most") {
    // One slot, one task of 1000 ms: 600 on CPU, 100 fetch wait, 150 shuffle write, 150 unnamed, and it read input.
    val r = Analysis.report(new TraceOf().job(0, 0, 1000, 0).stage(0, 0, 1000).task(0, 0, 1000) { (t, row) =>
      t.cpuNanos(row) = 600000000L
      t.fetchWaitMillis(row) = 100
      t.shuffleWriteNanos(row) = 150000000L
      t.inputBytes(row) = 1000
    }.result())
    def close(s: Saving, logged: Double, atMost: Double) = {
      assertEqualsDouble(s.loggedSeconds, logged, 1e-4)
      assertEqualsDouble(s.atMostSeconds, atMost, 1e-4)
    }
    for (c <- Seq(r.completion, r.jobs.head.completion, r.stages.head.completion)) {
      close(c.noDisk, 0.15, 0.4) // the write; with the fetch wait (remote disks) and the 150 ms that may be input
      close(c.noNetwork, 0.1, 0.25) // the fetch wait; with the 150 ms that may be remote input
      close(c.neither, 0.25, 0.4)
    }
  }

  test("what may be a remote disk or the network is in neither as logged, and in both at most") {
    // 700 ms on CPU, and 300 blocked on another machine's datanode
    val c = Analysis.report(new TraceOf().job(0, 0, 1000, 0).stage(0, 0, 1000).task(0, 0, 1000) { (t, row) =>
      t.cpuNanos(row) = 700000000L
      t.inputBytes(row) = 1000
      t.inputBlockedNanos(row) = 300000000L
      t.remoteBlockedNanos(row) = 300000000L
      t.set(row, Tasks.CpuLogged | Tasks.Observed | Tasks.InputLogged)
    }.result()).completion
    assertEquals((c.noDisk, c.noNetwork, c.neither), (Saving(0, 0.3), Saving(0, 0.3), Saving(0.3, 0.3)))
  }

  test("per CPU second: data to and from disk, and over the network") {
    // 2 s of CPU; 100 MB input, 30 MB shuffle written, 40 MB read (10 remote), 20 MB output, 5 MB spilled (written and read):
    // (100 + 30 + 40 + 20 + 2 * 5) / 2 = 100 MB; 10 MB * 8 / 2 = 40 Mb; shuffle/input 0.3, output/input 0.2
    val d = Analysis.report(new TraceOf().job(0, 0, 2000, 0).stage(0, 0, 2000).task(0, 0, 2000) { (t, row) =>
      t.inputBytes(row) = 100000000L
      t.shuffleWriteBytes(row) = 30000000L
      t.shuffleLocalBytes(row) = 30000000L
      t.shuffleRemoteBytes(row) = 10000000L
      t.outputBytes(row) = 20000000L
      t.diskSpilledBytes(row) = 5000000L
    }.result()).demand
    assertEquals((d.diskMBPerCpuSecond, d.networkMbPerCpuSecond), (Some(100.0), Some(40.0)))
    assertEquals((d.shuffleToInput, d.outputToInput), (Some(0.3), Some(0.2)))
  }

  test("work lost: failed, killed and recomputed attempts with their seconds, and executors with their reasons") {
    val r =
      Analysis.report(new TraceOf(Seq(2)).removed("0", 90, "Executor Process Lost").job(0, 0, 100, 0).stage(0, 0, 100)
        .task(0, 0, 10, index = 0)((t, row) => t.set(row, Tasks.Failed))
        .task(0, 10, 40, index = 0, attempt = 1)()
        .task(0, 0, 40, index = 1)((t, row) => t.set(row, Tasks.Killed | Tasks.Speculative))
        .task(0, 10, 40, index = 0)((t, row) => t.set(row, Tasks.Resubmitted))
        .result())
    assertEquals(
      r.workLost.attempts.map(a => (a.kind, a.tasks, a.seconds)),
      Seq(("speculative copy, killed", 1, 0.04), ("succeeded, output lost", 1, 0.03), ("failed", 1, 0.01))
    )
    assertEquals(r.workLost.executors.map(e => (e.id, e.atSeconds, e.released)), Seq(("0", 0.09, false)))
    assertEquals((r.breakdown.tasks, r.application.tasks), (3, 3)) // the record of an output lost is no run of its own
    assertEqualsDouble(r.breakdown.taskSeconds, 0.08, 1e-9)
  }

  test("without stragglers a task that its copy overtook takes the median's time, and has no copy") {
    // Tasks 0 to 2 take 10 ms. Task 3, copied at 30, and its copy end at 50, one of them killed: 10 ms without stragglers, 40 saved.
    def stage(original: Int, copy: Int) = new TraceOf(Seq(4, 4)).job(0, 0, 50, 0).stage(0, 0, 50)
      .task(0, 0, 10, index = 0)().task(0, 0, 10, index = 1)().task(0, 0, 10, index = 2)()
      .task(0, 0, 50, index = 3)((t, row) => t.set(row, original))
      .task(0, 30, 50, executor = 1, index = 3, attempt = 1)((t, row) => t.set(row, Tasks.Speculative | copy))
      .result()
    for ((original, copy) <- Seq((Tasks.Killed, Tasks.Success), (Tasks.Success, Tasks.Killed))) {
      val r = Analysis.report(stage(original, copy))
      assertEqualsDouble(r.completion.simulatedSeconds, 0.05, 1e-9)
      assertEqualsDouble(r.completion.noStragglersSeconds, 0.04, 1e-9)
    }
  }

  test("executors that the application gave back are released; what a machine's end or a spot market took is not") {
    val reasons = Seq(
      "Executor decommission: spark scale down" -> true,
      "Executor decommission: worker decommissioned because of kill request from HTTP endpoint (data migration disabled)." ->
        false,
      "Executor decommission." -> false,
      "Command exited with code 137" -> false
    )
    for ((reason, isReleased) <- reasons) {
      val r = Analysis.report(new TraceOf().removed(
        "0",
        90,
        reason
      ).job(0, 0, 100, 0).stage(0, 0, 100).task(0, 0, 10)().result())
      assertEquals(r.workLost.executors.map(_.released), Seq(isReleased), reason)
    }
  }

  test("what was measured on other machines' disks or the network has a line of its own, and is no unnamed waiting") {
    // of 1 s the task computed 0.4 s and was blocked for 0.5 s on another machine's input; 0.1 s nothing names
    val r = Analysis.report(new TraceOf().job(0, 0, 1000, 0).stage(0, 0, 1000).task(0, 0, 1000) { (t, row) =>
      t.cpuNanos(row) = 400000000L
      t.inputBlockedNanos(row) = 500000000L
      t.remoteBlockedNanos(row) = 500000000L
      t.set(row, Tasks.Observed)
    }.result())
    assertEquals(r.advice.map(a => (a.kind, (a.savesSeconds * 1000).round)), Seq(("remote", 500L), ("waiting", 100L)))
  }

  test("a stage of one task leaves the slots of all executors empty, also where each has but one") {
    // 400 ms on one of four: evenly divided 100, 300 saved; that of an executor that came later is not counted
    val trace = new TraceOf(Seq(1, 1, 1, 1)).executor("late", 4, 400)
      .job(0, 0, 400, 0).stage(0, 0, 400).task(0, 0, 400)().result()
    val few = Analysis.report(trace).advice.find(_.kind == "parallelism").get
    assertEqualsDouble(few.savesSeconds, 0.3, 1e-6)
  }

  test("a stage of which a window has but one task has as many as it was planned with") {
    val trace = new TraceOf(Seq(4)).job(0, 0, 400, 0).stage(0, 0, 400).task(0, 0, 400)().result()
    val planned = trace.copy(stages = trace.stages.map(_.copy(numTasks = 1000)))
    assertEquals(Seq(trace, planned).map(Analysis.report(_).advice.exists(_.kind == "parallelism")), Seq(true, false))
  }

  test("work lost: what a stage that had ended computed once more, since its output was lost with an executor") {
    // two tasks of 100 ms; later one of them again, for a reducer of 50 ms
    val r = Analysis.report(new TraceOf(Seq(2)).job(
      0, 0, 300, 0, 1
    ).stage(0, 0, 100).stage(0, 150, 250, attempt = 1).stage(1, 250, 300, Seq(0))
      .task(
        0,
        0,
        100
      )().task(0, 0, 100)().task(0, 150, 250, index = 0, stageAttempt = 1)().task(1, 250, 300)().result())
    assertEquals(
      r.workLost.attempts.map(a => (a.kind, a.tasks, a.seconds)),
      Seq(("computed again, output lost", 1, 0.1))
    )
    assertEqualsDouble(r.advice.find(_.kind == "workLost").get.savesSeconds, 0.1, 1e-6)
  }

  test("work lost: what a stage computed once more as it ran") {
    // the executor of task 0 is lost as that ends, at 100 ms; the other one runs it again after task 2
    val trace = new TraceOf(Seq(1, 1)).removed("1", 100, "lost")
    trace.job(0, 0, 300, 0).stage(0, 0, 300).task(0, 0, 100, executor = 1, index = 0)()
      .task(0, 0, 100, index = 1)().task(0, 100, 200, index = 2)()
      .task(0, 0, 100, executor = 1, index = 0)((t, row) => t.set(row, Tasks.Resubmitted))
      .task(0, 200, 300, index = 0, attempt = 1)()
    val r = Analysis.report(trace.result())
    assertEquals(r.workLost.attempts.map(a => (a.kind, a.seconds)), Seq(("succeeded, output lost", 0.1)))
    assertEqualsDouble(r.advice.find(_.kind == "workLost").get.savesSeconds, 0.1, 1e-6)
  }

  test("advice is ranked by seconds, and evening out a skewed stage saves what the replay says") {
    // Two slots; tasks of 100, 100, 100 and 400 ms read 100, 100, 100, 400 bytes: 500 ms. Evened out to 175 bytes the long
    // one takes 175 ms and the replay has 100+175 beside 100+100: 275 ms at best, 225 ms saved.
    val r = Analysis.report(new TraceOf(Seq(2)).job(0, 0, 500, 0).stage(0, 0, 500)
      .task(0, 0, 100)((t, row) => t.inputBytes(row) = 100).task(0, 0, 100)((t, row) => t.inputBytes(row) = 100)
      .task(0, 100, 200)((t, row) => t.inputBytes(row) = 100).task(0, 100, 500)((t, row) => t.inputBytes(row) = 400)
      .result())
    val skew = r.advice.find(_.kind == "inputSkew").get
    assertEqualsDouble(skew.savesSeconds, 0.225, 1e-6)
    assertEquals(skew.tasks.head, 3L)
    assertEquals(r.advice.map(_.savesSeconds), r.advice.map(_.savesSeconds).sorted.reverse)
  }

  test("a small stage whose work is divided evenly takes what all its tasks do over the slots") {
    // two tasks of 10 and 990 ms, ten slots: 100 ms
    val r = Analysis.report(new TraceOf(Seq(10)).job(0, 0, 990, 0).stage(
      0,
      0,
      990
    ).task(0, 0, 10)().task(0, 0, 990)().result())
    assertEqualsDouble(r.advice.find(_.kind == "parallelism").get.savesSeconds, 0.89, 1e-6)
  }

  test("before the first task of a window that begins later is no start-up") {
    val trace = new TraceOf().job(0, 500, 1000, 0).job(1, 3000, 4000, 1).stage(0, 500, 1000).stage(1, 3000, 4000)
      .task(0, 500, 1000)().task(1, 3000, 4000)().result()
    def driver(of: Trace) = Analysis.report(of).advice.filter(a => a.kind == "startup" || a.kind == "driver").map(a =>
      a.kind -> a.savesSeconds
    )
    assertEquals(driver(trace), Seq("driver" -> 2.0, "startup" -> 0.5))
    assertEquals(driver(Window.of(trace, TraceOf.Start + 2000, TraceOf.Start + 4000)), Seq("driver" -> 1.0))
  }

  private def waiting(locality: Int, elsewhere: Int) = {
    // One slot on each of two executors. The first has the tasks' data and runs three of 1 s; the fourth has waited for it
    // for 3 s when the second executor, which has idled, is given it: 4 s.
    val near = (t: Tasks, row: Int) => t.set(row, locality << Tasks.LocalityShift)
    Analysis.report(new TraceOf(Seq(1, 1)).job(0, 0, 4000, 0).stage(0, 0, 4000)
      .task(0, 0, 1000)(near).task(0, 1000, 2000)(near).task(0, 2000, 3000)(near)
      .task(0, 3000, 4000, executor = 1)((t, row) => t.set(row, elsewhere << Tasks.LocalityShift))
      .result()).advice.find(_.kind == "localityWait")
  }

  test("what waits for locality cost: executors that idled, and tasks that waited for a busy one") {
    // Nobody waits: the fourth starts after 0.1 s on the second executor, which takes the third at 1.1 s and ends it at 2.1 s.
    val advice = waiting(Tasks.NodeLocal, Tasks.AnyLocality).get
    assertEqualsDouble(advice.savesSeconds, 1.9, 1e-6)
    assertEquals((advice.stages, advice.tasks), (Seq(0), Seq(3L, 1L, 2L)))
  }

  test("tasks whose data is in an executor's memory, or which may run anywhere, do not count as waiting for locality") {
    assertEquals(waiting(1, Tasks.AnyLocality), None) // PROCESS_LOCAL
    assertEquals(waiting(3, 3), None) // NO_PREF
  }

  test("a log without tasks or jobs has a report, and its JSON can be read back") {
    val r = Analysis.report(new TraceOf(Nil).result(1000))
    assertEquals((r.application.seconds, r.application.tasks, r.advice.map(_.kind)), (1.0, 0, Seq("startup")))
    assertEquals(Json.read(Json.write(r)), r)
  }

  test("a window keeps moments, and only what ran in it") {
    val trace = new TraceOf().job(0, 0, 100, 0).job(1, 200, 300, 1).stage(0, 0, 100).stage(1, 200, 300)
      .task(0, 0, 100)().task(1, 200, 300)().result()
    val r = Analysis.report(Window.of(trace, TraceOf.Start + 150, TraceOf.Start + 300))
    assertEquals(r.jobs.map(_.id), Seq(1))
    assertEquals(r.stages.map(s => (s.id, s.startSeconds, s.seconds)), Seq((1, 0.2, 0.1)))
    assertEquals(r.window, Some(TimeWindow(0.15, 0.3)))
  }

  test("a window has the executors that were there, those lost in it, and the idle time until its end") {
    // of three executors one is lost at 50 ms, one comes at 250; the window is 0-200, and its last 100 ms no task runs
    val trace = new TraceOf().executor("1", 2, 0).removed("1", 50, "Command exited with code 137").executor("2", 4, 250)
      .removed("2", 280, "Command exited with code 137")
      .job(
        0,
        0,
        100,
        0
      ).job(1, 200, 300, 1).stage(0, 0, 100).stage(1, 200, 300).task(0, 0, 100)().task(1, 200, 300)().result()
    val r = Analysis.report(Window.of(trace, TraceOf.Start, TraceOf.Start + 200))
    assertEquals((r.application.executors, r.application.slots), (2, 3))
    assertEquals(r.workLost.executors.map(_.id), Seq("1"))
    assertEquals(r.advice.find(_.kind == "driver").map(_.savesSeconds), Some(0.1))
    assertEquals(Analysis.report(trace).workLost.executors.map(_.id), Seq("1", "2"))
  }

  test("a window inside a job is as long as it says, and what ran before it is no idle time") {
    val trace = new TraceOf().job(0, 0, 100000, 0, 1).stage(0, 0, 50000).stage(1, 50000, 100000, Seq(0))
      .task(0, 0, 50000)().task(1, 50000, 75000)().task(1, 75000, 100000)().result()
    val r = Analysis.report(Window.of(trace, TraceOf.Start + 80000, TraceOf.Start + 95000))
    // its one task began 5 s before it and ended 5 s after it
    assertEquals((r.application.seconds, r.driverOnly.seconds, r.advice.map(_.kind)), (25.0, 0.0, Nil))
    assertEquals(r.jobs.map(j => (j.startSeconds, j.seconds)), Seq((75.0, 25.0)))
    assertEquals(r.stages.map(s => (s.id, s.startSeconds, s.seconds)), Seq((1, 75.0, 25.0)))
  }

  test("in a window slots are in use as they were, though one task began long before it") {
    // two slots: one task from 0 to 101 s, others of 1 s each all along; the window is from 100 to 110 s
    val trace = new TraceOf(Seq(2))
    trace.job(0, 0, 110000, 0).stage(0, 0, 110000).task(0, 0, 101000)()
    for (from <- 0 until 110000 by 1000) trace.task(0, from, from + 1000)()
    for (from <- 101000 until 110000 by 1000) trace.task(0, from, from + 1000)()
    val r = Analysis.report(Window.of(trace.result(), TraceOf.Start + 100000, TraceOf.Start + 110000))
    assertEqualsDouble(r.coreUse.runningShare, 1, 1e-6)
    assertEqualsDouble(r.coreUse.fromSeconds, 100, 1e-9)
    assertEqualsDouble(r.coreUse.bucketSeconds * r.coreUse.running.size, 10, 0.1)
  }

  test("an attempt lost for more than 24.8 days in all is told with its time") {
    val lost = new TraceOf(Seq(3)).job(0, 0, 900000000L, 0).stage(0, 0, 900000000L)
    for (i <- 0 until 3) lost.task(0, 0, 900000000L, index = i)((t, row) => t.set(row, Tasks.Failed))
    lost.task(0, 0, 1000)()
    val advice = Analysis.report(lost.result()).advice.filter(_.kind == "workLost").map(_.detail)
    assertEquals(advice.map(_.takeWhile(_ != '.')), Seq("3 attempts, 2700000"))
  }
}
