package org.apache.spark.pellucid

import java.nio.file.Path
import java.util.Properties
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.{SparkException, Success, TaskState}
import org.apache.spark.executor.{ExecutorMetrics, TaskMetrics}
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.scheduler._
import org.apache.spark.sql.SparkSession

import pellucid.{Jobs, SparkSuite}
import pellucid.report.{Analysis, Json}
import pellucid.trace.{Intake, Trace}

class LiveTraceSuite extends SparkSuite {

  /** SQL with adaptive plans and a scan, a Python-less RDD job, failed and killed attempts, a cancelled job. */
  private def manyKinds(folder: Path)(spark: SparkSession): Trace = {
    val sc = spark.sparkContext
    val run = new AtomicInteger // tasks
    sc.addSparkListener(new SparkListener {
      override def onTaskStart(started: SparkListenerTaskStart): Unit = { run.incrementAndGet(); () }
      override def onTaskEnd(ended: SparkListenerTaskEnd): Unit = { run.decrementAndGet(); () }
    })
    val table = folder.resolve("table").toString
    spark.range(0, 20000, 1, 3).selectExpr("id", "id % 7 AS k").write.parquet(table)
    spark.read.parquet(table).groupBy("k").count().collect()
    sc.parallelize(0 until 1000, 4).map(i => (i % 5, i)).groupByKey(2).count()
    intercept[SparkException](sc.parallelize(0 until 4, 2).map(i => 1 / (i - 3)).count())
    sc.setJobGroup("cancelled", "cancelled", interruptOnCancel = true)
    val slow = sc.parallelize(0 until 4, 4).map { i => Thread.sleep(60000); i }.countAsync()
    while (sc.statusTracker.getActiveJobIds().isEmpty) Thread.sleep(10)
    Thread.sleep(200)
    sc.cancelJobGroup("cancelled")
    intercept[SparkException](slow.get())
    while (sc.statusTracker.getActiveStageIds().nonEmpty) Thread.sleep(10)
    sc.listenerBus.waitUntilEmpty()
    while (run.get > 0) Thread.sleep(10) // the killed tasks end
    sc.listenerBus.waitUntilEmpty()
    LiveTab.trace.get.snapshot()
  }

  folder.test("what is seen live is what the log tells") { folder =>
    val ran = Jobs.run(folder)(manyKinds(folder))
    val (live, log) = (ran.answer, ran.trace)
    assertEquals(live.tasks.size, log.tasks.size)
    assert(live.tasks.size > 10)
    for (row <- 0 until log.tasks.size)
      assertEquals(live.tasks.values(row), log.tasks.values(row), s"task ${log.tasks.taskId(row)}")
    // the last seconds of the machine come when the application ends
    def told(trace: Trace) = {
      val none = Intake(0, 0, 0, Nil, Map.empty, truncated = false, ended = true, Nil)
      val atEnd = log.application.copy(endMillis = log.endMillis)
      new String(Json.write(Analysis.report(trace.copy(application = atEnd, intake = none, machines = Map.empty))))
    }
    assertEquals(live.application.copy(endMillis = 0), log.application.copy(endMillis = 0))
    assertEquals(told(live), told(log))
  }

  folder.test("while no task has ended yet, what monotasks of them run and wait is there") { folder =>
    Jobs.run(folder, conf = Map("spark.pellucid.monotasks" -> "true")) { spark =>
      val sc = spark.sparkContext
      val slow = sc.parallelize(0 until 2, 2).map { _ =>
        while (true) if (Thread.interrupted()) throw new InterruptedException // what computes
        0
      }
      sc.setJobGroup("slow", "slow", interruptOnCancel = true)
      val running = slow.countAsync()
      def load = Analysis.report(LiveTab.trace.get.snapshot()).monotasks.toSeq.flatMap(_.load)
      val until = System.nanoTime() + 60000000000L
      while (load.isEmpty && System.nanoTime() < until) Thread.sleep(100)
      assertEquals(load.map(l => (l.resource, l.slots)), Seq(("cpu", 2)))
      assert(load.head.running.max > 0, load)
      sc.cancelJobGroup("slow")
      intercept[SparkException](running.get())
      Jobs.awaitTasks()
    }
  }

  test("beyond its cap it forgets the stages that ended first, and says so") {
    val live = new LiveTrace("4.2.0", 1000)
    live.onEvent(SparkListenerApplicationStart("capped", Some("app-1"), 1, "someone", None))
    live.onEvent(SparkListenerExecutorAdded(1, "1", new cluster.ExecutorInfo("host", 4, Map.empty[String, String])))
    // 30 jobs of one stage of 100 tasks of 10 ms each
    for (job <- 0 until 30) oneStage(live, job, 1000L * (job + 1), 100)
    val trace = live.snapshot()
    // at 1,000 the 5 stages of the first half go, which leaves room for 5 more: 1,000, 5 x 500, and no more
    assert(trace.tasks.size >= 500 && trace.tasks.size <= 1000, trace.tasks.size)
    assertEquals(trace.jobs.size, trace.tasks.size / 100)
    assertEquals(trace.jobs.last.id, 29)
    val gone = 3000 - trace.tasks.size
    assertEquals(
      trace.intake.notes,
      Seq(
        f"$gone%,d earlier tasks of ${gone / 100}%,d s are no longer here; `pellucid report` on the event log has them"
      )
    )
    val report = Analysis.report(trace)
    assertEquals(report.jobs.map(_.id), (30 - trace.jobs.size until 30).toSeq)
    assertEquals(report.breakdown.taskSeconds, trace.tasks.size * 0.01, 1e-9)
    // the end of the job before, 990 ms before the first one here, counted from the application's start at 1 ms
    assertEqualsDouble(report.window.get.fromSeconds, (trace.jobs.head.submissionMillis - 990 - 1) / 1e3, 1e-9)
  }

  test("of one stage larger than the cap the rest is counted, and the next stage is there again") {
    val live = new LiveTrace("4.2.0", 1000)
    live.onEvent(SparkListenerApplicationStart("capped", Some("app-1"), 1, "someone", None))
    oneStage(live, 0, 1000, 2500)
    assertEquals(live.snapshot().tasks.size, 1000)
    assert(
      live.snapshot().intake.notes.exists(_.startsWith("1,500 tasks beyond 1,000 are not here")),
      live.snapshot().intake.notes
    )
    oneStage(live, 1, 5000, 100)
    val trace = live.snapshot()
    assertEquals((trace.tasks.size, trace.jobs.map(_.id).toSeq), (100, Seq(1)))
  }

  test("jobs and stages of few tasks, or of none, are forgotten, too") {
    val live = new LiveTrace("4.2.0", 1000)
    live.onEvent(SparkListenerApplicationStart("capped", Some("app-1"), 1, "someone", None))
    // 1,000 jobs and stages at most, and those of the 100 events until it looks again
    for (job <- 0 until 2000) oneStage(live, job, 1000L * (job + 1), 0)
    assert(live.snapshot().jobs.size <= 600, live.snapshot().jobs.size)
    assertEquals(live.snapshot().jobs.last.id, 1999)
    for (job <- 2000 until 4000) oneStage(live, job, 1000L * (job + 1), if (job % 100 == 0) 1 else 0)
    assert(live.snapshot().jobs.size <= 600, live.snapshot().jobs.size)
  }

  test("stages that ended are forgotten before there is no room for the monotasks of later ones") {
    val live = new LiveTrace("4.2.0", 1000)
    val kinds =
      Seq("JVM Information", "Hadoop Properties", "System Properties", "Metrics Properties", "Classpath Entries")
    val told = "Spark Properties" -> Seq("spark.plugins.internal.conf.pellucid.PellucidPlugin.task" -> "7")
    live.onEvent(SparkListenerEnvironmentUpdate((told +: kinds.map(_ -> Nil)).toMap))
    // of 10,000 monotasks each stage has 3,000
    val update = "[1;|1000000;cpu=2" + ";c0,0,0,1000,1000" * 300 + "]"
    for (job <- 0 until 50) oneStage(live, job, 1000L * (job + 1), 10, Some(update))
    val trace = live.snapshot()
    assert(!trace.intake.notes.exists(_.contains("no room")), trace.intake.notes)
    assertEquals(trace.monotasks.size, trace.tasks.size * 300)
    assert(trace.tasks.size >= 10, trace.tasks.size)
  }

  private def oneStage(live: LiveTrace, id: Int, at: Long, tasks: Int, update: Option[String] = None): Unit = {
    val stage = new StageInfo(
      id,
      0,
      "stage",
      tasks,
      Nil,
      Nil,
      "",
      resourceProfileId = ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID
    )
    stage.submissionTime = Some(at)
    live.onEvent(SparkListenerJobStart(id, at, Seq(stage), new Properties))
    live.onEvent(SparkListenerStageSubmitted(stage, new Properties))
    for (task <- 0 until tasks) {
      val info = new TaskInfo(id * 10000L + task, task, 0, task, at, "1", "host", TaskLocality.ANY, speculative = false)
      live.onEvent(SparkListenerTaskStart(id, 0, info))
      info.setAccumulables(update.map(text =>
        AccumulableInfo(7, Some("pellucid.task"), Some(text), None, false, true, None)
      ).toSeq)
      info.markFinished(TaskState.FINISHED, at + 10)
      live.onEvent(SparkListenerTaskEnd(id, 0, "ResultTask", Success, info, new ExecutorMetrics, TaskMetrics.empty))
    }
    stage.completionTime = Some(at + 10)
    live.onEvent(SparkListenerStageCompleted(stage))
    live.onEvent(SparkListenerJobEnd(id, at + 10, JobSucceeded))
  }
}
