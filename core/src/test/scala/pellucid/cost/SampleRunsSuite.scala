package pellucid.cost

class SampleRunsSuite extends munit.FunSuite {
  import Demanded.disk
  private final val MB = 1e6

  // 300 tasks of 3 s of computing that each read 60 MB from HDFS and 30 MB of shuffle data, and write 30 MB
  private val truth = StageDemand(
    "job",
    0,
    "s",
    300,
    3,
    Seq(
      Io(IoKind.HdfsRead, 300 * 60 * MB, 1e8),
      Io(IoKind.ShuffleRead, 300 * 30 * MB, 3e4),
      Io(IoKind.ShuffleWrite, 300 * 10 * MB, 3e7)
    ),
    serialSeconds = Vector(5, 9, 5, 7, 5)
  )
  private val (fast, slow) = (disk(480 * MB), disk(20 * MB))
  private val clusters = Seq(
    Cluster(3, 1, fast, fast),
    Cluster(3, 2, fast, fast),
    Cluster(3, 16, fast, slow),
    Cluster(3, 16, slow, fast)
  )

  /** As the model itself has it, or with a time for each run. */
  private def runs(seconds: Double*): Seq[SampleRun] = clusters.zipWithIndex.map { case (on, i) =>
    val took = seconds.lift(i).getOrElse(Doppio.stage(truth, on).seconds)
    SampleRun(JobDemand(Seq("job"), Vector(truth.copy(recordedSeconds = took)), 1, 0, Nil, Nil), on)
  }
  private def fit(runs: Seq[SampleRun]): JobDemand = SampleRuns.fit(runs(0), runs(1), runs(2), runs(3))

  test("from four runs that are as the model has them, its constants") {
    // runs 1 and 2: 100 and 50 tasks on each core of t = 3 + 60/480 + 30/480 + 10/480 s, and 5 s;
    // run 3: 300 x 30 / 20 / 3 = 150 s of local reads (50 of writes) and 7 s; run 4: 300 s of HDFS reads and 9 s
    assertEquals(
      runs().map(r => (r.job.stages.head.recordedSeconds * 10).round / 10.0),
      Seq(325.8, 165.4, 157.0, 309.0)
    )
    val fitted = fit(runs())
    assertEqualsDouble(fitted.stages.head.computeSeconds, 3, 1e-9)
    for ((found, real) <- fitted.stages.head.serialSeconds.zip(truth.serialSeconds))
      assertEqualsDouble(found, real, 1e-9)
    assertEquals(fitted.notes, Nil)
    val elsewhere = Cluster(7, 5, disk(50 * MB), disk(300 * MB))
    assertEqualsDouble(Doppio.seconds(fitted, elsewhere), 1 + Doppio.stage(truth, elsewhere).seconds, 1e-6)
  }

  test("a slow disk that was no bottleneck tells nothing: δ is that of the cores") {
    // with 16 cores on each of three machines 300 / 48 x 3.2 s + 5 s = 25 s
    val fitted = fit(runs(325.8, 165.4, 20, 20))
    assertEqualsDouble(fitted.stages.head.serialSeconds(Term.LocalRead.index), 5, 0.1)
    assertEqualsDouble(fitted.stages.head.serialSeconds(Term.HdfsRead.index), 5, 0.1)
  }

  test("the check of the paper: disks that take as long as the first runs did are too slow for them") {
    val fitted = fit(runs(10, 5))
    assert(fitted.notes.exists(_.contains("repeat it with a faster disk")), fitted.notes)
  }

  test("a stage that more cores do not make faster is serial, and one that scales by more than they are has no δ") {
    val same = fit(runs(100, 110)).stages.head
    assertEquals((same.computeSeconds, same.serialSeconds(0)), (0.0, 100.0))
    val steep = fit(runs(325.8, 100)).stages.head
    assertEquals(steep.serialSeconds(0), 0.0)
    assertEqualsDouble(steep.computeSeconds + 100.0 / 480, 3.258, 1e-9)
  }

  test("a stage with a task for each core at most takes as long with more cores") {
    // two tasks on 3 and 6 cores took 12 s and, by luck, 10; of them a task computes 9 s and reads 96 MB in 0.2
    val result = StageDemand("job", 0, "s", 2, 9, Seq(Io(IoKind.HdfsRead, 2 * 96 * MB, 1e8)))
    def took(seconds: Double, on: Cluster) =
      SampleRun(JobDemand(Seq("job"), Vector(result.copy(recordedSeconds = seconds)), 1, 0, Nil, Nil), on)
    val fitted =
      SampleRuns.fit(took(12, clusters(0)), took(10, clusters(1)), took(12, clusters(2)), took(12, clusters(3)))
    assertEqualsDouble(Doppio.stage(fitted.stages.head, clusters(1)).seconds, 12, 1e-9)
    // one after the other on one core: 2 x 9.2 s, and what was not a task's time, 2.8
    assertEqualsDouble(Doppio.stage(fitted.stages.head, Cluster(1, 1, fast, fast)).seconds, 2 * 9.2 + 2.8, 1e-9)
  }

  test("runs of different jobs, and of equally many cores, are mistakes") {
    val other = runs().updated(3, runs()(3).copy(job = runs()(3).job.copy(stages = Vector(truth.copy(tasks = 3)))))
    assert(intercept[IllegalArgumentException](fit(other)).getMessage.contains("run 4 has not the stages"))
    assert(intercept[IllegalArgumentException](fit(other)).getMessage.contains("s of 3 tasks, s of 300 tasks"))
    val retried = runs()(3).job.copy(stages = runs()(3).job.stages.map(_.copy(tasks = 303, retries = 3)))
    assertEquals(fit(runs().updated(3, runs()(3).copy(job = retried))).notes, Nil)
    // its retries took the second run's cores as long as other tasks
    val more = truth.copy(tasks = 330, retries = 30)
    val longer = more.copy(io = Nil, computeSeconds = 3 + 100.0 / 480, recordedSeconds = 55 * (3 + 100.0 / 480) + 5)
    val second = SampleRun(runs()(1).job.copy(stages = Vector(longer)), clusters(1))
    assertEqualsDouble(fit(runs().updated(1, second)).stages.head.computeSeconds, 3, 1e-9)
    val equal = runs().updated(1, runs()(0))
    assert(intercept[IllegalArgumentException](fit(equal)).getMessage.contains("both have 3 cores"))
  }
}
