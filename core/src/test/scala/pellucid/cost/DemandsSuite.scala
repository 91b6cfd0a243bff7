package pellucid.cost

import pellucid.Samples._
import pellucid.TraceOf
import pellucid.trace.Tasks

class DemandsSuite extends munit.FunSuite {
  import DemandsSuite._

  // two cores. Stage 0: two tasks of 4 s, 3 of them computing, each reads 100 MB and writes 30 MB of shuffle data.
  // Stage 1: tasks of 6 s and 4 s which each wait half a second for 30 MB; 2 s without tasks follow
  private def twoStages(perCore: Map[IoKind, Double] = Map.empty) = Demands.of(
    new TraceOf(Seq(1, 1))
      .job(0, 0, 10000, 0, 1)
      .stage(0, 0, 4000)
      .stage(1, 4000, 10000, parents = Seq(0))
      .task(0, 0, 4000, executor = 0)(scan)
      .task(0, 0, 4000, executor = 1)(scan)
      .task(1, 4000, 10000, executor = 0)(reduce)
      .task(1, 4000, 8000, executor = 1)(reduce)
      .result(endMillis = 12000),
    perCore
  )
  private val job = twoStages()

  test("a stock log: waiting of a task that reads is its I/O, shuffle reads are a reducer's bytes over the mappers") {
    val (map, red) = (job.stages(0), job.stages(1))
    assertEquals((map.tasks, map.computeSeconds, map.recordedSeconds), (2, 3.0, 4.0))
    assertEquals(map.io, Seq(Io(IoKind.HdfsRead, 200e6, 100e6), Io(IoKind.ShuffleWrite, 60e6, 30e6)))
    assertEquals((red.tasks, red.computeSeconds, red.recordedSeconds), (2, 4.5, 6.0)) // (5.5 + 3.5) / 2
    assertEquals(red.io, Seq(Io(IoKind.ShuffleRead, 60e6, 15e6)))
    assertEquals(job.notes.size, 2)
  }

  test("δ is what the tasks on all cores leave of a stage's time; the driver's time is what no task ran in") {
    // stage 1: 6 s, of which two tasks of 5 s on average take 5 on two cores
    assertEquals(job.stages.map(_.serialSeconds), Vector(StageDemand.serial(0), StageDemand.serial(1)))
    assertEquals(job.driverSeconds, 2.0)
    assertEquals(job.recordedSeconds, 12.0)
    assertEquals((job.localBytes, job.hdfsBytes(50)), (60e6, 3 * 200e6))
    assertEquals(job.hdfsBytes(2), 2 * 200e6) // which have no place for a third replica
  }

  test("on the recorded cores, with disks that take as long as they did, it takes as long as it did") {
    val asBefore = job.stages.map(s => s.copy(computeSeconds = Seq(4.0, 5.0)(s.id), io = Nil))
    val cluster = Cluster(2, 1, Demanded.disk(1), Demanded.disk(1))
    assertEquals(asBefore.map(Doppio.stage(_, cluster).seconds), Vector(4.0, 6.0))
  }

  test("where T is told, b is BW / T, and what I/O at T takes beyond what tasks waited is in no other computing") {
    // stage 0: a task reads 100 MB, at 40 MB/s in 2.5 s, and writes 30, at 60 MB/s in 0.5 s; of the 3 s it waited 1: 3 - 2 s are left to compute
    val told = twoStages(Map(IoKind.HdfsRead -> 40e6, IoKind.ShuffleWrite -> 60e6)).stages
    assertEquals(told(0).computeSeconds, 1.0)
    assertEquals(told(1), job.stages(1))
    val read = Doppio.stage(told(0), Cluster(1, 2, Demanded.disk(120e6), Demanded.disk(60e6))).io.head
    assertEquals((read.breakPoint, read.taskOverIo), (Some(3.0), 4 / 2.5))
    assertEqualsDouble(read.turningPoint, 3 * 4 / 2.5, 1e-9)
    // of the second that a task of a stock log waited 100 of 130 MB have their part
    assertEqualsDouble(twoStages(Map(IoKind.HdfsRead -> 40e6)).stages(0).computeSeconds, 3 - (2.5 - 100.0 / 130), 1e-9)
    // 1 MB/s would take 100 s of a task of 4 s: it did not, but nothing is left to compute
    assertEquals(twoStages(Map(IoKind.HdfsRead -> 1e6)).stages(0).computeSeconds, 0.0)
  }

  test("of stages that run at once each has its tasks' share of the time") {
    val both = Demands.of(
      new TraceOf(Seq(1, 1))
        .job(0, 0, 4000, 0, 1)
        .stage(0, 0, 2000)
        .stage(1, 0, 4000)
        .task(0, 0, 2000, executor = 0)()
        .task(1, 0, 4000, executor = 1)()
        .result()
    )
    assertEquals(both.stages.map(_.recordedSeconds), Vector(1.0, 3.0))
    // stage 0: half of its task's 2 s on two cores, and so no less than half a task; stage 1: 3 of 4 s
    assertEquals(both.stages.map(_.leastWaves), Vector(0.5, 0.75))
    assertEquals(Doppio.seconds(both, Cluster(2, 1, Demanded.disk(1), Demanded.disk(1))), 4.0)
  }

  test(
    "an observed log: input by path without what is cached, request sizes of blocks, persisted blocks, HDFS three times"
  ) {
    val io =
      "input,hdfs:h1,2,4000,1000,9:2;output,hdfs,1,3000,500,9:1;shuffleFetch,host:h2,10,1000,10,6:10;" +
        "blockWrite,disk:sda,1,50,1,5:1;blockRead,disk:sda,2,80,1,5:2;shuffleRead,disk:sda,500,1000,1,1:500"
    val metrics =
      """{"Executor Run Time":1000,"Executor CPU Time":500000000,"Disk Bytes Spilled":70,"Input Metrics":{"Bytes Read":9000},""" +
        """"Output Metrics":{"Bytes Written":3000},"Shuffle Read Metrics":{"Remote Bytes Read":1000,"Local Bytes Read":1000}}"""
    def log(more: String, paths: String = io) = readLines(
      environment.replace("\"spark.app.id\":\"a\"", s"\"spark.app.id\":\"a\"$more"),
      executorAdded("1", cores = 2),
      taskEnd(1, accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;;$paths]"}""", metrics = metrics)
    )
    val observed = Demands.of(log(""))
    assertEquals(
      observed.stages.head.io,
      Seq(
        Io(IoKind.HdfsRead, 4000, 4000),
        Io(IoKind.HdfsWrite, 9000, 3000, replicas = 3),
        Io(
          IoKind.ShuffleRead,
          2000,
          100
        ), // the blocks that were fetched; of local ones the decompression's reads are known
        Io(IoKind.PersistRead, 150, 150),
        Io(IoKind.PersistWrite, 120, 120)
      )
    )
    val ofStore = io.replace("input,hdfs:h1", "input,store:s3a").replace("output,hdfs", "output,store:s3a")
    assertEquals(Demands.of(log("", ofStore)).stages.head.io, observed.stages.head.io) // as if HDFS had it
    assert(observed.notes.exists(_.contains("3 replicas")), observed.notes)
    assert(!observed.notes.exists(_.contains("stock")), observed.notes)
    val twice = Demands.of(log(",\"spark.hadoop.dfs.replication\":\"2\""))
    assertEquals(twice.stages.head.io(1), Io(IoKind.HdfsWrite, 6000, 3000, replicas = 2))
    assert(!twice.notes.exists(_.contains("HDFS")), twice.notes)
  }

  test("what an observed task waited for that is no disk or network is its own time") {
    val task = new TraceOf()
    task.stage(0, 0, 10000).job(0, 0, 10000, 0).task(0, 0, 10000) { (t, row) =>
      t.cpuNanos(row) = 4000000000L
      t.inputBytes(row) = 1000
      t.inputBlockedNanos(row) = 1000000000L
      t.set(row, Tasks.Observed)
    }
    assertEquals(Demands.of(task.result()).stages.head.computeSeconds, 9.0)
  }

  test("what an observed job writes to a file system that is not measured is output; what it reads is named") {
    val task = new TraceOf()
    task.stage(0, 0, 10000).job(0, 0, 10000, 0).task(0, 0, 10000) { (t, row) =>
      t.inputBytes(row) = 5000000
      t.outputBytes(row) = 1000
      t.set(row, Tasks.Observed)
    }
    val job = Demands.of(task.result())
    assertEquals(job.stages.head.io, Seq(Io(IoKind.HdfsWrite, 3000, 1000, replicas = 3)))
    assert(job.notes.exists(_.contains("5 MB of input came from no disk that was measured")), job.notes)
  }

  test("where a task takes several cores a machine runs as many fewer") {
    // eight cores, four tasks of 2 s with two cores each: at once
    val job = new TraceOf(Seq(8), Map("spark.task.cpus" -> "2"))
    job.stage(0, 0, 2000).job(0, 0, 2000, 0)
    for (_ <- 0 until 4) job.task(0, 0, 2000)()
    assertEquals(Doppio.seconds(Demands.of(job.result()), Cluster(1, 8, Demanded.disk(1), Demanded.disk(1))), 2.0)
  }

  test("of two jobs HDFS keeps all output, and one's input after the other's; local disks what either leaves") {
    def job(input: Replicated, output: Io, local: Double) =
      JobDemand(Seq("job"), Vector(StageDemand("job", 0, "s", 1, 0, Seq(output))), 1, local, Seq(input), Nil)
    val first = job(Replicated(600, 3), Io(IoKind.HdfsWrite, 300, 1, replicas = 3), 30)
    val both = first +
      job(Replicated(250, 1), Io(IoKind.HdfsWrite, 100, 1), 50) // whose output is no file of HDFS, or has one replica
    assertEquals((both.hdfsBytes(3), both.localBytes), (600.0 + 400, 50.0))
    assertEquals(both.hdfsBytes(1), 250.0 + 100 + 100) // of three replicas one
  }

  test("attempts beyond one for each partition are retries") {
    val trace = new TraceOf()
    trace.stage(0, 0, 10).job(0, 0, 10, 0) // of one task
    trace.task(0, 0, 5, index = 0)().task(0, 5, 10, index = 0, attempt = 1)()
    val stage = Demands.of(trace.result()).stages.head
    assertEquals((stage.tasks, stage.partitions), (2, 1))
  }

  test("the mappers of a stage that was skipped, as its output was there, are those that its job planned") {
    val job = jobStart(0, 900, 3, 4).replace(
      "\"Stage Infos\":[]",
      "\"Stage Infos\":[{\"Stage ID\":3,\"Number of Tasks\":50,\"RDD Info\":[{\"Name\":\"r\"}]},{\"Stage ID\":4,\"Number of Tasks\":1}]"
    )
    val metrics = """{"Executor Run Time":900,"Shuffle Read Metrics":{"Remote Bytes Read":5000}}"""
    def log(job: String) = Demands.of(readLines(
      executorAdded("1", cores = 2),
      job,
      stageSubmitted(4).replace("\"Parent IDs\":[]", "\"Parent IDs\":[3]"),
      taskEnd(1, stage = 4, metrics = metrics)
    ))
    assertEquals(log(job).stages.head.io, Seq(Io(IoKind.ShuffleRead, 5000, 100)))
    assert(!log(job).notes.exists(_.contains("not in the log")), log(job).notes)
    val unknown = log(jobStart(0, 900, 3, 4))
    assertEquals(unknown.stages.head.io, Seq(Io(IoKind.ShuffleRead, 5000, 5000)))
    assert(unknown.notes.exists(_.contains("writers are not in the log")), unknown.notes)
  }

  test("recorded logs: the stages' and the driver's times add up to the application's") {
    for (name <- Seq("spark-4.3.0-zstd.zstd", "spark-2.4.8-plain", "spark-4.0.5-rolling")) {
      val trace = readPath(logs.resolve(name))
      val demand = Demands.of(trace)
      assertEqualsDouble(demand.recordedSeconds, (trace.endMillis - trace.startMillis) / 1e3, 1e-6)
      assert(
        demand.stages.forall(s => s.computeSeconds >= 0 && s.serialSeconds.forall(_ >= 0) && s.leastWaves <= 1),
        name
      )
      assert(demand.stages.flatMap(_.io).forall(io => io.requestBytes > 0), name)
    }
  }
}

object DemandsSuite {
  private def scan(t: Tasks, row: Int): Unit = {
    t.cpuNanos(row) = 3000000000L
    t.inputBytes(row) = 100000000L
    t.shuffleWriteBytes(row) = 30000000L
  }

  private def reduce(t: Tasks, row: Int): Unit = {
    t.cpuNanos(row) = t.cpuNanos(row) - 500000000L
    t.fetchWaitMillis(row) = 500
    t.shuffleRemoteBytes(row) = 30000000L
  }
}
