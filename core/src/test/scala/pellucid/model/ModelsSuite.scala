package pellucid.model

import pellucid.Samples._
import pellucid.TraceOf
import pellucid.disk.{BandwidthCurve, BandwidthPoint, DiskProfile}
import pellucid.trace.{MachineSample, Tasks, Trace}

/** One stage of small tasks that the plugin ran as monotasks; times are seconds. */
class ModelsSuite extends munit.FunSuite {
  private case class Did(
      monotasks: String,
      resources: String = "cpu=1 disk:a=1",
      executor: String = "1",
      seconds: Int = 3,
      requests: String = "",
      after: Int = 0,
      inputBytes: Long = 0,
      shuffleBytes: Long = 0
  )

  /** All tasks are launched at 1 s, or `after` so many seconds. Its monotasks are `PhaseResource,BYTES,WAIT,SERVICE,CPU` in microseconds. */
  private def stage(cores: Int, seconds: Int, tasks: Did*): Trace = stageWith("", cores, seconds, tasks: _*)

  /** @param settings of Spark, as they are in the log, each after a comma */
  private def stageWith(settings: String, cores: Int, seconds: Int, tasks: Did*): Trace =
    readLines(logOf(settings, cores, seconds, tasks): _*)

  private def logOf(settings: String, cores: Int, seconds: Int, tasks: Seq[Did]): Seq[String] = {
    val finish = 1000 + 1000L * seconds
    val lines = tasks.zipWithIndex.map { case (t, id) =>
      taskEnd(
        id.toLong,
        launch = 1000L + 1000L * t.after,
        finish = 1000L + 1000L * (t.after + t.seconds),
        executor = t.executor,
        accumulables =
          s"""{"ID":7,"Name":"pellucid.task","Update":"[1;${t.requests}|${1 +
              t.after}000000;${t.resources};${t.monotasks}]"}""",
        metrics = s"""{"Executor Run Time":${1000 *
            t.seconds},"Executor CPU Time":1,"Input Metrics":{"Bytes Read":${t.inputBytes},"Records Read":1},"Shuffle Read Metrics":{"Remote Bytes Read":${t.shuffleBytes}}}"""
      )
    }
    Seq(environment.replace("},\"System", s"$settings},\"System")) ++
      tasks.map(_.executor).distinct.map(executorAdded(_, cores)) ++
      Seq(jobStart(0, 1000, 0), stageSubmitted(0, at = 1000, tasks = tasks.size)) ++ lines ++
      Seq(stageCompleted(0, from = 1000, to = finish), jobEnd(0, finish))
  }

  private def job(trace: Trace, change: Change, known: Known = Known()): Prediction =
    new Models(trace, known).predict(change).jobs.head.prediction

  private def flat(name: String, bytesPerSecond: Double) =
    DiskProfile(name, BandwidthCurve.flat(bytesPerSecond), BandwidthCurve.flat(bytesPerSecond))

  /** So many small reads a second. */
  private def seeking(bytesPerSecond: Double, seeks: Double) = DiskProfile(
    s"$seeks",
    BandwidthCurve(Vector(BandwidthPoint(4096, 4096 * seeks), BandwidthPoint(1e8, bytesPerSecond))),
    BandwidthCurve.flat(bytesPerSecond)
  )

  private def near(got: Double, want: Double)(implicit at: munit.Location): Unit = assertEqualsDouble(got, want, 1e-3)

  test(
    "ideal times of the thesis' examples (5.6.1): 20 minutes on 80 cores are 15 s, 20 GB from ten disks of 100 MB/s 20 s"
  ) {
    val reads = (0 until 10).map(d => Did("i0,2000000000,0,20000000,0", s"disk:$d=1 cpu=80", seconds = 30))
    val computes = Did("c0,0,0,1200000000,1200000000", "cpu=80", seconds = 1230)
    val models = new Models(stage(80, 1230, reads :+ computes: _*))
    val half = models.predict(Change(disks = Some(20))).stages.head
    near(half.prediction.idealNow, 20)
    near(half.prediction.idealNext, 15) // the disks would take 10 s
    assertEquals((half.bottleneckNow, half.bottleneckNext), (Some("disk"), Some("cpu")))
    near(half.prediction.ideal, 1230 * 15.0 / 20)
    near(half.turningPoint.get, 1200.0 / 200) // CPU s over disk s
  }

  test("the ideal time of an application whose jobs ran at once is that of the longest of them, and not their sum") {
    // Two cores. Job 0 computes for 2 s, and job 1 reads for 2 s beside it; job 2 follows both and computes for 1 s. Ideal: 1, 2 and 0.5 s.
    def did(id: Int, from: Long, to: Long, what: String) = Seq(
      jobStart(id, from, id),
      stageSubmitted(id, at = from),
      taskEnd(
        id.toLong,
        stage = id,
        launch = from,
        finish = to,
        accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;|${from}000;cpu=2 disk:a=1;$what]"}""",
        metrics = s"""{"Executor Run Time":${to - from},"Executor CPU Time":1}"""
      ),
      stageCompleted(id, from = from, to = to),
      jobEnd(id, to)
    )
    val jobs = did(0, 1000, 3000, "c0,0,0,2000000,2000000") ++ did(1, 1000, 3000, "i1,100000000,0,2000000,0") ++
      did(2, 3000, 4000, "c0,0,0,1000000,1000000")
    val all = new Models(readLines(Seq(environment, executorAdded("1", 2)) ++ jobs: _*), Known()).predict(Change())
    assertEquals(all.jobs.map(_.prediction.idealNow), Seq(1.0, 2.0, 0.5))
    near(all.application.idealNow, 2.5)
  }

  // One core and one disk: A reads 0-1 and computes 1-2; B waits, reads 1-2, computes 2-3
  private val two = stage(
    1,
    3,
    Did("i1,100000000,0,1000000,0;c0,0,0,1000000,1000000", seconds = 2),
    Did("i1,100000000,1000000,1000000,0;c0,0,0,1000000,1000000")
  )

  test("the replay of the same machines takes as long as was recorded") {
    near(job(two, Change()).replay, 3)
  }

  test("a disk twice as fast: B's reading is hidden behind A's computing") {
    // A reads 0-0.5, computes 0.5-1.5; B reads 0.5-1, computes 1.5-2.5. Ideal: 2 s of disk and of core each, then 1 and 2: no change
    val p = job(two, Change(disk = Some(flat("fast", 2e8))))
    near(p.replay, 2.5)
    near(p.ideal, 3)
    near(p.slots, 3)
  }

  test("what a task read ahead is read beside what it computes, from when it went on from the read before") {
    // reads 0-1, computes 1-3 while the next chunk is read 1-2, computes 3-4
    val ahead = stage(
      2,
      4,
      Did(
        "i1,100000000,0,1000000,0;c0,0,0,2000000,2000000;i1,100000000,0,1000000,0,-1000000;c0,0,0,1000000,1000000",
        "cpu=2 disk:a=1",
        seconds = 4
      )
    )
    near(job(ahead, Change()).replayNow, 4)
    // 0-0.5, 0.5-2.5, 2.5-3.5
    near(job(ahead, Change(disk = Some(flat("fast", 2e8)))).replay, 3.5)
    // reads 0-4, computes 4-6, waits for the chunk that is read 4-8, computes 8-9
    near(job(ahead, Change(disk = Some(flat("slow", 2.5e7)))).replay, 9)
  }

  test("what was read before its task had anything to do with it is read from the task's start on") {
    // waits 0-2 while the chunk is read 0.5-1.5, and computes 2-3; of a slower disk it is read 0-4
    val early = stage(1, 3, Did("c0,0,0,2000000,0;i1,100000000,0,1000000,0,-500000;c0,0,0,1000000,1000000"))
    near(job(early, Change()).replayNow, 3)
    near(job(early, Change(disk = Some(flat("slow", 2.5e7)))).replay, 5)
    // the same as three, one after the other: of a disk half as fast until 2 s, when the task comes to them
    val three = "i1,40000000,0,400000,0,-1100000;i1,40000000,0,400000,0,-700000;i1,20000000,0,200000,0,-500000"
    val pieces = stage(1, 3, Did(s"c0,0,0,2000000,0;$three;c0,0,0,1000000,1000000"))
    near(job(pieces, Change()).replayNow, 3)
    near(job(pieces, Change(disk = Some(flat("half", 5e7)))).replay, 3)
    near(job(pieces, Change(disk = Some(flat("slow", 2.5e7)))).replay, 5)
  }

  test("what is read ahead is not kept by a fetch between the two reads") {
    // reads 0-1, computes 1-2, fetches 2-3, computes 3-4 while the next chunk is read 1-3, computes 4-5
    val between = Did(
      "i1,100000000,0,1000000,0;c0,0,0,1000000,1000000;r2,50000000,0,1000000,0;c0,0,0,1000000,1000000;" +
        "i1,200000000,0,2000000,0,-1000000;c0,0,0,1000000,1000000",
      "cpu=1 disk:a=1 network=1",
      seconds = 5
    )
    near(job(stage(1, 5, between), Change()).replayNow, 5)
  }

  private val net = Known(networkBytesPerSecond = Some(5e7))

  test("a task that went on with some of its blocks has left its place at the network to others") {
    // A fetches 0-1, computes 1-2 and waits for the rest, 4 s of the network, 1-6; B fetches 1-3, half as fast beside it, and computes 3-6; A computes 6-7
    val a = "r1,50000000,0,1000000,0;c0,0,0,1000000,1000000;r1,200000000,0,5000000,0,4000000;c0,0,0,1000000,1000000"
    val b = "r1,50000000,1000000,2000000,0;c0,0,0,3000000,3000000"
    val both = stage(2, 7, Did(a, "cpu=2 network=1", seconds = 7), Did(b, "cpu=2 network=1", seconds = 6))
    near(job(both, Change(), net).replayNow, 7)
  }

  test("what a machine computes beside the rest of a task's blocks begins with their transfer") {
    // One CPU. Fetches 0-1, computes 1-3 while the rest comes 1-2. Of 1 s of CPU time beside the task's own half goes with 2 s of transfers, and half with
    // 2 s of computing, so beside that there are 0.25 s of the rest's and 0.5 s
    val trace = stage(
      1,
      3,
      Did(
        "r1,50000000,0,1000000,0;c0,0,0,2000000,2000000;r1,50000000,0,1000000,0,-1000000;c0,0,0,0,0",
        "cpu=1 network=1"
      )
    )
    val until = trace.endMillis
    val sample = MachineSample(until - 3000, until, 3000, 1, 3000, 0, 1, 0, 0, 0, Vector.empty, Vector.empty)
    near(job(trace.copy(machines = Map(0 -> Vector(sample))), Change(), net).replayNow, 3.75)
  }

  test("two cores and a disk twice as fast") {
    // A reads 0-0.5, computes 0.5-1.5; B reads 0.5-1, computes 1-2
    val p = job(two, Change(cores = Some(2), disk = Some(flat("fast", 2e8))))
    near(p.replay, 2)
    near(p.ideal, 1.5)
    near(p.slots, 1.5)
  }

  test("an executor has one task more where a core idles and the disk has no queue, as its own rule says") {
    // eight tasks one after the other, each of which reads for 1 s and computes for 1 s. Before 0.03 s are over a second one may begin, which
    // waits for the disk: from 1 s on one reads while the other computes, and there is no third one
    val tasks = (0 until 8).map(i => Did("i1,100000000,0,1000000,0;c0,0,0,1000000,1000000", seconds = 2, after = 2 * i))
    val p = job(stage(1, 16, tasks: _*), Change(disk = Some(flat("fast", 2e8))))
    near(p.replayNow, 9)
    near(p.replay, 16 * 8.5 / 9) // 0.5 s of reading, and eight of computing
    val bound = ",\"spark.pellucid.monotasks.mostTasks\":\"1\""
    near(job(stageWith(bound, 1, 16, tasks: _*), Change()).replayNow, 16) // one after the other
  }

  test("with an infinitely fast disk, or CPU, the other's two seconds are left") {
    val answer = new Models(two).predict(Change())
    val rest = answer.application.seconds - 3 // before the job
    val bounds = answer.bounds.map(b => b.resource -> (b.replay, b.ideal)).toMap
    near(bounds("disk")._1, rest + 2)
    near(bounds("cpu")._1, rest + 2)
    near(bounds("network")._1, rest + 3)
    assertEquals(bounds.values.map(_._2).toSet, Set(answer.application.seconds))
    assertEquals(answer.bounds.map(_.blockedTime.isDefined), Seq(false, true, true))
  }

  test("what a machine computes beside its tasks takes the time of those that compute, and of none that read") {
    // Of 6 s of CPU in a sample half of which is in the recording 2 are the steps': 0.5 beside each. Now A computes 1-2.5 and B 2.5-4; of a disk that takes
    // no time 0-1.5 and 1.5-3
    val until = two.endMillis
    val sample = MachineSample(
      until - 3000,
      until + 3000,
      6000,
      1,
      cpuMillis = 1000,
      0,
      1,
      0,
      0,
      0,
      Vector.empty,
      Vector.empty,
      containerCpuMillis = 6000
    )
    val p = job(two.copy(machines = Map(0 -> Vector(sample))), Change(disk = Some(flat("free", 1e14))))
    near(p.replayNow, 4)
    near(p.replay, 3 * 3.0 / 4)
    assertEquals(p.ideal, 3.0) // of the CPU time of tasks
    // no more than the steps had: nothing beside them
    val less = sample.copy(cpuMillis = 4000, containerCpuMillis = 0)
    near(job(two.copy(machines = Map(0 -> Vector(less))), Change()).replayNow, 3)
  }

  test("where samples have but some of the steps, what is beside these is beside the others, too") {
    // two tasks of 1 s, of which the first second's sample has 1.5 s
    val one = "c0,0,0,1000000,1000000"
    val trace = stage(1, 2, Did(one, "cpu=1", seconds = 1), Did("c0,0,1000000,1000000,1000000", "cpu=1", seconds = 2))
    val from = trace.endMillis - 2000
    val sample = MachineSample(from, from + 1000, 1000, 1, 1500, 0, 1, 0, 0, 0, Vector.empty, Vector.empty)
    near(job(trace.copy(machines = Map(0 -> Vector(sample))), Change()).replayNow, 3)
  }

  test("what a machine computes beside transfers goes with the network's time") {
    // One CPU. A fetch of 50 MB takes 2 s, then 1 s of computing: 3 s, in which the machine used 2.5 s of CPU time. Of the 1.5 s beside the task's own the
    // fetch has 2/3, 0.5 s for each of its seconds, as long as nobody computes, and computing 1/3, which is done beside it in twice the time
    val trace = stage(1, 3, Did("r1,50000000,0,2000000,0;c0,0,0,1000000,1000000", "cpu=1 network=1", seconds = 3))
    val until = trace.endMillis
    val sample = MachineSample(until - 3000, until, 3000, 1, 2500, 0, 1, 0, 0, 0, Vector.empty, Vector.empty)
    val known = Known(networkBytesPerSecond = Some(2.5e7))
    def on(times: Double) =
      job(trace.copy(machines = Map(0 -> Vector(sample))), Change(networkBytesPerSecond = Some(times * 2.5e7)), known)
    near(on(1).replayNow, 3.5)
    // 1 s for the fetch and 0.5 s of CPU time with it
    near(on(2).replay, 3 * 2.5 / 3.5)
    // 0.1 s for it: nothing of the 0.05 s of CPU time with it is left when computing begins
    near(on(20).replay, 3 * 1.6 / 3.5)
  }

  test("a disk's speed goes by the size of the request") {
    // 100 MB in 1 s now; the other reads large requests at 200 and small ones at 25 MB/s
    val curve = BandwidthCurve(IndexedSeq(BandwidthPoint(1e4, 25e6), BandwidthPoint(1e8, 200e6)))
    val other = DiskProfile("other", curve, curve)
    val now = flat("now", 1e8)
    val small = stage(1, 1, Did("i1,10000,0,1000000,0", seconds = 1))
    near(job(two, Change(disk = Some(other)), Known(disk = Some(now))).replay, 2.5)
    near(job(small, Change(disk = Some(other)), Known(disk = Some(now))).replay, 4)
  }

  test("an application without tasks takes as long on any disks") {
    val trace = readLines(
      environment,
      jobStart(0, 1000, 0),
      stageSubmitted(0, at = 1000, tasks = 0),
      stageCompleted(0, from = 1000, to = 2000),
      jobEnd(0, 2000)
    )
    near(new Models(trace).predict(Change(disks = Some(2))).application.replay, 1)
  }

  test("twice as many disks are all used") {
    // 64 tasks read 1 s each, one after the other on one disk; on two, if each had half, 32 s
    val tasks = (0 until 64).map(i => Did(s"i1,100000000,${i}000000,1000000,0", seconds = i + 1))
    val p = job(stage(64, 64, tasks: _*), Change(disks = Some(2)))
    near(p.ideal, 32)
    assert(p.replay >= 32 && p.replay <= 36, p.replay) // of few tasks at once some may all want the same one
  }

  test("of a machine's blocks, which are on its disks in turn, its tasks read some by chance") {
    // Two machines have all of eight blocks, four on each of two disks, and read four. C(4, k) C(4, 4 - k) of 70 cases have k on a disk: 36 two on each,
    // 32 three on one, and 2 four. Until both machines have read takes two times a read in 0.26 of the cases, three in 0.68, and four in 0.06
    val reads = for (e <- 1 to 2; i <- 0 until 4)
      yield Did(s"i1,100000000,${i}000000,1000000,0", "cpu=4 disk:a=1", s"$e", seconds = i + 1)
    assertEqualsDouble(job(stage(4, 4, reads: _*), Change(disks = Some(2))).replay, 2.79, 0.2)
  }

  test("machines whose executors had nothing to do are there, too") {
    val one = Seq(Did("c0,0,0,1000000,1000000", "cpu=1"))
    // Spark's place for blocks of machines that go away has no slots
    val fallback =
      """{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"fallback","Host":"remote","Port":7337},""" +
        """"Maximum Memory":0,"Timestamp":600}"""
    val trace = readLines(executorAdded("2", 1) +: fallback +: logOf("", 1, 1, one): _*)
    assertEquals(new Models(trace).predict(Change()).now.count, 2)
    near(job(trace, Change(machines = Some(4))).slots, 0.5)
  }

  test("input in memory is neither read nor waited for") {
    near(job(two, Change(inputInMemory = true)).replay, 2) // two times computing on one core
  }

  test(
    "what deserialized input that is in memory is a part of the time for which tasks computed, whatever CPU they had"
  ) {
    // two compute for 1 s side by side on one CPU, 0.2 s of each deserializes: 0.4 s of each on a CPU alone are left
    val did =
      Did("c0,0,0,1000000,500000", "cpu=2", seconds = 1, requests = ";deserialize,parquet,1,0,200000,", inputBytes = 1)
    near(job(stage(2, 1, did, did), Change(inputInMemory = true), Known(cpus = Some(1))).replay, 0.8)
  }

  // Two tasks on two machines fetch 50 MB each at the same time, which takes 2 s at 25 MB/s, and compute 1 s
  private def fetching(machines: Int) = stage(
    2,
    3,
    (0 until 2).map(i =>
      Did("r1,50000000,0,2000000,0;c0,0,0,1000000,1000000", "cpu=2 network=4", executor = (1 + i % machines).toString)
    ): _*
  )

  test("of what two fetch at once on one machine each has half the network") {
    // one second of the network each; twice as fast: both 1 s, then 1 s of computing
    val known = Known(networkBytesPerSecond = Some(5e7))
    near(job(fetching(1), Change(networkBytesPerSecond = Some(1e8)), known).replay, 2)
  }

  test("of more machines each has more of the shuffle on others") {
    // 1/2 of it now, 3/4 then: 2 s of network become 3 s, and tasks stay where they were
    val p = job(fetching(2), Change(machines = Some(4)), Known(networkBytesPerSecond = Some(2.5e7)))
    near(p.replay, 4)
    near(p.slots, 1.5)
  }

  test("what a task fetched when it had gone on without is fetched beside what it computes") {
    // fetches half 0-1, computes 1-3 while the other half comes 1-2, computes 3-4
    val half = "r1,50000000,0,1000000,0"
    val trace =
      stage(
        1,
        4,
        Did(s"$half;c0,0,0,2000000,2000000;$half,-1000000;c0,0,0,1000000,1000000", "cpu=1 network=4", seconds = 4)
      )
    val known = Known(networkBytesPerSecond = Some(5e7))
    near(job(trace, Change(), known).replayNow, 4)
    // 0-0.5, 0.5-2.5, 2.5-3.5
    near(job(trace, Change(networkBytesPerSecond = Some(1e8)), known).replay, 3.5)
    // fetches 0-4, computes 4-6, waits for what comes 4-8, computes 8-9
    near(job(trace, Change(networkBytesPerSecond = Some(1.25e7)), known).replay, 9)
  }

  test("a faster network does not shorten what answers need") {
    // 50 MB at 100 MB/s need 0.5 s of the 2 s: 1.5 s stay
    val p = job(fetching(2), Change(networkBytesPerSecond = Some(2e8)), Known(networkBytesPerSecond = Some(1e8)))
    near(p.replay, 1.5 + 0.25 + 1)
  }

  private def twoWrite(seconds: Int, monotasks: String): Trace = {
    val did = Did(monotasks, "network:hdfs=1", seconds = seconds)
    stage(1, seconds, did, did.copy(executor = "2"))
  }

  test("what is written to other machines takes as long as the slower of the network and the disks of all replicas") {
    // two machines, so 2 replicas: 40 MB need 1 s of the network, and 80 MB 0.8 s of each disk, in whose page cache is no room
    val out = twoWrite(1, "o0,40000000,0,1000000,0")
    val known =
      Known(disks = Some(1), disk = Some(flat("now", 1e8)), networkBytesPerSecond = Some(4e7), dirtyBytes = Some(0))
    near(job(out, Change(disks = Some(2)), known).replay, 1)
    near(job(out, Change(networkBytesPerSecond = Some(4e8)), known).replay, 0.8)
    // of 80 MB there the disk begins with half, which comes in 0.05 s, and tasks wait with three quarters: for 20 MB, 0.2 s
    val fast = Change(networkBytesPerSecond = Some(4e8))
    near(job(out, fast, known.copy(dirtyBytes = Some(8e7))).replay, 0.25)
    // one block for each of two disks: one of a machine's two blocks
    near(job(out, Change(networkBytesPerSecond = Some(4e8), disks = Some(2)), known).replay, 0.4)
    near(job(out, fast, known).ideal, 0.8)
  }

  test("files without a byte wait for no disk, though those beside them keep it busy") {
    // Two machines write 40 MB each, 0.8 s of each disk in the 1 s that it takes, and close an empty file
    val empty = Did("o0,0,0,1000000,0", "network:hdfs=1", seconds = 1)
    val out = stage(1, 1, Seq("1", "2").map(e => Did("o0,40000000,0,10000,0", "network:hdfs=1", e, 1)) :+ empty: _*)
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), networkBytesPerSecond = Some(4e9))
    near(job(out, Change(), known).replay, 1)
  }

  test("replicas go where fewest write to, or are drawn") {
    // Four machines write 100 MB each, two replicas, to disks of 100 MB/s: as long as the disk with the most of them takes. The first file's second one
    // goes to machine 3 or 4 in 2 cases of 3: then the second file's goes to the one left, and in 1 of 3 the third's to 4, which has a third one with its own
    // file. It goes to machine 2 in 1 case of 3: then the second file's goes to 4 in 1 of 2, and in 1 of 2 of these the third's too: 2 + 2/9 + 1/12 s
    val writes = (1 to 4).map(e => Did("o0,100000000,0,1000000,0", "network:hdfs=1", s"$e", seconds = 1))
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(0))
    def seconds(settings: String) =
      job(stageWith(s""","spark.hadoop.dfs.replication":"2"$settings""", 1, 1, writes: _*), Change(), known).replayNow
    assertEqualsDouble(seconds(""), 2.31, 0.15)
    // drawn, of 81 cases 9 have two on each, 60 three on some, and 12 all four on one
    assertEqualsDouble(seconds(""","spark.pellucid.monotasks.balanceReplicas":"false""""), 3.04, 0.2)
  }

  test("what writing takes longer than its bytes need stays: they are written in one step and waited for in the next") {
    // 40 MB need 1/25 us each of the network, 1.6 s of the 2: a network twice as fast, 0.8 s of 1.2
    val out = twoWrite(2, "o0,40000000,0,100000,0;o0,0,0,1900000,0")
    near(job(out, Change(networkBytesPerSecond = Some(5e7)), Known(networkBytesPerSecond = Some(2.5e7))).replay, 1.2)
  }

  test("what is written to other machines and what is fetched share the network") {
    // Two machines, each writes 40 MB and fetches 25: 1.6 s and 1 s alone. Side by side each has half: the fetch ends at 2 s, when 0.6 s of writing are
    // left. What is left of 3 s comes after
    def all(each: Did*) = (1 to 2).flatMap(e =>
      each.map(_.copy(resources = "cpu=2 network=4 network:hdfs=1", executor = s"$e"))
    )
    val trace = stage(2, 3, all(Did("o2,40000000,0,2600000,0"), Did("r1,25000000,0,2000000,0", seconds = 2)): _*)
    val known = Known(networkBytesPerSecond = Some(2.5e7))
    near(job(trace, Change(), known).replay, 3)
    near(job(trace, Change(networkBytesPerSecond = Some(5e7)), known).replay, 1.3 + 0.4)
  }

  test("a few bytes that are written to other machines wait in no queue") {
    // One slot, in which 40 MB take 0.8 s alone. Another file is closed in the first 0.4 s of one second, and then a second of computing
    val resources = "cpu=2 network:hdfs=1"
    val closes = Did("o1,0,0,400000,0;c0,0,0,1000000,1000000", resources, seconds = 2)
    near(job(stage(2, 2, Did("o1,40000000,0,1000000,0", resources, seconds = 1), closes), Change()).replayNow, 2)
  }

  test("some machines get more replicas than others, and what is written waits for these") {
    // Each of three sends its block to one of the others, which sends it on to the last. All receive two; in 2 cases of 8 all send two, and in the
    // others one sends all three: 2/8 * 2 + 6/8 * 3 seconds of a byte, where a card moves one in a second
    val three = Cluster(3, 3, cores = 1, cpus = 1, disks = 1, disk = None, networkBytesPerSecond = Some(1))
    assertEqualsDouble(Output.of(three, blocks = 3, atOnce = 1).network, 2.75, 0.1)
    // with two replicas each of three is sent to one of two others: 2 cases of 8 are a circle, and in the others one receives two, which take two seconds
    // though the third block took one
    assertEqualsDouble(Output.of(three.copy(replication = 2), blocks = 3, atOnce = 1).network, 1.75, 0.1)
    // where they go to the machine that fewest write to, which the first finds two of: with one of them the second finds one, and it is a circle. With the
    // other it finds two, and then in half of the cases one receives two: 3/4 * 1 + 1/4 * 2
    val balanced = Output.of(three.copy(replication = 2), blocks = 3, atOnce = 1, balanced = true)
    assertEqualsDouble(balanced.network, 1.25, 0.1)
    // where each has many to send, all cards move two bytes of each block's, and some a little more
    assertEqualsDouble(Output.of(three, blocks = 24, atOnce = 8).network, 2.25, 0.1)
    // one block on its way from card to card, whatever the number of machines
    for (machines <- Seq(3, 40))
      near(Output.of(three.copy(machines = machines), blocks = 1, atOnce = 4).network, 1)
    assertEquals(Output.of(three.copy(machines = 1), blocks = 1, atOnce = 1), Output.Free)
    // twenty machines, each of which has every block: each card sends and receives 19 or 20
    val twenty = three.copy(machines = 20, replication = 20)
    assertEqualsDouble(Output.of(twenty, blocks = 20, atOnce = 1).network, 20, 1)
  }

  test("what is written has as much of a network card as each that fetches, and no more than it can use") {
    val shares = new Shares(Output(disk = 0, network = 1, ofCard = 0.5, replicas = 2))
    for (
      ((fetching, writing), speeds) <- Seq((1, 0) -> ((1.0, 1.0)), (1, 1) -> ((0.5, 1.0)), (3, 1) -> ((0.75, 0.5)))
    ) {
      shares.of(fetching, writing)
      assertEquals((shares.fetched, shares.written), speeds)
    }
  }

  test("what is written to other machines waits for page caches that are full of map output") {
    // 100 MB to the disk, which needs 1 s, waited for 0.2: room for 0.8 s. Then 100 MB to HDFS, one replica on the only machine: one more second, until
    // 0.8 s are left again; 0.8 s come after
    val did =
      Did("w0,100000000,0,200000,0;o1,100000000,0,1000000,0", "disk:a=1 network:hdfs=1 cpu=1", seconds = 2)
    val trace = stage(1, 2, did)
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)))
    near(job(trace, Change(), known).replay, 2)
    near(job(trace, Change(disk = Some(flat("fast", 2e8))), known).replay, 0.6 + 0.8)
    // what is read from memory is written at once: 0.2 s for the first, and until 0.8 s are left of both the second. 0.8 s come after
    val reads = Did("i1,100000000,0,1000000,0;w1,100000000,0,200000,0", "cpu=2 disk:a=1", seconds = 2)
    val waits = Did("i1,100000000,1000000,1000000,0;w1,100000000,0,200000,0", "cpu=2 disk:a=1")
    near(job(stage(2, 3, reads, waits), Change(), known).replay, 3)
    near(job(stage(2, 3, reads, waits), Change(inputInMemory = true), known).replay, 1.2 + 0.8)
    // what the disk has left to do keeps no job that writes nothing more
    near(job(stage(1, 1, did.copy("w0,100000000,0,200000,0", seconds = 1)), Change(), known).replay, 1)
  }

  test("closing a file waits for the file's own bytes, not for what others wrote after it") {
    // on one machine A writes 50 MB, 0.5 s of the disk, and B 100 MB right after it; room for nothing. A's close ends at 0.5 s, B's at 1.5 s
    val resources = "cpu=2 network:hdfs=2"
    val first = Did("o1,50000000,0,10000,0;o1,0,0,490000,0;c0,0,0,500000,500000", resources, seconds = 1)
    val second = Did("c0,0,0,5000,5000;o1,100000000,0,10000,0;o1,0,0,1485000,0", resources, seconds = 2)
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(0))
    val trace = stage(2, 2, first, second)
    near(job(trace, Change(), known).replayNow, 2)
    // a disk ten times as fast: A ends at 0.05 s and computes 0.5 s; B at 0.155 s, and half a second comes after
    assertEqualsDouble(job(trace, Change(disk = Some(flat("fast", 1e9))), known).replay, 0.155 + 0.5, 0.01)
  }

  test("what does not depend on how much is written stays on a machine that writes to none but itself") {
    // 40 MB need 1.6 s of the network and 0.4 s more; one machine has no replicas elsewhere: two files, one after the other in one slot
    val out = twoWrite(2, "o0,40000000,0,2000000,0")
    near(job(out, Change(machines = Some(1)), Known(networkBytesPerSecond = Some(2.5e7))).replay, 0.8)
  }

  test("a file of two blocks goes to both disks, the second when the first has room") {
    // 2 x 134 MB, and a page cache for one of them: half of it stays, tasks wait with three quarters. One disk of 100 MB/s has written 1.25 blocks by then;
    // of two each writes a quarter, one after the other
    val block = 128L << 20
    val did = Did(s"o0,${2 * block},0,${block / 80},0", "network:hdfs=1", seconds = 3)
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(block.toDouble))
    val trace = stage(1, 3, did)
    near(job(trace, Change(), known).replayNow, 3)
    near(job(trace, Change(disks = Some(2)), known).replay, 3 - 0.75 * block / 1e8)
  }

  test("a transfer is over when what is done beside it is") {
    // 2 s for 50 MB, with 0.8 s of CPU time on two cores that have 0.5 CPUs together; one core has 0.25
    val trace = stage(2, 2, Did("r1,50000000,0,2000000,0", "cpu=2 network=1", seconds = 2))
    val until = trace.endMillis
    val sample = MachineSample(until - 2000, until, 2000, 2, 800, 0, 1, 0, 0, 0, Vector.empty, Vector.empty)
    val known = Known(cpus = Some(0.5), networkBytesPerSecond = Some(2.5e7))
    val p = job(trace.copy(machines = Map(0 -> Vector(sample))), Change(cores = Some(1)), known)
    near(p.replayNow, 2)
    near(p.replay, 3.2)
  }

  test("a datanode and Spark give one disk two names, and each numbers the disks") {
    // each task reads for 1 s and writes for 1 s, both at the same time, from and to disks of their own: one disk has it all, 4 s
    val names = "cpu=2 disk:DS-1=1 disk:sda=1 disk:DS-2=1 disk:sdb=1"
    val trace = stage(
      2,
      2,
      Did("i1,1000000,0,1000000,0;w2,1000000,0,1000000,0", names, seconds = 2),
      Did("i3,1000000,0,1000000,0;w4,1000000,0,1000000,0", names, seconds = 2)
    )
    near(job(trace, Change(disks = Some(1)), Known(disks = Some(2))).replay, 4)
  }

  test("what is written to other machines waits for the disk that is the farthest behind") {
    // 50 MB to two disks, of which the other machine's has 100 MB of map output to write: 1.5 s, though the mean disk needs 0.5 s for either
    val writes = Did("c0,0,0,10000,10000;o0,50000000,0,1490000,0", "cpu=1 network:hdfs=1", seconds = 2)
    val behind = Did("w0,100000000,0,1000000,0", "disk:a=1 cpu=1", executor = "2", seconds = 1)
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(0))
    near(job(stage(1, 2, writes, behind), Change(), known).replayNow, 2)
  }

  test(
    "a file that took longer than its disk needs waited for disks, if its stage kept these busy for most of the time"
  ) {
    // 200 MB at 100 MB/s: 2 s of 3, so a disk twice as fast halves it. Of 100 MB, 1 s of 3, it is not the disk that made it slow
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(0))
    def replay(bytes: Long) =
      job(
        stage(1, 3, Did(s"o0,$bytes,0,3000000,0", "network:hdfs=1")),
        Change(disk = Some(flat("fast", 2e8))),
        known
      ).replay
    near(replay(200000000), 1.5)
    near(replay(100000000), 3)
  }

  test("a file waited for no disk where page caches had room for all that any disk can have had") {
    // 200 MB take 3 s of a disk that could write them in 2; of 1 GB tasks wait from 750 MB on, and the disk with the most has 300
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(1e9))
    val trace = stage(1, 3, Did("o0,200000000,0,3000000,0", "network:hdfs=1"))
    val answer = new Models(trace, known).predict(Change(disk = Some(flat("fast", 2e8))))
    near(answer.jobs.head.prediction.replay, 3)
    assert(!answer.assumptions.exists(_.contains("idle")))
    // eight machines, of which one writes 400 MB: the mean disk has 150 of the three replicas, but the writer's 400, and they wait from 300 MB on
    val others = (2 to 8).map(n => executorAdded(n.toString, 1))
    val alone = readLines(others ++ logOf("", 1, 3, Seq(Did("o0,400000000,0,2900000,0", "network:hdfs=1"))): _*)
    val less = known.copy(dirtyBytes = Some(4e8))
    assert(job(alone, Change(disk = Some(flat("fast", 2e8))), less).replay < 2)
    // after 400 MB within a second, of which 300 are in the page cache, it may have waited
    val after = stage(
      1,
      4,
      Did("w0,400000000,0,1000000,0", "disk:a=1", seconds = 1),
      Did("o0,200000000,1000000,3000000,0", "network:hdfs=1", seconds = 4)
    )
    assert(new Models(after, known).predict(Change()).assumptions.exists(_.contains("idle")))
  }

  test(
    "disks that output waits for write as slowly as recorded ones did, on which that made the job as long as it was"
  ) {
    // 200 MB take 3 s of a disk that could write them in 2, and a second of computing comes after; twice as fast 1.5 s and that second
    val trace = stage(1, 4, Did("o1,200000000,0,3000000,0;c0,0,0,1000000,1000000", "cpu=1 network:hdfs=1", seconds = 4))
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), dirtyBytes = Some(0))
    val answer = new Models(trace, known).predict(Change(disk = Some(flat("fast", 2e8))))
    assertEqualsDouble(answer.jobs.head.prediction.replayNow, 4, 0.04) // in steps of a 32nd of the half
    assertEqualsDouble(answer.jobs.head.prediction.replay, 2.5, 0.02)
    assert(answer.assumptions.exists(_.contains("idle")))
  }

  test("how much a page cache takes, where no task waited for it, is without bound unless the user knows") {
    // 100 MB twice within 1 ms, for which the disk needs 10 ms each; a second in all
    val did = Did("w0,100000000,0,1000,0;w0,100000000,0,1000,0", "disk:a=1 cpu=1", seconds = 1)
    val trace = stage(1, 1, did)
    val slow = Change(disk = Some(flat("slow", 1e8)))
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e10)))
    near(job(trace, slow, known).replay, 1)
    assert(new Models(trace, known).predict(slow).assumptions.exists(_.contains("--dirty-now")))
    // of 200 MB there the disk begins with half, when the first is in there, and the second one waits until half of it is on the disk: 5 ms now, and then
    // 0.5 s; 0.998 s are left
    val told = known.copy(dirtyBytes = Some(2e8))
    near(job(trace, slow, told).replay, (0.5 + 0.998) / (0.005 + 0.998))
    assert(!new Models(trace, told).predict(slow).assumptions.exists(_.contains("--dirty-now")))
  }

  test("what a task waits for while it seems to compute, reads of a few bytes, are seeks of the disk") {
    // 0.2 s of CPU and 0.6 of a header in the first second, 0.2 s of which are neither; then 100 MB in a second, and a second of computing
    val did = Did(
      "c0,0,0,1000000,200000;i1,100000000,0,1000000,0;c0,0,0,1000000,1000000",
      requests = ";input,hdfs:m1,2,1374,600000,0:1 10:1;input,disk:a,1,100000000,1000000,26:1"
    )
    def replay(now: Double, next: Double) = {
      val known = Known(disks = Some(1), disk = Some(seeking(1e8, now)))
      job(stage(1, 3, did), Change(disk = Some(seeking(1e8, next))), known).replay
    }
    near(replay(100, 100), 3)
    // five seeks for a file take all of 0.6 s, and with three times as many per second a third of it
    near(replay(5 / 0.6, 15 / 0.6), 3 - 0.4)
    // of a disk with 100 per second they take 0.05 s: the rest stays, with a faster disk and with a slower one
    near(replay(100, 300), 3 - 0.05 * 2 / 3)
    near(replay(100, 50), 3 + 0.05)
  }

  test("what reading takes longer than its bytes are seeks, which are faster by more on a faster disk") {
    def replay(next: DiskProfile) = {
      val reads = stage(1, 2, Did("i1,100000000,0,1500000,0", seconds = 2))
      job(reads, Change(disk = Some(next)), Known(disk = Some(seeking(1e8, seeks = 100)))).replay
    }
    // 1 s for 100 MB and 0.5 s for seeks, and 0.5 s until the task ends
    near(replay(seeking(2e8, seeks = 1000)), 1 / 2.0 + 0.5 / 10 + 0.5)
    near(replay(seeking(0.5e8, seeks = 100)), 2 * 1.5 + 0.5)
  }

  test("what a task waited for in the disk's queue is no small read") {
    // as `two`, but while they compute they wait for most of the time: a disk twice as fast changes nothing of that
    val did = Did(
      "i1,100000000,0,1000000,0;c0,0,0,1000000,200000",
      seconds = 2,
      requests = ";input,disk:a,1,100000000,1000000,26:1"
    )
    val second = did.copy("i1,100000000,1000000,1000000,0;c0,0,0,1000000,200000", seconds = 3)
    near(job(stage(1, 3, did, second), Change(disk = Some(flat("fast", 2e8)))).replay, 2.5)
  }

  test("another kind of disk has other slots: four tasks read from a flash drive at once") {
    val rotates = DiskProfile(
      "hdd",
      BandwidthCurve(Vector(BandwidthPoint(4096, 4e5), BandwidthPoint(1e8, 1e8))),
      BandwidthCurve.flat(1e8)
    )
    assert(!rotates.isFlash && flat("flash", 1e8).isFlash)
    // two tasks read 1 s each and compute 1 s on a core of their own: one after the other, and at half the speed side by side
    val reads = Did("i1,100000000,0,1000000,0;c0,0,0,1000000,1000000", "cpu=2 disk:a=1", seconds = 2)
    val waits = Did("i1,100000000,1000000,1000000,0;c0,0,0,1000000,1000000", "cpu=2 disk:a=1")
    val trace = stage(2, 3, reads, waits)
    val known = Known(disks = Some(1), disk = Some(rotates))
    val models = new Models(trace, known)
    near(models.predict(Change()).jobs.head.prediction.replay, 3)
    // both have read after 2 s: the first one computes a second later
    near(models.predict(Change(disk = Some(flat("flash", 1e8)))).jobs.head.prediction.replayNow, 3)
    near(models.predict(Change(disk = Some(flat("flash", 2e8)))).jobs.head.prediction.replay, 2)
  }

  /** One job of so many seconds, on executors of two cores each. */
  private def onExecutors(seconds: Int, executors: (String, Int, Int)*): Machines = {
    val trace = new TraceOf(Nil)
    trace.stage(0, 0, 1000L * seconds).job(0, 0, 1000L * seconds, 0)
    for (((host, from, to), e) <- executors.zipWithIndex) {
      trace.executor(s"$e", 2, 1000L * from, host).task(0, 1000L * from, 1000L * to, executor = e)()
      if (to < seconds) trace.removed(s"$e", 1000L * to, "lost")
    }
    new Models(trace.result()).predict(Change()).now
  }

  test("an executor in the place of one that was lost brings no more cores, and one elsewhere no more machines") {
    val replaced = onExecutors(4, ("a", 0, 2), ("a", 2, 4), ("b", 0, 4))
    assertEquals((replaced.count, replaced.cores), (2, 2))
    val sideBySide = onExecutors(4, ("a", 0, 4), ("a", 0, 4))
    assertEquals((sideBySide.count, sideBySide.cores), (1, 4))
    val moved = onExecutors(4, ("a", 0, 2), ("b", 2, 4))
    assertEquals((moved.count, moved.cores), (1, 2))
  }

  test("an executor whose cores the log does not say has as many as it ran tasks at once") {
    val trace = new TraceOf(Seq(0))
    trace.stage(0, 0, 1000).job(0, 0, 1000, 0)
    for (_ <- 1 to 3) trace.task(0, 0, 1000)()
    assertEquals(new Models(trace.result()).predict(Change()).now.cores, 3)
  }

  test("a disk that two executors of a machine use is one") {
    val both = Seq("1", "2").map(e => Did("i1,100000000,0,1000000,0", executor = e, seconds = 1))
    val log = logOf("", 1, 1, both).map(_.replace("\"Host\":\"h2\"", "\"Host\":\"h1\""))
    val now = new Models(readLines(log: _*)).predict(Change()).now
    assertEquals((now.count, now.cores, now.disks), (1, 2, 1))
  }

  test("a log without monotasks: they are estimated, and the same machines take what they took") {
    // one core; a task computes 600 ms and waits 400 ms for its input of 40 MB, one after it the same: 2 s, 0.8 s of it the disk's
    val stock = new TraceOf()
    stock.stage(0, 0, 2000).job(0, 0, 2000, 0)
    for (i <- 0 to 1)
      stock.task(0, 1000L * i, 1000L * i + 1000) { (t, row) =>
        t.cpuNanos(row) = 600000000L
        t.inputBytes(row) = 40 << 20
      }
    val trace = stock.result()
    near(job(trace, Change()).replay, 2)
    val known = Known(disk = Some(flat("slow", (40 << 20) / 0.4)))
    val p = job(trace, Change(disk = Some(flat("fast", 2 * (40 << 20) / 0.4))), known)
    near(p.replay, 1.6)
    assert(!new Models(trace).predict(Change()).monotasks)
    // what tasks waited does not tell what the disk can do: page caches have part of what they read
    assertEquals(new Models(trace).predict(Change()).now.disk, None)
  }

  test("of an observed log: local blocks and local output are the disk's, and a name server is nobody's") {
    // of 5 s a task waits 1 s for 10 MB of shuffle data of its machine, 1 s for a name server and 1 s for 15 MB that it persists, of which 5 are
    // left to write as it goes on, and computes 2 s
    val io =
      "blockWrite,disk:sda,1,15000000,1000000,23:1;shuffleRead,disk:sda,9,10000000,1000000,20:9;metadata,hdfs,1,0,1000000,0:1"
    val log = logOf("", 1, 5, Seq(Did("", seconds = 5)))
    val trace = readLines(log.map(line =>
      if (line.contains("TaskEnd"))
        taskEnd(
          0,
          launch = 1000,
          finish = 6000,
          accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;;$io]"}""",
          metrics =
            """{"Executor Run Time":5000,"Executor CPU Time":2000000000,"Shuffle Read Metrics":{"Local Bytes Read":10000000}}"""
        )
      else line
    ): _*)
    val known = Known(disk = Some(flat("d", 10e6)), networkBytesPerSecond = Some(1e6))
    near(job(trace, Change(networkBytesPerSecond = Some(1e9)), known).replay, 5)
    near(job(trace, Change(disk = Some(flat("twice", 20e6))), known).replay, 4) // half a second less of each
    val stage = new Models(trace, known).predict(Change()).stages.head
    near(stage.prediction.idealNow, 2.5) // 25 MB
    assertEquals(
      new Models(trace, known).predict(Change()).bounds.map(b => (b.resource, b.replay.round)),
      Seq(("cpu", 2L), ("disk", 3L), ("network", 5L))
    )
  }

  test("what an object store sends and takes comes and goes by the network, and uses no disk of the machines") {
    // 2 s for 100 MB at 50 MB/s, and 1 s of computing; and the same of a log without monotasks; then both with 1 s for 50 MB of output
    val known = Known(networkBytesPerSecond = Some(5e7), disk = Some(flat("d", 5e7)))
    def observed(io: String, seconds: Int, bytes: String) =
      readLines(logOf("", 1, seconds, Seq(Did("", seconds = seconds))).map(line =>
        if (line.contains("TaskEnd"))
          taskEnd(
            0,
            launch = 1000,
            finish = 1000L + 1000 * seconds,
            accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;;$io]"}""",
            metrics = s"""{"Executor Run Time":${1000 * seconds},"Executor CPU Time":1000000000,$bytes}"""
          )
        else line
      ): _*)
    val (read, computed) = ("i1,100000000,0,2000000,0", "c0,0,0,1000000,1000000")
    val resources = "cpu=1 store:s3a=4"
    val (reads, writes) = ("input,store:s3a,1,100000000,2000000,26:1", "output,store:s3a,1,50000000,1000000,25:1")
    val in = "\"Input Metrics\":{\"Bytes Read\":100000000}"
    val out = "\"Output Metrics\":{\"Bytes Written\":50000000}"
    for (
      (trace, seconds) <- Seq(
        stage(1, 3, Did(s"$read;$computed", resources)) -> 3,
        stage(1, 4, Did(s"$read;$computed;o1,50000000,0,1000000,0", resources, seconds = 4)) -> 4,
        observed(reads, 3, in) -> 3,
        observed(s"$reads;$writes", 4, s"$in,$out") -> 4
      )
    ) {
      near(job(trace, Change(disk = Some(flat("half", 2.5e7))), known).replay, seconds)
      near(job(trace, Change(networkBytesPerSecond = Some(1e8)), known).replay, 1 + (seconds - 1) / 2.0)
    }
  }

  test("where nothing tells which disk of several a task used, a machine's tasks take turns") {
    // four tasks at once wait 1 s each for 40 MB, and compute for 0.1 ms: each had a disk, and of two each has half
    val stock = new TraceOf(Seq(4))
    stock.stage(0, 0, 1000).job(0, 0, 1000, 0)
    for (_ <- 1 to 4) stock.task(0, 0, 1000) { (t, row) =>
      t.cpuNanos(row) = 100000L
      t.inputBytes(row) = 40 << 20
    }
    def disks(n: Int) =
      job(stock.result(), Change(disks = Some(n)), Known(disks = Some(4), disk = Some(flat("d", 40 << 20))))
    near(disks(4).replayNow, 1)
    near(disks(2).replay, 2)
    near(disks(2).ideal, 2)
  }

  test("cores are a machine's, of which a task has spark.task.cpus") {
    // eight cores, two a task: four tasks at once, so that eight of 1 s take 2 s; on four cores 4 s
    val stock = new TraceOf(Seq(8), Map("spark.task.cpus" -> "2"))
    stock.stage(0, 0, 2000).job(0, 0, 2000, 0)
    for (i <- 0 until 8)
      stock.task(0, 1000L * (i / 4), 1000L * (i / 4) + 1000)((t, row) => t.cpuNanos(row) = 1000000000L)
    val trace = stock.result()
    assertEquals(new Models(trace).predict(Change()).now.cores, 8)
    near(job(trace, Change(cores = Some(8))).replay, 2)
    near(job(trace, Change(cores = Some(4))).replay, 4)
  }

  test("the ideal time of a disk is what it needs for what goes to its page cache, not what tasks wait") {
    // eight tasks at once write 10 MB each, and wait 1 s for a disk of 80 MB/s
    val writes = (1 to 8).map(_ => Did("w1,10000000,0,1000000,0", seconds = 1))
    val known = Known(disk = Some(flat("d", 80e6)))
    val p = job(stage(8, 1, writes: _*), Change(disk = Some(flat("half", 40e6))), known)
    near(p.idealNow, 1)
    near(p.idealNext, 2)
  }

  test("several containers of a machine have together what each of them had") {
    // two executors on one machine, each held back at 2 CPUs of its four cores
    val both = Seq("1", "2").map(e => Did("c0,0,0,1000000,1000000", "cpu=4", executor = e, seconds = 1))
    val log = logOf("", 4, 1, both).map(_.replace("\"Host\":\"h2\"", "\"Host\":\"h1\""))
    val trace = readLines(log: _*)
    def sample(own: Long, container: Long) =
      Vector(MachineSample(
        1000,
        2000,
        1000,
        1,
        own,
        0,
        1,
        500,
        0,
        0,
        Vector.empty,
        Vector.empty,
        containerCpuMillis = container
      ))
    def cpus(own: Long, container: Long) =
      new Models(trace.copy(machines = trace.executors.indices.map(_ -> sample(own, container)).toMap))
        .predict(Change()).assumptions.find(_.contains("CPUs")).map(_.replaceAll(".*: ([0-9.]+) CPUs.*", "$1"))
    assertEquals(cpus(2000, 2000), Some("4.00"))
    assertEquals(cpus(2000, 5000), Some("5.00")) // one container of both
  }

  test("of two executors in one container neither has beside it what the other computes") {
    // one core each, on which each computes for 1 s; both have the counters of one container, of 2 s, or of one each, of 1.5 s
    val both = Seq("1", "2").map(e => Did("c0,0,0,1000000,1000000", "cpu=1", executor = e, seconds = 1))
    val trace = readLines(logOf("", 1, 1, both).map(_.replace("\"Host\":\"h2\"", "\"Host\":\"h1\"")): _*)
    def replayed(millis: Long) = {
      val sample =
        MachineSample(1000, 2000, 1000, 1, 1000, 0, 1, 0, 0, 0, Vector.empty, Vector.empty, containerCpuMillis = millis)
      job(trace.copy(machines = trace.executors.indices.map(_ -> Vector(sample)).toMap), Change()).replayNow
    }
    near(replayed(2000), 1)
    near(replayed(1500), 1.5)
  }

  /** One task of 10 s on one core: 4 s of CPU time, 1 s blocked on 32 MB of input. */
  private def waits(set: (Tasks, Int) => Unit): Trace = {
    val trace = new TraceOf()
    trace.stage(0, 0, 10000).job(0, 0, 10000, 0).task(0, 0, 10000) { (t, row) =>
      t.cpuNanos(row) = 4000000000L
      t.inputBytes(row) = 32 << 20
      t.inputBlockedNanos(row) = 1000000000L
      set(t, row)
    }
    trace.result()
  }

  test("what a task waited for that its input cannot explain is as long on any disk") {
    def withoutDisk(set: (Tasks, Int) => Unit) =
      new Models(waits(set)).predict(Change()).bounds.find(_.resource == "disk").get.replay
    near(withoutDisk((_, _) => ()), 4)
    near(withoutDisk((t, row) => { t.set(row, Tasks.Observed); t.set(row, Tasks.InputLogged) }), 9)
    near(withoutDisk((t, row) => { t.scanNanos(row) = 2000000000L; t.inputBlockedNanos(row) = 0 }), 8)
  }

  test("where a log has no CPU time, what a task did not wait for is computing to the ideal model, too") {
    val trace = waits((t, row) => { t.cpuNanos(row) = 0; t.flags(row) = t.flags(row) & ~Tasks.CpuLogged })
    val p = job(trace, Change(cores = Some(2)))
    assertEquals((p.idealNow, p.idealNext), (9.0, 4.5))
  }

  test(
    "a job without an end in the log went on until that ends: more machines make its share shorter to the simple models"
  ) {
    // 10 s, of which the job has the last 8
    val trace = new TraceOf()
    trace.stage(0, 2000, 10000).job(0, 2000, 10000, 0).task(0, 2000, 10000)()
    val ended = trace.result()
    val running = ended.copy(jobs = ended.jobs.map(_.copy(completionMillis = 0)))
    for (trace <- Seq(ended, running)) {
      val p = new Models(trace).predict(Change(cores = Some(2)))
      near(p.application.slots, 2 + 8 / 2.0)
      near(p.application.ideal, 2 + 8 / 2.0)
      assertEquals(p.jobs.size, trace.jobs.count(_.ended))
    }
  }

  test("the ideal time of a disk is also for the replicas that it gets") {
    // two machines, so 2 replicas: 40 MB of each are 80 MB for each disk, of 100 MB/s, beside 0.5 s of reading
    val did = Did("i0,50000000,0,500000,0;o1,40000000,0,500000,0", "disk:a=1 network:output=1", seconds = 1)
    val out = stage(1, 1, did, did.copy(executor = "2"))
    val known = Known(disks = Some(1), disk = Some(flat("now", 1e8)), networkBytesPerSecond = Some(1e9))
    near(job(out, Change(), known).idealNow, 1.3)
  }

  test(
    "of an observed log without monotasks: what a task did not wait for is read while it computes, in pieces of 1 MB"
  ) {
    // 32 MB need 1 s of the disk; for 0.6 s of it the task waited, and 0.4 s of it were hidden behind computing. The first piece is waited for, and the
    // last one computed on: 1 + 0.4/32 s
    val observed = new TraceOf()
    observed.stage(0, 0, 1000).job(0, 0, 1000, 0)
    observed.task(0, 0, 1000) { (t, row) =>
      t.cpuNanos(row) = 400000000L
      t.inputBytes(row) = 32 << 20
      t.inputBlockedNanos(row) = 600000000L
      t.set(row, Tasks.Observed)
    }
    val trace = observed.result()
    val known = Known(disk = Some(flat("disk", 32 << 20)))
    def on(times: Int) = job(trace, Change(disk = Some(flat(s"$times", times.toDouble * (32 << 20)))), known)
    near(on(2).replayNow, 1.0125)
    near(on(2).replay, 0.5125 / 1.0125)
    // a disk four times as fast is waited for no more but for the first piece
    near(on(4).replay, (0.4 + 0.25 / 32) / 1.0125)
  }

  private def partitions(n: Int) = Change(partitions = Some(n))

  /** Of 100 bytes of a shuffle, from `after` on. */
  private def reduces(monotasks: String, seconds: Int, after: Int = 0) =
    Did(monotasks, "cpu=2 network=4", seconds = seconds, after = after, shuffleBytes = 100)

  test("in other partitions of a shuffle each new task has an equal part of the recorded tasks' work") {
    // two tasks of 4 s on two cores
    val models = new Models(stage(2, 4, Seq.fill(2)(reduces("c0,0,0,4000000,4000000", seconds = 4)): _*))
    def replay(n: Int) = models.predict(partitions(n)).jobs.head.prediction.replay
    near(replay(2), 4)
    near(replay(1), 8)
    near(replay(4), 4)
    near(replay(3), 2 * 8.0 / 3) // one of three has to wait
    near(models.predict(partitions(3)).jobs.head.prediction.ideal, 4)
  }

  test("however many partitions there are, their work is that of the recorded ones") {
    // on one core: 1 + 2 + 3 + 4 s
    val one = (1 to 4).map(n => reduces(s"c0,0,0,${n}000000,${n}000000", n, after = n * (n - 1) / 2))
    val models = new Models(stage(1, 10, one.map(_.copy(resources = "cpu=1 network=4")): _*))
    for (n <- 1 to 50) near(models.predict(partitions(n)).jobs.head.prediction.replay, 10)
  }

  test("what a task costs by itself each partition costs") {
    // two tasks compute for 4 s, and take 1 s more to end
    val bound = ""","spark.pellucid.monotasks.mostTasks":"2"""" // otherwise one more begins as another ends
    val task = reduces("c0,0,0,4000000,4000000", seconds = 5)
    val models = new Models(stageWith(bound, 2, 5, task, task))
    def replay(n: Int) = models.predict(partitions(n)).jobs.head.prediction.replay
    near(replay(1), 8 + 1)
    near(replay(4), 2 * (2 + 1))
  }

  test("a new task fetches for all that it covers before it computes; an answer it waits for once") {
    // two tasks, one after the other on one core: each fetches 100 bytes for 1 s, and computes for 2
    val one = reduces("r1,100,0,1000000,0;c0,0,0,2000000,2000000", seconds = 3).copy(resources = "cpu=1 network=1")
    val trace = stage(1, 6, one, one.copy(after = 3))
    def models(bytesPerSecond: Double) = new Models(trace, Known(networkBytesPerSecond = Some(bytesPerSecond)))
    def replay(bytesPerSecond: Double) = {
      val p = models(bytesPerSecond).predict(partitions(1)).jobs.head.prediction
      p.replay / p.seconds * p.replayNow
    }
    near(
      models(100).predict(Change()).jobs.head.prediction.replayNow,
      5
    ) // the second fetches while the first one computes
    near(replay(100), 1 + 1 + 2 + 2)
    near(replay(1000), 0.9 + 0.1 + 0.1 + 2 + 2) // 100 ms are for bytes, the rest is the answer's
  }

  test("an attempt that failed is not divided, and a task that was made again is one") {
    def lines(tasks: Int) = logOf("", 2, 4, Seq.fill(tasks)(reduces("c0,0,0,4000000,4000000", seconds = 4)))
    def failedBefore(tasks: Int) = lines(tasks).flatMap {
      case end if end.contains("TaskEnd") && end.contains("\"Task ID\":0,") =>
        Seq(
          taskEnd(
            9,
            launch = 1000,
            finish = 2000,
            end = """"Failed":true,"Killed":false""",
            reason =
              """{"Reason":"ExecutorLostFailure","Executor ID":"1","Exit Caused By App":true,"Loss Reason":"x"}"""
          ).replace("\"Index\":9", "\"Index\":0"),
          end
        )
      case other => Seq(other)
    }
    assert(!new Models(readLines(failedBefore(1): _*)).dividesShuffles)
    val two = new Models(readLines(failedBefore(2): _*))
    // the failed attempt's second beside 8 s on two cores, and not a second for each of 400
    assert(two.predict(partitions(400)).jobs.head.prediction.replay < 6)
  }

  test("stages with input, with one task, or without a shuffle have as many tasks as they had") {
    def divides(tasks: Did*) = new Models(stage(2, 4, tasks: _*)).dividesShuffles
    val task = reduces("c0,0,0,4000000,4000000", seconds = 4)
    assert(divides(task, task))
    assert(!divides(task))
    assert(!divides(task.copy(shuffleBytes = 0), task.copy(shuffleBytes = 0)))
    assert(!divides(task, task.copy(inputBytes = 5)))
    near(job(stage(2, 4, task.copy(shuffleBytes = 0), task.copy(shuffleBytes = 0)), partitions(1)).replay, 4)
  }

  /** One stage writes 100 bytes of map output in 1 s; another fetches them in 1 s, and computes for 1 s, of which it decompresses half.
    *
    * @param counted by the exchange, with its ten records
    */
  private def shuffle(counted: String, settings: String = "", parent: Int = 0): Trace = {
    def task(stage: Int, launch: Long, finish: Long, update: String, metrics: String) = taskEnd(
      stage.toLong,
      stage,
      launch = launch,
      finish = finish,
      accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;$update]"}""",
      metrics = s"""{"Executor Run Time":${finish - launch},"Executor CPU Time":1,$metrics}"""
    )
    val others = """{"ID":9,"Name":"internal.metrics.shuffle.write.recordsWritten","Value":10},[],""" +
      """{"ID":10,"Name":"internal.metrics.shuffle.write.bytesWritten","Value":100},""" +
      """{"ID":11,"Name":"data size","Value":[1,2]},{"ID":12,"Name":"data size","Value":null}""" // of the user's
    val ofParent = (_: String).replace("\"Parent IDs\":[]", s"\"Parent IDs\":[$parent]")
    readLines(
      environment.replace("},\"System", s"$settings},\"System"),
      executorAdded("1", 1),
      jobStart(0, 1000, 0, 1),
      stageSubmitted(0, at = 1000),
      task(
        0,
        1000,
        2000,
        "|1000000;disk:a=1;w0,100,0,1000000,0",
        """"Shuffle Write Metrics":{"Shuffle Bytes Written":100}"""
      ),
      stageCompleted(0, from = 1000, to = 2000).replace(
        "\"Accumulables\":[]",
        s"""\"Accumulables\":[{"ID":8,"Name":"$counted","Value":"260"},$others]"""
      ),
      ofParent(stageSubmitted(1, at = 2000)),
      task(
        1,
        2000,
        4000,
        ";decompress,lz4,1,0,500000,|2000000;cpu=1 network=4;r1,100,0,1000000,0;c0,0,0,1000000,1000000",
        """"Shuffle Read Metrics":{"Remote Bytes Read":100}"""
      ),
      ofParent(stageCompleted(1, from = 2000, to = 4000)),
      jobEnd(0, 4000)
    )
  }
  private val plain = Change(plainShuffles = true)

  test(
    "map output that is not compressed has the bytes that its exchange counted, each row behind its length, and is not decompressed"
  ) {
    // 260 + 10 x 4 bytes are three times 100: 3 s to write, 3 s to fetch, half a second to compute
    val known = Known(networkBytesPerSecond = Some(100))
    for (name <- Seq("data size", "data size total (min, med, max)")) {
      val models = new Models(shuffle(name), known)
      assert(models.knowsPlainShuffles)
      val answer = models.predict(plain)
      near(answer.jobs.head.prediction.replay, 3 + 3 + 0.5)
      near(answer.jobs.head.prediction.idealNext, 3 + 3)
      assert(answer.assumptions.exists(_.contains("3.0 times as large")), answer.assumptions)
      near(models.predict(Change()).jobs.head.prediction.replay, 3)
    }
  }

  test("what reads a shuffle whose stage was skipped, as with adaptive execution, grows as all do") {
    val answer = new Models(shuffle("data size", parent = 5), Known(networkBytesPerSecond = Some(100))).predict(plain)
    near(answer.stages(1).prediction.idealNext, 3)
    assert(answer.assumptions.exists(_.contains("which shuffle a stage reads")), answer.assumptions)
  }

  test("of other shuffles, and of those that are not compressed, nothing is known") {
    assert(!new Models(shuffle("data size of build side")).knowsPlainShuffles)
    assert(!new Models(shuffle("data size", ",\"spark.shuffle.compress\":\"false\"")).knowsPlainShuffles)
    near(job(shuffle("peak memory"), plain).replay, 3)
  }
}
