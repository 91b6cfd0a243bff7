package pellucid.blocked

import org.scalacheck.{Gen, Prop}
import pellucid.{TraceOf, Properties}
import pellucid.trace.{Tasks, Trace, Window}

class ReplaySuite extends Properties {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(300)

  private def recorded(trace: Trace): Simulated = new Scenarios(trace).recorded
  private def millis(trace: Trace)(change: (Int, Int) => Int): Long =
    new Scenarios(trace).shorter((row, millis) => change(row, millis) * 1000L).end / 1000

  test("a task moves to the slot that an earlier, shorter task frees (thesis Fig. 3.2)") {
    // Two slots. Recorded: slot 0 runs task 0 (0-100), slot 1 runs task 1 (0-60) and then task 2 (60-120): 120 ms.
    val trace = new TraceOf(Seq(2)).job(0, 0, 120, 0).stage(0, 0, 120)
      .task(0, 0, 100)().task(0, 0, 60)().task(0, 60, 120)().result()
    assertEquals(recorded(trace).end, 120000L)
    // Task 0 shortened to 30, task 1 as it was: task 2 starts at 30 on slot 0, not at 60, and ends at 90.
    assertEquals(millis(trace)((row, ms) => if (row == 0) 30 else ms), 90L)
  }

  test("a stage waits for its parents and for what the driver took after them") {
    // stage 1 was submitted 7 ms after stage 0 completed at 50; the job ended 3 ms after stage 1.
    val trace = new TraceOf().job(0, 0, 110, 0, 1).stage(0, 0, 50).stage(1, 57, 107, Seq(0))
      .task(0, 0, 50)().task(1, 57, 107)().result()
    assertEquals(recorded(trace).jobMicros(0), 110000L)
    // stage 0 in 20 instead of 50: everything comes 30 earlier
    val faster = new Scenarios(trace).shorter((row, ms) => if (row == 0) 20000L else ms * 1000L)
    assertEquals(faster.stageStart(1), 27000L)
    assertEquals(faster.jobEnd(0), 80000L)
  }

  test("concurrent jobs stay concurrent, and a later job follows the job that it had followed") {
    // Jobs 0 and 1 start together on two slots; job 2 starts 10 ms after job 0, the first to end, has ended.
    val trace = new TraceOf(Seq(2)).job(0, 0, 40, 0).job(1, 0, 100, 1).job(2, 50, 90, 2)
      .stage(0, 0, 40).stage(1, 0, 100).stage(2, 50, 90)
      .task(0, 0, 40)().task(1, 0, 100)().task(2, 50, 90)().result()
    val as = recorded(trace)
    assertEquals((as.jobEnd(0), as.jobEnd(1), as.jobEnd(2)), (40000L, 100000L, 90000L))
    val faster = new Scenarios(trace).shorter((row, ms) => if (row == 0) 5000L else ms * 1000L)
    assertEquals((faster.jobStart(2), faster.jobEnd(1)), (15000L, 100000L))
  }

  test("jobs of a query follow all of its jobs that had ended") {
    // Jobs 0 and 1 start together and end after 40 and 50 ms; jobs 2 and 3 start 5 and 7 ms later, and job 4 3 ms after job 2, which had waited for the first two
    val jobs =
      new TraceOf(Seq(2)).job(0, 0, 40, 0).job(1, 0, 50, 1).job(2, 55, 90, 2).job(3, 57, 100, 3).job(4, 93, 99, 4)
        .stage(0, 0, 40).stage(1, 0, 50).stage(2, 55, 90).stage(3, 57, 100).stage(4, 93, 99)
        .task(0, 0, 40)().task(1, 0, 50)().task(2, 55, 90)().task(3, 57, 100)().task(4, 93, 99)().result()
    val trace = jobs.copy(jobs = jobs.jobs.map(_.copy(sqlExecution = Some(1))))
    assertEquals(new Schedule(trace).jobAfter.toSeq.map(_.toSeq), Seq(Nil, Nil, Seq(0, 1), Seq(0, 1), Seq(2)))
    assertEquals(recorded(trace).end, 100000L)
    // with job 1 at 10 ms they wait for job 0
    val faster = new Scenarios(trace).shorter((row, ms) => if (row == 1) 10000L else ms * 1000L)
    assertEquals((faster.jobStart(2), faster.jobStart(3)), (45000L, 47000L))
  }

  test(
    "a job without an end in the log, longer than all that ended, goes on until the log's; another one's end is not known"
  ) {
    val ended = new TraceOf(Seq(2)).job(0, 0, 10, 0).job(1, 11, 111, 1).stage(0, 0, 10).stage(1, 11, 111)
      .task(0, 0, 10)().task(1, 11, 111)().result()
    for (open <- Seq(0, 1)) {
      val trace = ended.copy(jobs = ended.jobs.map(job => if (job.id == open) job.copy(completionMillis = 0) else job))
      assertEquals(recorded(trace).end, 111000L)
      assertEquals(millis(trace)((row, ms) => if (row == 1) 50 else ms), 61L) // the long task
    }
    assertEquals(new Schedule(ended).jobCompleted.toSeq, Seq(10000L, 111000L))
  }

  test("a stage is run again after the one that missed its output, whenever that fails") {
    // 1.0 failed at 60, and 0.1 was submitted 2 ms later for it
    val trace = new TraceOf().job(0, 0, 100, 0, 1).stage(0, 0, 10).stage(1, 10, 60, Seq(0))
      .stage(0, 62, 65, attempt = 1).stage(1, 65, 100, Seq(0), attempt = 1)
      .task(
        0,
        0,
        10
      )().task(1, 10, 60)().task(0, 62, 65, stageAttempt = 1)().task(1, 65, 100, stageAttempt = 1)().result()
    val failed = trace.copy(stages =
      trace.stages.map(s => if (s.id == 1 && s.attempt == 0) s.copy(failure = Some("FetchFailed")) else s)
    )
    assertEquals(recorded(failed).end, 100000L)
    // without 40 of its 50 ms all the others come 40 earlier
    assertEquals(millis(failed)((row, ms) => if (row == 1) 10 else ms), 60L)
  }

  test("a task that overlapped the one before it in its slot begins no sooner than that one did") {
    // the driver heard of task 0's end 199 ms after it had given its slot to task 1
    val trace = new TraceOf().job(0, 0, 201, 0).stage(0, 0, 201).task(0, 0, 200)().task(0, 1, 201)().result()
    assertEquals(recorded(trace).end, 201000L)
    assertEquals(millis(trace)((row, ms) => if (row == 0) 10 else ms), 200L)
  }

  test("under FAIR pools take turns, and in one pool, as the default one, the earliest job's tasks go first") {
    // two slots, two jobs of four tasks of 10 ms, the second 1 ms later
    def jobs(firstEnds: Long, launches: (Int, Long)*): Trace = {
      val trace = new TraceOf(Seq(2), Map("spark.scheduler.mode" -> "FAIR"))
      trace.job(0, 0, firstEnds, 0).job(1, 1, 40, 1).stage(0, 0, firstEnds).stage(1, 1, 40)
      launches.foreach { case (stage, from) => trace.task(stage, from, from + 10)() }
      trace.result()
    }
    def ends(trace: Trace) = { val as = recorded(trace); (as.jobEnd(0), as.jobEnd(1)) }
    val inTurn = Seq(0 -> 0L, 0 -> 0L, 0 -> 10L, 1 -> 10L, 0 -> 20L, 1 -> 20L, 1 -> 30L, 1 -> 30L)
    val pools = jobs(30, inTurn: _*)
    assertEquals(ends(pools.copy(jobs = pools.jobs.map(job => job.copy(pool = Some(s"${job.id}"))))), (30000L, 40000L))
    val afterAnother = Seq(0, 0, 10, 10, 20, 20, 30, 30).zipWithIndex.map { case (from, i) => i / 4 -> from.toLong }
    assertEquals(ends(jobs(20, afterAnother: _*)), (20000L, 40000L))
  }

  test("executors come and go at their distance from the job before them") {
    // Executor 1 came 20 ms into the job: task 1, 2 wait for it although executor 0 is busy with task 0.
    val trace = new TraceOf(Seq(1)).executor("1", 2, 20).job(0, 0, 100, 0).stage(0, 0, 100)
      .task(0, 0, 100, executor = 0)().task(0, 20, 60, executor = 1)().task(0, 20, 70, executor = 1)().result()
    assertEquals(recorded(trace).end, 100000L)
    // with task 0 at 1 ms, executor 0 takes task 1 at 1 (ends 41) and then task 2 waits for nobody: executor 1 at 20 (ends 70)
    assertEquals(millis(trace)((row, ms) => if (row == 0) 1 else ms), 70L)
  }

  test("executors that come or go where nothing is left to do make nothing longer") {
    // Executor 1 is given back at 900; with task 0 in 300 ms all has ended by then. Executor 2 comes for job 1, at 5000.
    val trace = new TraceOf(Seq(1)).executor("1", 1, 0).removed("1", 900, "idle").executor("2", 1, 5000)
      .job(0, 0, 1000, 0).job(1, 4900, 6000, 1).stage(0, 0, 1000).stage(1, 4900, 6000)
      .task(0, 0, 1000)().task(0, 0, 300, executor = 1)().task(1, 5000, 6000, executor = 2)().result()
    assertEquals(recorded(trace).end, 6000000L)
    val first = Window.of(trace, TraceOf.Start, TraceOf.Start + 1000)
    assertEquals(recorded(first).end, 1000000L)
    assertEquals(millis(first)((row, ms) => if (row == 0) 300 else ms), 300L)
  }

  test("a retry follows the attempt that failed; a killed attempt is not waited for") {
    val trace = new TraceOf(Seq(2)).job(0, 0, 90, 0).stage(0, 0, 90)
      .task(0, 0, 30, index = 0)((t, r) => t.set(r, Tasks.Failed))
      .task(0, 0, 50, index = 1)()
      .task(0, 30, 90, index = 0, attempt = 1)()
      .result()
    assertEquals(recorded(trace).end, 90000L)
    assertEquals(millis(trace)((row, ms) => if (row == 0) 10 else ms), 70L) // 10 + 60

    val killed = new TraceOf(Seq(2)).job(0, 0, 60, 0).stage(0, 0, 60)
      .task(0, 0, 100, index = 0)((t, r) => t.set(r, Tasks.Killed))
      .task(0, 40, 60, index = 0, attempt = 1)((t, r) => t.set(r, Tasks.Speculative))
      .result(60)
    assertEquals(recorded(killed).jobEnd(0), 60000L)
  }

  test("a task whose output is lost is run again when it is lost, not when it had ended") {
    // Executor 1 ran task 0 until 20 and was lost at 70; executor 0, busy until 60, runs it again from 70 to 90.
    val trace = new TraceOf(Seq(1)).executor("1", 1, 0).removed("1", 70, "lost").job(0, 0, 90, 0).stage(0, 0, 90)
      .task(
        0,
        0,
        60,
        index = 1
      )().task(0, 0, 20, executor = 1, index = 0)().task(0, 70, 90, index = 0, attempt = 1)().result()
    assertEquals(recorded(trace).end, 90000L)
  }

  test("an executor whose task failed with it takes no other before the driver logs its loss") {
    // Executor 1 is lost at 50 with task 1, logged at 58; executor 0 is busy until 80 and runs it again until 110.
    val of = new TraceOf(Seq(1)).executor("1", 1, 0).removed("1", 58, "lost")
    val lost = of.reason("ExecutorLostFailure: Command exited with code 137")
    val trace = of.job(0, 0, 110, 0).stage(0, 0, 110).task(0, 0, 80, index = 0)()
      .task(0, 0, 50, executor = 1, index = 1) { (t, r) => t.set(r, Tasks.Failed); t.reason(r) = lost }
      .task(0, 80, 110, index = 1, attempt = 1)().result()
    assertEquals(recorded(trace).end, 110000L)
  }

  test("an executor that is gone still finishes what only it could do") {
    // Executor 1 was removed at 50; the replay with all tasks twice as long still completes.
    val trace = new TraceOf(Seq(1)).executor("1", 1, 0).removed("1", 50, "lost").job(0, 0, 60, 0).stage(0, 0, 60)
      .task(
        0,
        0,
        30,
        executor = 0
      )().task(0, 30, 60, executor = 0)().task(0, 0, 25, executor = 1)().task(0, 25, 50, executor = 1)()
      .result()
    assertEquals(recorded(trace).end, 60000L)
    assert(millis(trace)((_, ms) => ms * 2) >= 110L) // 220 ms of work on at most 2 slots
  }

  /** Stages one after another in one job, tasks launched greedily on `slots` slots: a recording as a scheduler makes it. */
  private val recordings: Gen[(Int, List[List[Int]])] = for {
    slots <- Gen.choose(1, 6)
    stages <- Gen.listOfN(4, Gen.nonEmptyListOf(Gen.choose(1, 400)))
  } yield (slots, stages)

  private def record(slots: Int, stages: List[List[Int]]): Trace = {
    val of = new TraceOf(Seq(slots))
    var now = 0L
    stages.zipWithIndex.foreach { case (durations, s) =>
      val free = Array.fill(slots)(now)
      val start = now
      durations.foreach { d =>
        val slot = free.indices.minBy(free(_))
        of.task(s, free(slot), free(slot) + d)()
        free(slot) += d
      }
      now = free.max
      of.stage(s, start, now, if (s == 0) Nil else Seq(s - 1))
    }
    of.job(0, 0, now, stages.indices: _*).result(now)
  }

  property("nothing removed: the replay is the recording") {
    Prop.forAll(recordings) { case (slots, stages) =>
      val trace = record(slots, stages)
      recorded(trace).end == (trace.endMillis - trace.startMillis) * 1000L
    }
  }

  property("one slot: the replay's end is the sum of whatever the tasks take") {
    Prop.forAll(recordings, Gen.choose(0, 100)) { case ((_, stages), percent) =>
      val trace = record(1, stages)
      val expected = stages.flatten.map(d => d.toLong * 1000L * percent / 100).sum
      new Scenarios(trace).shorter((_, ms) => ms * 1000L * percent / 100).end == expected
    }
  }

  property("never faster than the critical path, nor than the total work over the slots") {
    Prop.forAll(recordings, Gen.listOfN(64, Gen.choose(0, 100))) { case ((slots, stages), percents) =>
      val trace = record(slots, stages)
      def take(row: Int, ms: Int) = ms * 1000L * percents(row % percents.size) / 100
      val end = new Scenarios(trace).shorter(take).end
      var row = -1
      val perStage = stages.map(_.map { d => row += 1; take(row, d) })
      val critical = perStage.map(_.max).sum
      val work = perStage.map(s => math.ceil(s.sum.toDouble / slots)).sum
      end >= critical && end >= work.toLong
    }
  }

  property("a shorter task may reorder the others (list scheduling), but at most to twice the bound") {
    Prop.forAll(recordings, Gen.listOfN(64, Gen.choose(0, 100))) { case ((slots, stages), percents) =>
      val trace = record(slots, stages)
      def take(row: Int, ms: Int) = ms * 1000L * percents(row % percents.size) / 100
      var row = -1
      val bound = stages.map { s =>
        val t = s.map { d => row += 1; take(row, d) }; t.max + t.sum.toDouble / slots
      }.sum
      new Scenarios(trace).shorter(take).end <= bound + 1 // Graham: makespan <= longest + work / slots, stage by stage
    }
  }
}
