package pellucid.cause

import org.scalacheck.{Gen, Prop}
import pellucid.{TraceOf, Properties}
import pellucid.trace.{Tasks, Trace}

class StragglerSuite extends Properties {

  /** One stage of tasks that each read 100 bytes, on executors 0 and 1 in turn; `(duration, columns)` each. */
  private def stage(tasks: (Int, (Tasks, Int) => Unit)*): Trace = {
    val of = new TraceOf(Seq(1, 1))
    val free = Array(0L, 0L)
    tasks.zipWithIndex.foreach { case ((duration, set), i) =>
      val e = i % 2
      of.task(0, free(e), free(e) + duration, executor = e) { (t, r) => t.inputBytes(r) = 100; set(t, r) }
      free(e) += duration
    }
    of.job(0, 0, free.max, 0).stage(0, 0, free.max).result()
  }
  private val plain: (Tasks, Int) => Unit = (_, _) => ()
  private def causesOf(trace: Trace, row: Int): Set[String] =
    new StragglerAnalysis(trace).causesOf(row).map(_.key).toSet

  test("a straggler takes more than 1.5 times the median time per byte") {
    // rates 1, 1, 1, 1, 1.5, 1.6 ms per byte: the median is 1; 150 ms is not over 1.5x, 160 ms is
    val trace = stage(100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 150 -> plain, 160 -> plain)
    val s = new StragglerAnalysis(trace)
    assertEquals(s.total.count, 1)
    assertEqualsDouble(s.total.excessSeconds, 0.060, 1e-9) // 160 ms - 1 ms per byte * 100 bytes
    assertEquals(
      s.atMedianMicros.toSeq,
      Seq.fill(4)(Long.MaxValue) ++ Seq(100000L, 100000L)
    ) // both are slower than the median
  }

  test("twice the data in twice the time is no straggler, but long by input skew") {
    val trace = stage(100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 200 -> ((t, r) => t.inputBytes(r) = 200))
    val s = new StragglerAnalysis(trace)
    assertEquals(s.total.count, 0)
    assertEquals(s.longest(1).head.reason, "input skew: reads more than the others")
  }

  test("caused by GC: no straggler had no task of the stage collected garbage") {
    // 300 ms with 210 ms of GC: 90 ms without; the others had 10 ms each: 90 ms without
    val gc: Int => (Tasks, Int) => Unit =
      ms => (t, r) => { t.gcMillis(r) = ms; t.cpuNanos(r) = t.cpuNanos(r) - ms * 1000000L }
    val trace = stage(100 -> gc(10), 100 -> gc(10), 100 -> gc(10), 100 -> gc(10), 300 -> gc(210))
    assertEquals(causesOf(trace, 4), Set("gc"))
  }

  test("not caused by GC that explains only a part of it") {
    // 400 ms with 100 ms of GC is still 300 ms against the others' 100
    val gc: (Tasks, Int) => Unit = (t, r) => { t.gcMillis(r) = 100; t.cpuNanos(r) = 300000000L }
    assertEquals(
      causesOf(stage(100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 400 -> gc), 4),
      Set.empty[String]
    )
  }

  test("caused by fetch wait, shuffle write, scheduler delay, waiting") {
    def waits(set: (Tasks, Int) => Unit): (Tasks, Int) => Unit = (t, r) => { t.cpuNanos(r) = 100000000L; set(t, r) }
    def straggler(set: (Tasks, Int) => Unit) =
      causesOf(stage(100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 300 -> waits(set)), 4)
    assertEquals(straggler((t, r) => t.fetchWaitMillis(r) = 200), Set("shuffleRead"))
    assertEquals(straggler((t, r) => t.shuffleWriteNanos(r) = 200000000L), Set("shuffleWrite"))
    assertEquals(straggler((t, r) => t.runMillis(r) = 100), Set("schedulerDelay"))
    assertEquals(straggler((_, _) => ()), Set("waiting"))
  }

  test("caused by what the plugin measures: Python, output, asking the name server, locks, the driver, CPUs, spills") {
    // 300 ms, 100 of them on the CPU, and 200 in what is measured
    def observed(set: (Tasks, Int) => Unit) = {
      val slow: (Tasks, Int) => Unit =
        (t, r) => { t.cpuNanos(r) = 100000000L; t.set(r, Tasks.Observed); set(t, r) }
      causesOf(stage(100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 300 -> slow), 4)
    }
    assertEquals(observed((t, r) => t.pythonWorkerNanos(r) = 200000000L), Set("pythonWorker"))
    assertEquals(observed((t, r) => t.outputBlockedNanos(r) = 200000000L), Set("outputWrite"))
    assertEquals(observed((t, r) => t.metadataNanos(r) = 200000000L), Set("metadata"))
    assertEquals(observed((t, r) => t.lockWaitNanos(r) = 200000000L), Set("lock"))
    assertEquals(observed((t, r) => t.driverWaitNanos(r) = 200000000L), Set("driver"))
    assertEquals(observed((t, r) => t.cpuQueueNanos(r) = 200000000L), Set("cpuQueue"))
    assertEquals(observed((t, r) => t.spillBlockedNanos(r) = 200000000L), Set("spill"))
  }

  test("caused by output skew: slow for what it read, not for what it wrote") {
    val writes: Int => (Tasks, Int) => Unit = bytes => (t, r) => t.outputBytes(r) = bytes
    val trace = stage(100 -> writes(10), 100 -> writes(10), 100 -> writes(10), 100 -> writes(10), 300 -> writes(30))
    assertEquals(causesOf(trace, 4), Set("outputSkew"))
  }

  test("caused by being among the first tasks on an executor") {
    // Tasks 0 and 1 start before any task has ended on their executors: 300 ms each, like each other; the rest take 100.
    val trace = stage(300 -> plain, 300 -> plain, 100 -> plain, 100 -> plain, 100 -> plain, 100 -> plain)
    assertEquals(causesOf(trace, 0), Set("firstTask"))
    assertEquals(causesOf(trace, 1), Set("firstTask"))
  }

  test("caused by spilling, and by input on another rack") {
    val spills: (Tasks, Int) => Unit = (t, r) => t.diskSpilledBytes(r) = 1
    val many = Seq.fill(6)(100 -> plain)
    assertEquals(causesOf(stage(many ++ Seq(300 -> spills, 300 -> spills): _*), 6), Set("spill"))
    val remote: (Tasks, Int) => Unit =
      (t, r) => t.set(r, Tasks.LocalityNames.indexOf("RACK_LOCAL") << Tasks.LocalityShift)
    assertEquals(causesOf(stage(many ++ Seq(300 -> remote, 300 -> remote): _*), 6), Set("nonLocal"))
  }

  test("a slow node: its tasks are slow net of their data, in every stage") {
    // Two stages of six tasks on each of two hosts, with equal data; host1's take twice as long: 200 ms against 100.
    val of = new TraceOf(Seq(1, 1, 1))
    val free = Array(0L, 0L, 0L)
    for (s <- 0 to 1; i <- 0 until 18) {
      val e = i % 3
      val duration = if (e == 1) 200 else 100
      of.task(s, free(e), free(e) + duration, executor = e)((t, r) => t.inputBytes(r) = 50)
      free(e) += duration
    }
    val trace = of.job(0, 0, free.max, 0, 1).stage(0, 0, free.max).stage(1, 0, free.max).result()
    val s = new StragglerAnalysis(trace)
    // a third of the tasks: the median is 2 ms per byte, host1's 4: slowdown 2
    assertEquals(s.slowNodeResults.map(n => (n.host, n.slowdown, n.stages)), Seq(("host1", 2.0, 2)))
    assertEquals(s.total.count, 12)
    assert(s.total.causes.exists(c => c.cause == "slowNode" && c.tasks == 12), s.total.causes.toString)
  }

  property("the median is the middle of the sorted values") {
    Prop.forAll(Gen.nonEmptyListOf(Gen.choose(-1000, 1000).map(_.toDouble))) { values =>
      Median.of(values.toArray) == values.sorted.apply((values.size - 1) / 2)
    }
  }
}
