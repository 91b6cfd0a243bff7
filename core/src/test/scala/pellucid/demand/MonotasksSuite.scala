package pellucid.demand

import java.io.ByteArrayInputStream

import pellucid.Samples._
import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.log.EventLog
import pellucid.report.{Analysis, ResourceUse}
import pellucid.trace.{QueueSample, Trace, Window}

/** What the plugin says of tasks that it ran as monotasks. */
class MonotasksSuite extends munit.FunSuite {
  private def task(id: Long, monotasks: String, stage: Int = 0, launch: Long = 1000, finish: Long = 2000) =
    taskEnd(
      id,
      stage = stage,
      launch = launch,
      finish = finish,
      accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;;input,disk:sda,1,900,1000,9:1|$monotasks]"}""",
      metrics = """{"Executor Run Time":1000,"Executor CPU Time":500000000}"""
    )

  // it waits 10 ms for a core, computes 90 ms with 80 of CPU, waits 100 ms for sda and reads 900 bytes in 200 ms; computes 600 ms
  private val one = "1000000;cpu=2 disk:sda=1;c0,0,10000,90000,80000;i1,900,100000,200000,5000;c0,0,0,600000,420000"

  // 300 ms on sdb, and 100 ms on the network after 50 ms of waiting
  private val two = "1200000;disk:sdb=1 network=4;o0,5000,0,300000,0;o1,7000,50000,100000,0"

  private val trace: Trace = readLines(
    environment,
    executorAdded("1", cores = 2),
    task(1, one),
    task(2, two, stage = 1)
  )

  private def withRoomFor(monotasks: Int, lines: Seq[String]): Trace = {
    val bytes = lines.mkString("\n").getBytes
    EventLog.read(Iterator(() => new ByteArrayInputStream(bytes)), mostMonotasks = monotasks)
  }

  test(
    "where there is no room for all monotasks, those of later tasks are counted, and what their tasks waited is known"
  ) {
    val lines = Seq(environment, executorAdded("1", cores = 2), task(1, one), task(2, two, stage = 1))
    val less = withRoomFor(4, lines)
    assertEquals((less.monotasks.size, less.monotasks.leftOut), (3, 2L))
    assertEquals(less.tasks.outputBlockedNanos(1), trace.tasks.outputBlockedNanos(1))
    assert(less.intake.notes.exists(_.contains("no room for 2")), less.intake.notes)
  }

  test("what is used of each resource, and how long that would take by itself") {
    val r = Analysis.report(trace)
    assertEquals(
      r.monotasks.get.resources,
      Seq(
        ResourceUse("cpu", 2, 0.5, 0.5, 0.01, 0, 0.25), // 80 + 420 ms on two cores
        ResourceUse("disk", 2, 0.5, 0.005, 0.1, 5900, 0.25), // 200 + 300 ms on two disks, 5 of CPU
        ResourceUse("network", 1, 0.1, 0.0, 0.05, 7000, 0.025) // of four multitasks at once
      )
    )
    assertEquals(
      r.stages.map(_.monotasks.map(u => (u.resource, u.idealSeconds))),
      Seq(Seq(("cpu", 0.25), ("disk", 0.1)), Seq(("disk", 0.15), ("network", 0.025)))
    )
    assertEquals(r.stages.map(_.bottleneck), Seq(Some("cpu"), Some("disk")))
  }

  test("what Python's workers compute is the CPU's") {
    // 300 ms of `one` beside its 500 ms of CPU, and 200 of `two`, which has none; on two cores
    val python = Seq(1 -> one, 2 -> two).map { case (id, monotasks) =>
      task(id.toLong, monotasks, stage = id - 1).replace("|1", s";python,worker,3,0,${400000 - id * 100000},0:3|1")
    }
    val r = Analysis.report(readLines(Seq(environment, executorAdded("1", cores = 2)) ++ python: _*))
    val cpu = r.monotasks.get.resources.find(_.resource == "cpu").get
    assertEquals((cpu.busySeconds, cpu.cpuSeconds, cpu.idealSeconds), (1.0, 0.5, 0.5))
    assertEquals(
      r.stages.map(_.monotasks.head),
      Seq(cpu.copy(busySeconds = 0.8, idealSeconds = 0.4), r.stages(1).monotasks.head)
    )
  }

  test("load over time: what runs, and what waits") {
    val use = Analysis.report(trace).monotasks.get
    val load = use.load.map(l => l.resource -> l).toMap
    assertEquals(use.load.map(_.slots), Seq(2, 2, 4))
    def seconds(buckets: Seq[Double]) = (buckets.sum * use.bucketSeconds * 1e6).round / 1e6
    assertEquals((seconds(load("cpu").running), seconds(load("cpu").queued)), (0.69, 0.01))
    assertEquals((seconds(load("disk").running), seconds(load("disk").queued)), (0.5, 0.1))
    assertEquals((seconds(load("network").running), seconds(load("network").queued)), (0.1, 0.05))
    // sda's queue from 1.1 s to 1.2 s: the trace begins at 0.5 s
    val at = ((1.15 - (trace.startMillis / 1e3)) / use.bucketSeconds).toInt
    assertEquals(load("disk").queued(at), 1.0)
  }

  test("waiting for a core is no input, waiting for a disk is") {
    val phases = new TaskPhases(trace.tasks)
    phases.load(trace.tasksOfStage(0).head)
    assertEquals(phases(Phase.CpuQueue), 10000000L)
    assertEquals(phases(Phase.InputRead), 101000000L) // 1 ms of the request itself, as measured
  }

  test("what ran ahead stands where its task came to it; the task waited only for its end") {
    // computes 1.0-1.3 s; the read was queued at 1.08, began at 1.1 and ended at 1.35; another one from 1.2 to 1.3, in the second stretch 1.35-1.65
    val trace = readLines(
      environment,
      executorAdded("1", cores = 2),
      task(
        1,
        "1000000;cpu=2 disk:sda=1;c0,0,0,300000,300000;i1,900,20000,250000,5000,50000;c0,0,0,300000,300000;" +
          "i1,100,0,100000,0,-350000;c0,0,0,100000,100000"
      )
    )
    val table = trace.monotasks
    def column(of: Int => Long) = (0 until table.size).map(of)
    assertEquals(column(table.queuedMicros(_)), Seq[Long](1000000, 1080000, 1350000, 1200000, 1650000))
    assertEquals(column(table.ahead(_).toLong), Seq[Long](0, 1, 0, 1, 0))
    assertEquals(column(table.awaitedMicros(_)), Seq[Long](0, 50000, 0, 0, 0))
    val phases = new TaskPhases(trace.tasks)
    phases.load(0)
    assertEquals(phases(Phase.InputRead), 1000000L) // 1 ms of the request itself, as measured
    // beyond a thousand their sums: the task waited for 7 ms of 900
    val many = Seq.fill(1000)("c0,0,0,10,10").mkString(";")
    val sums = readLines(
      environment,
      executorAdded("1", cores = 2),
      task(1, s"1000000;cpu=2 disk:sda=1;$many;c0,0,0,3000,3000;i1,900,0,900000,0,7000;w1,0,0,20,0")
    ).monotasks
    assertEquals((1000 to 1002).map(sums.queuedMicros(_)), Seq[Long](1010000, 1013000, 1020000))
  }

  test("waiting for a core after a fetch is no waiting for others, though Spark's fetch wait has it") {
    // 50 ms in the network's queue, 150 ms until all blocks are there, 100 ms until there is a core
    val fetching = "1000000;cpu=2 network=4;c0,0,0,100000,100000;r1,5000,50000,150000,1000;c0,0,100000,500000,400000"
    val read = readLines(
      environment,
      taskEnd(
        1,
        launch = 1000,
        finish = 2000,
        accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;|$fetching]"}""",
        metrics =
          """{"Executor Run Time":1000,"Executor CPU Time":500000000,"Shuffle Read Metrics":{"Fetch Wait Time":300}}"""
      )
    )
    val phases = new TaskPhases(read.tasks)
    phases.load(0)
    assertEquals(phases(Phase.ShuffleRead), 200000000L)
    assertEquals(phases(Phase.CpuQueue), 100000000L)
  }

  test("a window has the monotasks of its tasks") {
    val later = readLines(environment, task(1, one), task(2, two, launch = 5000, finish = 6000))
    val window = Window.of(later, 4000, 7000)
    assertEquals((later.monotasks.size, window.monotasks.size), (5, 2))
    assertEquals(Analysis.report(window).monotasks.get.resources.map(_.resource), Seq("disk", "network"))
  }

  // at the end of the seconds from 3 and 4 s on: 2 and 1 compute, 1 and 0 wait for that; sda serves 1, 3 and 1 wait, and two more began in the second one
  private val queues = "cpu=2 disk:sda=1;2,1,0,1,3,0;1,0,0,1,1,2"
  private def counters(queues: String) = {
    val second = "1000,0,0,0,0,0,0"
    s"""{"Event":"org.apache.spark.pellucid.MachineCounters","batches":["1 h1 1;3000;2;;;$second;$second||$queues"]}"""
  }

  test("while a task runs, its executor's queues are those of each second") {
    val computes = task(5, "4000000;cpu=2;c0,0,0,1000000,900000", launch = 4000, finish = 5000)
    val lines = Seq(environment, executorAdded("1", cores = 2), task(1, one), computes, counters(queues))
    def loads(lines: Seq[String]) = {
      val use = Analysis.report(readLines(lines: _*)).monotasks.get
      def seconds(buckets: Seq[Double]) = (buckets.sum * use.bucketSeconds * 1e6).round / 1e6
      use.load.map(l => l.resource -> ((seconds(l.running), seconds(l.queued), l.overdrawn))).toMap
    }
    // task 1: 0.69 s after 0.01, and of the disk 0.2 after 0.1; task 5: 1 s
    assertEquals(loads(lines), Map("cpu" -> ((1.69, 0.01, 0L)), "disk" -> ((0.2, 0.1, 2L))))
    // from 3.5 s on half a second of the first and the second one: 2 / 2 + 1 compute, 1 / 2 wait; 1 / 2 + 1 are read, 3 / 2 + 1 wait
    val running = loads(lines :+ taskStart(4, launch = 3500))
    assertEquals(running, Map("cpu" -> ((2.69, 0.51, 0L)), "disk" -> ((1.7, 2.6, 2L))))
    // another executor's tasks are of no interest here
    val elsewhere = Seq(executorAdded("2", cores = 2), taskStart(4, launch = 3500, executor = "2"))
    assertEquals(loads(lines ++ elsewhere), loads(lines))
    // where no queues have been told of what is known stays, and so it does after the last ones
    val untold = Seq(taskStart(4, launch = 1000))
    assertEquals(loads(lines.init ++ untold).map { case (r, l) => r -> l._1 }, Map("cpu" -> 1.69, "disk" -> 0.2))
    val later = task(7, "5500000;cpu=2;c0,0,0,1000000,900000", launch = 5500, finish = 6500)
    assertEquals(loads(lines ++ Seq(taskStart(4, launch = 3500), later))("cpu"), (3.69, 0.51, 0L))
    // none has ended yet
    val first = loads(lines.take(2) ++
      Seq(taskStart(4, launch = 3000), taskEnd(6, launch = 3000, finish = 5000), counters(queues)))
    assertEquals(first, Map("cpu" -> ((3.0, 1.0, 0L)), "disk" -> ((2.0, 4.0, 2L))))
  }

  test("seconds that are joined have the mean of their queues, and all that began beyond the slots") {
    val trace = readLines(environment, executorAdded("1", cores = 2), counters(queues))
    val Seq(one, other) = trace.machines.head._2: @unchecked
    assertEquals((one + other).queues, Vector(QueueSample(0, 1.5, 0.5, 0), QueueSample(1, 1, 2, 2)))
    assertEquals((one + other.copy(coveredMillis = 3000)).queues(1), QueueSample(1, 1, 1.5, 2)) // (3 + 3 * 1) / 4 wait
  }

  test("queues that are not written so are counted, and nothing of their batch is taken") {
    for (
      bad <- Seq("", "cpu=2", "cpu=2;1,0,0", "cpu=2;1,0,0;1,0", "cpu;1,0,0;1,0,0", "cpu=2;1,0,0;1,-1,0", s"$queues|")
    ) {
      val trace = readLines(environment, executorAdded("1", cores = 2), counters(bad))
      assertEquals((trace.machines.size, trace.monotasks.resources.size), (0, 0), bad)
      assert(trace.intake.notes.exists(_.contains("could not be read")), bad)
    }
  }

  /** What executor 1 served of shuffle files: moments count from 3 s. */
  private def served(text: String) =
    s"""{"Event":"org.apache.spark.pellucid.MachineCounters","batches":["1 h1 1;3000;2;;|$text"]}"""

  /** Two map stages, and from 2 and 2.2 s on two stages that fetch what they wrote. */
  private val shuffled = Seq(
    environment,
    executorAdded("1", cores = 2),
    stageSubmitted(0),
    task(1, one),
    stageCompleted(0),
    stageSubmitted(1, at = 2000, parent = Some(0)),
    stageSubmitted(2, at = 2200, parent = Some(7)),
    task(2, two, stage = 1, launch = 2000, finish = 4000),
    task(3, two, stage = 2, launch = 2200, finish = 4000)
  )

  // queued at 2.5 s, begun at 2.55, ended at 2.95, of what task 1 wrote; at 3 s 100 ms, of nobody knows which; at 3.2 s 10 ms, of a task that is not in the log
  private val serving =
    "disk:sda=1;s0,8000000,50000,400000,20000,-500000,1;s0,700,0,100000,1000,0;s0,70,0,10000,0,200000,999"

  test(
    "what an executor served is of the stage that fetched what the map task wrote, or else of the last one that fetched something"
  ) {
    val trace = readLines(shuffled :+ served(serving): _*)
    val r = Analysis.report(trace)
    def disk(of: Seq[ResourceUse]) = of.find(_.resource == "disk").get
    // beside 300 ms each of task 2 and 3, on two disks
    assertEquals(disk(r.stages(1).monotasks), ResourceUse("disk", 2, 0.7, 0.02, 0.05, 8005000, 0.35))
    assertEquals(disk(r.stages(2).monotasks), ResourceUse("disk", 3, 0.41, 0.001, 0, 5770, 0.205))
    assertEquals(disk(r.monotasks.get.resources).bytes, 8005000L + 5770 + 900)
    val load = r.monotasks.get.load.find(_.resource == "disk").get
    def at(seconds: Double) = ((seconds - trace.startMillis / 1e3) / r.monotasks.get.bucketSeconds).toInt
    assertEquals((load.queued(at(2.53)), load.running(at(2.53))), (1.0, 0.0))
    assertEquals((load.queued(at(2.75)), load.running(at(2.75))), (0.0, 1.0))
  }

  test("a window has what was served in it; of what is served there is room for no more monotasks than of tasks") {
    val trace = readLines(shuffled :+ served(serving): _*)
    assertEquals(Window.of(trace, 2950, 3200).monotasks.served.map(_.bytes).toSeq, Seq(700L))
    val (enough, less) = (withRoomFor(10, shuffled :+ served(serving)), withRoomFor(9, shuffled :+ served(serving)))
    assertEquals(Seq(enough, less).map(_.monotasks.served.size), Seq(3, 0)) // 3 of task 1, 2 each of the others
    assert(less.intake.notes.exists(_.contains("no room for 3")))
  }

  test("what was served and is not written so is counted, and nothing of its batch is taken") {
    for (
      bad <- Seq(
        "",
        "disk:sda;s0,1,1,1,1,1",
        "disk:sda=1;i0,1,1,1,1,1",
        "disk:sda=1;s1,1,1,1,1,1",
        "disk:sda=1;s0,1,1,1,1",
        "disk:sda=1;s0,1,-1,1,1,1",
        "disk:sda=1;s0,1,1,1,1,1,",
        "disk:sda=1;s0,1,1,1,1,1,1,1"
      )
    ) {
      val t = readLines(environment, task(1, one), served(bad))
      assertEquals((t.monotasks.served.size, t.machines.size), (0, 0), bad)
      assert(t.intake.notes.exists(_.contains("1 measurements of the plugin")), bad)
    }
  }

  test("what is not written so is counted, and nothing of it is taken") {
    for (
      bad <- Seq(
        "x;cpu=2;c0,0,0,0,0",
        "1;cpu=2;c1,0,0,0,0",
        "1;cpu=2;z0,0,0,0,0",
        "1;cpu=2;c0,0,0,0",
        "1;cpu=2;c0,0,-1,0,0",
        "1",
        "1;cpu;c0,0,0,0,0",
        "1;cpu=0;c0,0,0,0,0"
      )
    ) {
      val t = readLines(environment, task(1, bad))
      assertEquals(t.monotasks.size, 0, bad)
      assert(t.intake.notes.exists(_.contains("1 measurements of the plugin")), bad)
    }
  }
}
