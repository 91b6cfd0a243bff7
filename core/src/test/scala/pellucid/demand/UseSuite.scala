package pellucid.demand

import pellucid.TraceOf
import pellucid.blocked.Schedule

class UseSuite extends munit.FunSuite {

  test("time in which no task ran: before, between and after") {
    // tasks at 100-300 and 350-400 of an application of 500 ms: 100 before, 50 between, 100 after
    val trace = new TraceOf().job(0, 90, 310, 0).job(1, 340, 410, 1).stage(0, 90, 305).stage(1, 340, 405)
      .task(0, 100, 300)().task(1, 350, 400)().result(500)
    val d = Use.driverOnly(trace)
    assertEquals((d.seconds, d.beforeFirstTaskSeconds, d.afterLastTaskSeconds), (0.25, 0.1, 0.1))
    assertEquals(d.longest.map(_.seconds), Seq(0.1, 0.1, 0.05))
    assertEquals(d.longest(2).afterJob -> d.longest(2).beforeJob, Some(0) -> Some(1))
  }

  test("a stretch inside a job is that job's") {
    val trace =
      new TraceOf().job(0, 0, 100, 0).job(1, 100, 500, 1, 2).stage(0, 0, 100).stage(1, 100, 200).stage(2, 300, 500)
        .task(0, 0, 100)().task(1, 100, 200)().task(2, 300, 500)().result(500)
    assertEquals(
      Use.driverOnly(trace).longest.map(g => (g.seconds, g.afterJob, g.beforeJob, g.inJob)),
      Seq((0.1, None, None, Some(1)))
    )
  }

  test("core use: averages over buckets add up to the task time and the CPU time") {
    // two slots, 1000 ms; tasks 0-400 (half on CPU) and 100-1000 (all on CPU): 1300 ms in tasks, 1100 on CPU
    val trace = new TraceOf(Seq(2)).job(0, 0, 1000, 0).stage(0, 0, 1000)
      .task(0, 0, 400)((t, r) => t.cpuNanos(r) = 200000000L).task(0, 100, 1000)().result(1000)
    val use = Use.cores(trace)
    assertEqualsDouble(use.running.sum * use.bucketSeconds, 1.3, 1e-9)
    assertEqualsDouble(use.onCpu.sum * use.bucketSeconds, 1.1, 1e-9)
    assertEqualsDouble(use.slots.sum * use.bucketSeconds, 2.0, 1e-9)
    // at 200 ms both run, one on half a core
    val at = (0.2 / use.bucketSeconds).toInt + 1
    assertEqualsDouble(use.running(at), 2, 1e-9)
    assertEqualsDouble(use.onCpu(at), 1.5, 1e-9)
  }

  test("the most slots at one moment") {
    val trace = new TraceOf(Seq(4)).executor("1", 8, 100).removed("0", 50, "idle").job(0, 0, 200, 0).stage(0, 0, 200)
      .task(0, 0, 40)().task(0, 100, 200, executor = 1)().result()
    assertEquals(Use.slots(trace), 8) // 4 until 50, then none, then 8
  }

  test("the most machines at one moment: of those with several executors, while they have one") {
    // a: 0-50 (two executors) and again 60-; b: 50-70; c: 65-
    val trace = new TraceOf(Nil).executor("0", 1, 0, "a").executor("1", 1, 20, "a").removed("0", 30, "idle")
      .removed("1", 50, "idle").executor("2", 1, 50, "b").executor("3", 1, 60, "a").removed("2", 70, "idle")
      .executor("4", 1, 65, "c").result(100)
    assertEquals(Use.machines(trace, trace.executors.indices), 3) // from 65 to 70
    assertEquals(Use.machines(trace, Seq(0, 1, 2)), 1)
    assertEquals(Use.machines(trace, Nil), 0)
  }

  test("the critical path goes back through the parent that ended last, and through the job before") {
    // job 1: stage 3 waits for stages 1 (ends 150) and 2 (ends 180); job 1 followed job 0, which ended at 100
    val trace = new TraceOf(Seq(2)).job(0, 0, 100, 0).job(1, 110, 300, 1, 2, 3)
      .stage(0, 0, 95).stage(1, 115, 150).stage(2, 120, 180).stage(3, 190, 290, Seq(1, 2))
      .task(0, 0, 95)().task(1, 115, 150)().task(2, 120, 180)().task(3, 190, 290)().result()
    val whole = CriticalPath.ofApplication(new Schedule(trace))
    val path = whole.steps
    assertEquals((whole.stages, whole.betweenSeconds), (3, 0.035))
    assertEqualsDouble(whole.stageSeconds, 0.255, 1e-9)
    assertEquals(path.map(_.stageId), Seq(0, 2, 3))
    assertEquals(path.map(_.seconds), Seq(0.095, 0.06, 0.1))
    assertEquals(path.map(_.gapBeforeSeconds), Seq(0.0, 0.025, 0.01)) // 120 - 95, 190 - 180
  }
}
