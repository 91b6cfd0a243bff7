package pellucid.demand

import pellucid.Samples._
import pellucid.report.Analysis
import pellucid.trace._

/** What the plugin read from the kernel's counters. */
class MachinesSuite extends munit.FunSuite {
  private def counters(text: String, executor: String = "1", host: String = "h1") =
    s"""{"Event":"org.apache.spark.pellucid.MachineCounters","batches":["$executor $host $text"]}"""

  private def observed(id: Long, text: String, metrics: String) =
    taskEnd(
      id,
      finish = 3000,
      accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"$text"}""",
      metrics = metrics
    )

  // two seconds of 4 cores: 500 + 700 ms of the JVM, 1,000 + 2,000 of all; sda busy 300 + 100 ms, eth0 1,000 + 3,000 bytes in
  private val twoSeconds = "1;5000;4;sda,sdb;eth0;1000,500,1000,3,0,100,5,10,1000,2,200,300,0,0,0,0,0,1000,50;" +
    "1000,700,2000,5,20,90,0,20,3000,1,100,100,1,1,1,1,1,3000,70"

  test("samples are added up, and shares are of the time that was measured") {
    val m = Analysis.report(readLines(environment, taskEnd(1), counters(twoSeconds))).machines.head
    assertEquals((m.host, m.seconds, m.cores), ("h1", 2.0, 4))
    assertEquals(m.cpuShare, 3000.0 / (4 * 2000))
    assertEquals(m.executorsCpuSeconds, 1.2)
    assertEquals(m.runnable, 4.0) // of 3 and 5
    assertEquals((m.throttledSeconds, m.maxHeapBytes, m.gcSeconds), (0.02, 100L, 0.005))
    val sda = m.disks.find(_.name == "sda").get
    assertEquals((sda.busyShare, sda.reads, sda.readBytes, sda.writes, sda.writtenBytes), (0.2, 30L, 4000L, 3L, 300L))
    assertEquals(m.nics.map(n => (n.name, n.inBytes, n.outBytes)), Seq(("eth0", 4000L, 120L)))
    assert(m.checks.forall(_.agrees))
  }

  test("what executors serve of their shuffle files is added up, whoever reads the machine's counters") {
    val served =
      "1;5000;4;;eth0;1000,500,1000,3,0,100,5,1000,50,700,1500;1000,500,1000,3,0,100,5,1000,50,40,2500,900;" +
        "1000,500,1000,3,0,100,5,1000,50,0,0,900,7000"
    val m = Analysis.report(
      readLines(environment, taskEnd(1), counters(served), counters(served, executor = "2"))
    ).machines.head
    assertEquals((m.servedBytes, m.servedBlockedSeconds, m.servedQueuedSeconds), (2 * 740L, 2 * 0.004, 2 * 0.007))
  }

  test("two executors of a machine read the same counters: the machine's count once, their own are added") {
    val late = twoSeconds.replace("5000", "5300")
    val trace = readLines(environment, taskEnd(1), counters(twoSeconds), counters(late, executor = "2"))
    val m = Analysis.report(trace).machines.head
    assertEquals((m.seconds, m.executorsCpuSeconds, m.disks.find(_.name == "sda").get.readBytes), (2.0, 2.4, 4000L))
  }

  /** A task of 2 s on h1, in which sda is busy for `busy` ms of each second. */
  private def check(
      text: String,
      busy: Int,
      metrics: String = """{"Executor Run Time":2000,"Executor CPU Time":200000000}"""
  ) = {
    val second = s"1000,100,100,1,0,1,0,1,1,1,1,$busy,20000000,1"
    val trace = readLines(
      environment,
      observed(1, text, metrics),
      counters(s"1;5000;4;sda;eth0;$second;$second")
    )
    Analysis.report(trace).machines.head.checks
  }

  test("the disk's check: blocked while it was busy agrees") {
    val disk = check("[1;0;input,disk:sda,1,10,1700000,3:1]", 900).head
    assertEquals((disk.resource, disk.tasks, disk.machine, disk.agrees), ("disk", 1.7, 1.8, true))
  }

  test("the disk's check: blocked for longer than it worked") {
    val disk = check("[1;0;input,disk:sda,1,10,1700000,3:1]", 100).head
    assert(!disk.agrees && disk.note.get.startsWith("tasks waited for disks longer than the disks worked"), disk)
  }

  test("the disk's check: busy while tasks wait for something unnamed (thesis section 4.2)") {
    val disk = check("[1;0]", 900).head
    assert(!disk.agrees && disk.note.get.startsWith("a disk was busy while tasks waited"), disk)
  }

  test("the network's check: bytes that tasks read beside bytes that came in") {
    def remote(bytes: Long) =
      check("[1;0]", 0, s"""{"Executor Run Time":2000,"Shuffle Read Metrics":{"Remote Bytes Read":$bytes}}""").last
    assertEquals(remote(40000000).agrees, true) // two seconds of 20,000,000
    assertEquals(remote(37000000).agrees, true)
    assert(remote(20000000).note.get.startsWith("more came in"))
    assert(remote(60000000).note.get.startsWith("less came in"))
  }

  test("what is written otherwise is counted, and nothing of it taken") {
    for (
      text <- Seq(
        "2;5000;4;sda;eth0;1",
        "1;5000;4;sda;eth0;1000,500",
        "1;5000;4;;",
        "",
        "1;x;4;;;1,2,3,4,5,6,7",
        "1;5;4;;;1,2,3,4,5,6,7,8",
        "1;5;4;;;1,2,3,4,5,6,-7"
      )
    ) {
      val trace = readLines(taskEnd(1), counters(text))
      val bad = text != "1;5000;4;;"
      assertEquals(trace.machines, Map.empty[Int, IndexedSeq[MachineSample]], text)
      assertEquals(trace.intake.notes.size, if (bad) 1 else 0, text)
    }
  }

  test("a window without samples of an executor, and no checks in a window") {
    val lines =
      Seq(environment, taskEnd(1), taskEnd(2, executor = "2", launch = 100000, finish = 101000), counters(twoSeconds))
    val trace = readLines(lines: _*)
    val report = Analysis.report(Window.of(trace, 90000, 102000))
    assertEquals(report.machines, Nil)
    assertEquals(Analysis.report(Window.of(trace, 0, 102000)).machines.map(_.checks), Seq(Nil))
  }

  test(
    "of a sample that is partly in a window, the part between those that go with time and with that of tasks there"
  ) {
    // a second from 90 s on; tasks at 90.6-91 s, and the executor's other one at 90-90.2: of 600 ms of CPU time the middle of two thirds and a half are the window's from 90.5 s on
    val second = "1;90000;4;sda;eth0;1000,600,900,2,30,0,0,4,4000,3,300,144,9000,600"
    val lines = Seq(environment, taskEnd(1, launch = 90000, finish = 90200), taskEnd(2, launch = 90600, finish = 91000))
    val trace = readLines((lines :+ counters(second)): _*)
    val Seq(sample) = Window.of(trace, 90500, 95000).machines.values.head: @unchecked
    assertEquals((sample.fromMillis, sample.untilMillis, sample.cpuMillis), (90500L, 91000L, 350L))
    assertEquals(sample.disks.map(d => (d.readBytes, d.busyMillis)), Seq((2333L, 84L)))
    assertEquals(sample.nics.map(n => (n.inBytes, n.outBytes)), Seq((5250L, 350L)))
    // no task at all of that executor in it: the part that goes with time
    val idle =
      readLines(environment, taskEnd(1), taskEnd(2, executor = "2", launch = 90000, finish = 91000), counters(second))
    val none = Window.of(idle, 90250, 95000)
    assertEquals(none.machines.values.head.map(_.cpuMillis), Vector(450L))
    assertEquals(Window.of(trace, 80000, 95000).machines, trace.machines)
  }

  test("a long application costs no more samples than a short one, and none is lost") {
    val table = new MachineTable(512)
    def one(at: Long) = MachineSample(
      at * 1000,
      at * 1000 + 1000,
      1000,
      4,
      1,
      2,
      3,
      0,
      at,
      0,
      IndexedSeq(DiskSample("sda", 1, 1, 1, 1, 10)),
      IndexedSeq.empty
    )
    for (at <- 0 until 10000) table.add(0, one(at.toLong))
    val kept = table.result(0)
    assert(kept.size <= 512)
    val all = kept.reduce(_ + _)
    assertEquals((all.fromMillis, all.untilMillis, all.coveredMillis), (0L, 10000000L, 10000000L))
    assertEquals((all.cpuMillis, all.heapBytes, all.disks.head.busyMillis), (10000L, 9999L, 100000L))
    assertEqualsDouble(all.runnable, 3, 1e-9)
  }
}
