package pellucid.log

import pellucid.Samples._
import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.trace.{Tasks, Window}

/** Tasks that Pellucid's plugin measured. */
class ObservedTaskSuite extends munit.FunSuite {
  private def measured(id: Long, text: String, metrics: String = "{}") = taskEnd(
    id,
    accumulables =
      s"""{"ID":3,"Name":"other","Update":"5","Value":"5","Internal":false},{"ID":7,"Name":"pellucid.task",""" +
        s""""Update":"$text","Internal":false,"Count Failed Values":true,"Metadata":"sql"}""",
    metrics = metrics
  )

  private val full = "[1;250;input,hdfs:m2,3,300000,4000,16:2 17:1;input,hdfs:m1,1,9,6,3:1;output,hdfs,1,50,20,5:1;" +
    "spillWrite,disk:sda,1,64,30,6:1;spillRead,disk:sda,1,64,40,6:1;shuffleWrite,disk:sda,2,64,50,5:2;" +
    "shuffleRead,disk:sda,2,64,60,5:2;shuffleFetch,host:m2,4,4000,999,9:3 10:1;blockRead,disk:sdb,1,1,70,0:1;" +
    "blockWrite,disk:sdb,1,1,80,0:1;metadata,hdfs,0,0,90,]"

  test("every kind goes to its column, in nanoseconds") {
    val t =
      readLines(environment, measured(1, full, """{"Shuffle Write Metrics":{"Shuffle Bytes Written":64}}""")).tasks
    assert(t.is(0, Tasks.Observed))
    assertEquals(t.cpuQueueNanos(0), 250000L)
    assertEquals(t.inputBlockedNanos(0), 4076000L) // 4000 + 6 + blockRead's 70
    assertEquals(t.outputBlockedNanos(0), 100000L) // 20 + blockWrite's 80
    assertEquals(t.spillBlockedNanos(0), 70000L) // 30 + 40
    assertEquals(t.shuffleWriteBlockedNanos(0), 50000L)
    assertEquals(t.localReadNanos(0), 60000L) // and not the fetches' 999, which overlap with computing
    assertEquals(t.metadataNanos(0), 90000L)
  }

  test("paths are added up by stage, executor, kind and path") {
    val trace = readLines(environment, measured(1, full), measured(2, "[1;;input,hdfs:m2,2,70000,1000,15:1 16:1]"))
    val m2 = trace.paths.find(_.path == "hdfs:m2").get
    assertEquals((m2.kind, trace.stages(m2.stage).id, trace.executors(m2.executor).id), ("input", 0, "1"))
    assertEquals((m2.requests, m2.bytes, m2.micros), (5L, 370000L, 5000L))
    assertEquals(
      m2.sizes.indices.filter(m2.sizes(_) > 0).map(b => b -> m2.sizes(b)),
      IndexedSeq(15 -> 1L, 16 -> 3L, 17 -> 1L)
    )
    assertEquals(trace.paths.size, 11)
  }

  test("a task that ends once more, as its output was lost, was measured once, and its stage is whole") {
    val lost = measured(1, full).replace("{\"Reason\":\"Success\"}", "{\"Reason\":\"Resubmitted\"}")
    val trace = readLines(environment, measured(1, full), lost)
    assertEquals(trace.tasks.size, 2)
    assertEquals(trace.paths.find(_.path == "hdfs:m2").map(p => (p.requests, p.bytes)), Some((3L, 300000L)))
    val all = Window.of(trace, trace.tasks.launchMillis(0) - 1, trace.tasks.finishMillis(0) + 1)
    assertEquals(all.paths.map(_.bytes), trace.paths.map(_.bytes))
  }

  test("records of which the log has no bytes, as of a message queue, are input that was not measured") {
    def isLogged(input: String) =
      readLines(environment, measured(1, "[1;]", s"""{"Input Metrics":{$input}}""")).tasks.is(0, Tasks.InputLogged)
    assert(!isLogged(""""Bytes Read":0,"Records Read":5000"""))
    assert(isLogged(""""Bytes Read":0,"Records Read":0"""))
  }

  test("measured input, output and spills take the place of their bounds; what is left is waiting") {
    // 900 ms run: 500 on the CPU, 100 input, 60 fetch wait and 20 local shuffle files, 40 output, 30 spill, 10 metadata, 15
    // blocked of Spark's 45 ms shuffle write, 5 GC, 70 for a CPU: 50 are left. The other 30 of the shuffle write can have been
    // blocked, too: 20 waiting. Nothing of it can be input or output any more.
    val metrics =
      """{"Executor Run Time":900,"Executor CPU Time":500000000,"JVM GC Time":5,"Input Metrics":{"Bytes Read":10,""" +
        """"Records Read":1},"Output Metrics":{"Bytes Written":10},"Shuffle Read Metrics":{"Fetch Wait Time":60},""" +
        """"Shuffle Write Metrics":{"Shuffle Bytes Written":1,"Shuffle Write Time":45000000}}"""
    val text =
      "[1;70000;input,disk:sda,1,10,100000,3:1;output,disk:sda,1,10,40000,3:1;spillRead,disk:sda,1,10,30000,3:1;" +
        "metadata,hdfs,0,0,10000,;shuffleRead,disk:sda,1,10,20000,3:1;shuffleWrite,disk:sda,1,1,15000,0:1]"
    val times = new TaskPhases(readLines(environment, measured(1, text, metrics)).tasks)
    times.load(0)
    val expected = Map(
      Phase.Compute -> 500,
      Phase.InputRead -> 100,
      Phase.ShuffleRead -> 80,
      Phase.OutputWrite -> 40,
      Phase.Spill -> 30,
      Phase.Metadata -> 10,
      Phase.ShuffleWrite -> 45,
      Phase.Gc -> 5,
      Phase.CpuQueue -> 70,
      Phase.Waiting -> 20,
      Phase.SchedulerDelay -> 100
    )
    for (p <- Phase.all) assertEquals(times(p) / 1000000, expected.getOrElse(p, 0).toLong, p.key)
    assertEquals((times.inputAtMost, times.outputAtMost), (0L, 0L))
  }

  test("what goes through other machines is blocked on a disk or on the network; the rest is told apart") {
    // 900 ms run, no CPU: 100 ms input of the own machine's datanode, 200 of another's, 30 of a local disk, 150 written to HDFS,
    // 80 fetch wait, 20 local shuffle files, 60 name node. Left: 260 waiting.
    val metrics =
      """{"Executor Run Time":900,"Executor CPU Time":0,"Input Metrics":{"Bytes Read":10,"Records Read":1},""" +
        """"Output Metrics":{"Bytes Written":10},"Shuffle Read Metrics":{"Fetch Wait Time":80}}"""
    val text = "[1;0;input,hdfs:h1,1,10,100000,3:1;input,hdfs:h2,1,10,200000,3:1;input,disk:sda,1,10,30000,3:1;" +
      "output,hdfs,1,10,150000,3:1;shuffleRead,disk:sda,1,10,20000,3:1;metadata,hdfs,0,0,60000,]"
    val times = new TaskPhases(readLines(environment, measured(1, text, metrics)).tasks)
    times.load(0)
    def ms(nanos: Long) = nanos / 1000000
    assertEquals(ms(times.diskLogged), 150L) // 100 + 30 + 20
    assertEquals(ms(times.diskAtMost), 580L) // + 200 + 150 + 80
    assertEquals(ms(times.networkLogged), 80L)
    assertEquals(ms(times.networkAtMost), 750L) // 80 + 200 + 150 + 60 + 260
    assertEquals(ms(times.neitherLogged), 580L)
    assertEquals(ms(times.neitherAtMost), 900L) // + 60 + 260
  }

  test("shuffle files of a task that writes no shuffle data are its sort's spills") {
    val t =
      readLines(environment, measured(1, "[1;;shuffleWrite,disk:sda,1,10,30,3:1;spillRead,disk:sda,1,10,4,3:1]")).tasks
    assertEquals((t.shuffleWriteBlockedNanos(0), t.spillBlockedNanos(0)), (0L, 34000L))
  }

  test("where calls, pauses and the wait for a CPU exceed the run time, the calls had them inside") {
    // 100 ms run, 20 CPU, 10 GC, 50 for a CPU: of the 60 ms that reads are said to have blocked 20 are left
    val metrics = """{"Executor Run Time":100,"Executor CPU Time":20000000,"JVM GC Time":10}"""
    val times =
      new TaskPhases(readLines(environment, measured(1, "[1;50000;input,disk:sda,1,10,60000,3:1]", metrics)).tasks)
    times.load(0)
    val ms = Seq(Phase.Compute, Phase.Gc, Phase.CpuQueue, Phase.InputRead, Phase.Waiting).map(times(_) / 1000000)
    assertEquals(ms, Seq(20L, 10L, 50L, 20L, 0L))
  }

  test("a small measured part does not stand for all input") {
    val metrics =
      """{"Executor Run Time":100,"Executor CPU Time":0,"Input Metrics":{"Bytes Read":1000,"Records Read":1}}"""
    def bound(bytes: Int) = {
      val times =
        new TaskPhases(readLines(environment, measured(1, s"[1;;input,disk:sda,1,$bytes,0,3:1]", metrics)).tasks)
      times.load(0)
      times.inputAtMost / 1000000
    }
    assertEquals((bound(890), bound(900)), (100L, 0L))
  }

  test("input of a file system that is not observed stays bounded by the waiting") {
    val metrics =
      """{"Executor Run Time":900,"Executor CPU Time":500000000,"Input Metrics":{"Bytes Read":10,"Records Read":1}}"""
    val times = new TaskPhases(readLines(environment, measured(1, "[1;100000]", metrics)).tasks)
    times.load(0)
    assertEquals((times(Phase.CpuQueue), times(Phase.Waiting), times.inputAtMost), (100000000L, 300000000L, 300000000L))
  }

  for (
    bad <- Seq(
      "",
      "[]",
      "[2;1]",
      "[1;x]",
      "[1;-1]",
      "[1;1;]",
      "[1;1;input,p,1,2,3]",
      "[1;1;input,p,1,2,3,4]",
      "[1;1;input,p,1,2,3,99:1]",
      "[1;1;input,p,1,9999999999999999999,3,]"
    )
  ) test(s"a measurement written as \"$bad\" is counted, and the task is as stock Spark logs it") {
    val trace = readLines(environment, measured(1, bad, """{"Executor Run Time":900}"""), measured(2, "[1;1]"))
    assertEquals(trace.intake.notes, Seq("1 measurements of the plugin could not be read: a newer plugin?"))
    assertEquals(trace.tasks.runMillis(0), 900)
    assert(!trace.tasks.is(0, Tasks.Observed) && trace.tasks.is(1, Tasks.Observed))
    assertEquals(trace.paths, IndexedSeq.empty)
    assertEquals(trace.intake.malformedLines, 0L)
  }

  test("an accumulator of the same name, without the plugin's setting, is nobody's") {
    val trace = readLines(measured(1, full))
    assert(!trace.tasks.is(0, Tasks.Observed))
    assertEquals(trace.paths, IndexedSeq.empty)
  }
}
