package pellucid.log

import java.nio.file.Path

import scala.concurrent.duration._

import pellucid.Samples._
import pellucid.trace.{Tasks, Trace}

/** Logs of clusters, when they lie beside the repository, against a plain JSON parser that builds each event as a tree. */
class SharedLogsSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 5.minutes // of large logs, on a busy computer

  import SharedLogsSuite._

  private def log(name: String): Path = {
    val path = shared(s"eventlogs/$name")
    assume(path.isDefined, s"skipped: there is no shared/data/eventlogs/$name beside the repository")
    path.get
  }

  for (
    (name, malformed) <- Seq(
      "dynamic_alloc_spark-3.2.1.zstd" -> Nil,
      "malformed_spark-3.1.1.zstd" -> Seq(4),
      "truncated_spark-3.1.1" -> Nil,
      "tasks_executors_fail_spark-3.1.1.zstd" -> Nil,
      "nds_q72_dataproc_spark-3.5.3.zstd" -> Nil,
      "eventlog_v2_local-1623876083964" -> Nil
    )
  )
    test(s"$name: every number of every task, and the tables, are those of a slow reader") {
      val path = log(name)
      val slow = new Slow(linesOf(path))
      val trace = readPath(path)

      assertEquals(slow.malformed, malformed)
      assertEquals(trace.intake.malformedLines, malformed.size.toLong)
      assertEquals(trace.intake.malformedExamples.map(_.takeWhile(_ != ':')), malformed.map(n => s"line $n"))
      assertEquals(trace.intake.lines, slow.lines.size.toLong)

      val rows = ended(trace)
      assertEquals(rows.size, slow.taskEnds.size)
      assert(rows.size > 20, rows.size)
      for ((row, event) <- rows.zip(slow.taskEnds)) {
        val same = seen(trace, row) == slow.told(event)
        if (!same) assertEquals(seen(trace, row), slow.told(event))
      }
      for ((metric, column) <- columns)
        assertEquals(sum(trace)(column), slow.taskEnds.map(slow.metric(_, metric)).sum, metric.last)

      assertEquals(trace.jobs.map(j => (j.id, j.submissionMillis, j.completionMillis)), slow.jobs)
      assertEquals(trace.stages.map(s => (s.id, s.attempt)).toSet, slow.stages.keySet)
      for (s <- trace.stages)
        assertEquals((s.name, s.numTasks, s.submissionMillis, s.completionMillis), slow.stages((s.id, s.attempt)))
      assertEquals(trace.sql.map(q => (q.id, q.startMillis, q.endMillis)), slow.sql)
      assertEquals(trace.executors.filter(_.cores > 0).map(e => (e.id, e.host, e.cores)).toSet, slow.executors.toSet)
      assertEquals(trace.intake.ended, slow.all("SparkListenerApplicationEnd").nonEmpty)
      assertEquals(trace.intake.truncated, false)

      val running = (0 until trace.tasks.size).drop(rows.size)
      val endedIds = slow.taskEnds.map(SlowJson.long(_, "Task Info", "Task ID")).toSet
      val left = slow.all("SparkListenerTaskStart").map(SlowJson.long(_, "Task Info", "Task ID")).filterNot(endedIds)
      assertEquals(running.map(trace.tasks.taskId(_)).toSet, left.toSet)
      assertEquals(running.size, left.size)
    }

  for (
    name <- Seq(
      "dynamic_alloc_spark-3.2.1.zstd",
      "tasks_executors_fail_spark-3.1.1.zstd",
      "nds_q72_dataproc_spark-3.5.3.zstd",
      "eventlog_v2_local-1623876083964"
    )
  )
    test(s"$name: the scan time of every task is the sum over its plans' scan timers") {
      val path = log(name)
      val slow = new Slow(linesOf(path))
      val trace = readPath(path)
      val told = slow.scanNanos
      for ((row, nanos) <- ended(trace).zip(told)) assertEquals(trace.tasks.scanNanos(row), nanos)
    }

  test("malformed_spark-3.1.1: the one malformed line, 4, costs the environment's settings only") {
    val trace = readPath(log("malformed_spark-3.1.1.zstd"))
    assertEquals(trace.intake.malformedLines, 1L)
    assert(clue(trace.intake.malformedExamples.head).startsWith("line 4: "))
    assertEquals(trace.application.properties, Map.empty[String, String])
    assertEquals(trace.application.sparkVersion, "3.1.1")
    assert(trace.intake.ended)
  }

  test("truncated_spark-3.1.1 stops between two lines: not ended, and nothing cut") {
    val trace = readPath(log("truncated_spark-3.1.1"))
    assertEquals((trace.intake.ended, trace.intake.truncated, trace.intake.malformedLines), (false, false, 0L))
    assertEquals(ended(trace).size, 21)
  }

  test("eventlog_v2_local-1623876083964: its two parts, read in their order") {
    val path = log("eventlog_v2_local-1623876083964")
    assertEquals(eventFiles(path).map(_.getFileName.toString.take(8)), Seq("events_1", "events_2"))
    val whole = readPath(path)
    assertEquals(describe(read(textOf(path))), describe(whole))
    val alone = eventFiles(path).map(readPath)
    assertEquals(alone.map(ended(_).size).sum, ended(whole).size)
    assertEquals(alone.map(_.intake.ended), Seq(false, true))
    assert(whole.intake.ended)
    // jobs that ended in the second part began in the first
    assert(alone.head.jobs.exists(!_.ended))
    assert(whole.jobs.forall(_.ended))
  }

  test("dynamic_alloc_spark-3.2.1: a quarter of the one GPU for each task gives each executor of 4 cores 4 slots") {
    val trace = readPath(log("dynamic_alloc_spark-3.2.1.zstd"))
    assertEquals(trace.executors.map(e => (e.cores, e.slots)).toSet, Set((4, 4)))
    assertEquals(trace.executors.size, 15)
  }

  test("tasks_executors_fail_spark-3.1.1: tasks that take all 4 cores have 1 slot, and failures are told apart") {
    val trace = readPath(log("tasks_executors_fail_spark-3.1.1.zstd"))
    assertEquals(trace.executors.map(e => (e.cores, e.slots)).toSet, Set((4, 1)))
    assertEquals(
      trace.executors.filter(_.removedMillis > 0).map(e => e.id -> e.removedReason).toSet,
      Set("1" -> "Executor Process Lost", "2" -> "Executor Process Lost")
    )
    val byReason = ended(trace).groupBy(row => trace.reasons(trace.tasks.reason(row)).takeWhile(_ != ':')).map {
      case (r, of) => r -> of.size
    }
    assertEquals(byReason, Map("" -> 8577, "Resubmitted" -> 50, "FetchFailed" -> 2, "ExecutorLostFailure" -> 1))
    val byOutcome = ended(trace).groupBy(trace.tasks.outcome(_)).map { case (o, of) => o -> of.size }
    assertEquals(byOutcome, Map(Tasks.Success -> 8577, Tasks.Resubmitted -> 50, Tasks.Failed -> 3))
  }
}

object SharedLogsSuite {

  /** Of each metric its keys inside "Task Metrics" and its column. */
  private val columns: Seq[(Seq[String], (Tasks, Int) => Long)] = Seq(
    Seq("Executor Deserialize Time") -> (_.deserializeMillis(_).toLong),
    Seq("Executor Run Time") -> (_.runMillis(_).toLong),
    Seq("Executor CPU Time") -> (_.cpuNanos(_)),
    Seq("JVM GC Time") -> (_.gcMillis(_).toLong),
    Seq("Result Serialization Time") -> (_.resultSerializeMillis(_).toLong),
    Seq("Memory Bytes Spilled") -> (_.memorySpilledBytes(_)),
    Seq("Disk Bytes Spilled") -> (_.diskSpilledBytes(_)),
    Seq("Shuffle Read Metrics", "Fetch Wait Time") -> (_.fetchWaitMillis(_).toLong),
    Seq("Shuffle Read Metrics", "Remote Bytes Read") -> (_.shuffleRemoteBytes(_)),
    Seq("Shuffle Read Metrics", "Local Bytes Read") -> (_.shuffleLocalBytes(_)),
    Seq("Shuffle Write Metrics", "Shuffle Bytes Written") -> (_.shuffleWriteBytes(_)),
    Seq("Shuffle Write Metrics", "Shuffle Write Time") -> (_.shuffleWriteNanos(_)),
    Seq("Input Metrics", "Bytes Read") -> (_.inputBytes(_)),
    Seq("Input Metrics", "Records Read") -> (_.inputRecords(_)),
    Seq("Output Metrics", "Bytes Written") -> (_.outputBytes(_))
  )

  /** What the trace has of a task end, and below what the slow reader has of it. */
  private def seen(trace: Trace, row: Int): Seq[Any] = {
    val t = trace.tasks
    val stage = trace.stages(t.stage(row))
    Seq[Any](
      t.taskId(row),
      stage.id,
      stage.attempt,
      t.index(row),
      t.attempt(row),
      trace.executors(t.executor(row)).id,
      t.launchMillis(row),
      t.finishMillis(row),
      Tasks.LocalityNames(t.locality(row)),
      t.is(row, Tasks.Speculative),
      if (t.reason(row) == 0) "Success" else trace.reasons(t.reason(row)).takeWhile(_ != ':')
    ) ++ columns.map(_._2(t, row))
  }

  final private class Slow(val lines: IndexedSeq[String]) {
    private val parsed = lines.map(SlowJson.parse)
    val malformed: Seq[Int] = parsed.indices.filter(i => parsed(i).isEmpty).map(_ + 1)
    private val events = parsed.flatten
    private val byClass = events.groupBy(e => SlowJson.text(e, "Event").split('.').last).withDefaultValue(Vector.empty)
    def all(name: String): IndexedSeq[Any] = byClass(name)

    val taskEnds: IndexedSeq[Any] = all("SparkListenerTaskEnd")

    def metric(taskEnd: Any, keys: Seq[String]): Long = SlowJson.long(taskEnd, "Task Metrics" +: keys: _*)

    def told(e: Any): Seq[Any] = {
      def info(key: String) = SlowJson.long(e, "Task Info", key)
      Seq[Any](
        info("Task ID"),
        SlowJson.long(e, "Stage ID").toInt,
        SlowJson.long(e, "Stage Attempt ID").toInt,
        info("Index").toInt,
        info("Attempt").toInt,
        SlowJson.text(e, "Task Info", "Executor ID"),
        info("Launch Time"),
        info("Finish Time"),
        SlowJson.text(e, "Task Info", "Locality"),
        SlowJson.get(e, "Task Info", "Speculative").contains(true),
        SlowJson.text(e, "Task End Reason", "Reason")
      ) ++ columns.map { case (keys, _) => metric(e, keys) }
    }

    def jobs: Seq[(Int, Long, Long)] = {
      val ends =
        all("SparkListenerJobEnd").map(e => SlowJson.long(e, "Job ID") -> SlowJson.long(e, "Completion Time")).toMap
      all("SparkListenerJobStart").map { e =>
        val id = SlowJson.long(e, "Job ID")
        (id.toInt, SlowJson.long(e, "Submission Time"), ends.getOrElse(id, 0L))
      }
    }

    lazy val stages: Map[(Int, Int), (String, Int, Long, Long)] =
      (all("SparkListenerStageSubmitted") ++ all("SparkListenerStageCompleted")).map { e =>
        def info(key: String) = SlowJson.long(e, "Stage Info", key)
        (info("Stage ID").toInt, info("Stage Attempt ID").toInt) ->
          ((
            SlowJson.text(e, "Stage Info", "Stage Name"),
            info("Number of Tasks").toInt,
            info("Submission Time"),
            info("Completion Time")
          ))
      }.toMap

    def sql: Seq[(Long, Long, Long)] = {
      val ends =
        all("SparkListenerSQLExecutionEnd").map(e => SlowJson.long(e, "executionId") -> SlowJson.long(e, "time")).toMap
      all("SparkListenerSQLExecutionStart").map { e =>
        val id = SlowJson.long(e, "executionId")
        (id, SlowJson.long(e, "time"), ends.getOrElse(id, 0L))
      }
    }

    def executors: Seq[(String, String, Int)] = all("SparkListenerExecutorAdded").map { e =>
      (
        SlowJson.text(e, "Executor ID"),
        SlowJson.text(e, "Executor Info", "Host"),
        SlowJson.long(e, "Executor Info", "Total Cores").toInt
      )
    }

    /** By task end: the updates of accumulators that a plan seen until then names as a scan's timer, in nanoseconds. */
    def scanNanos: Seq[Long] = {
      val nanosPerUnit = scala.collection.mutable.Map.empty[Long, Long]
      def metrics(of: Option[Any]): Unit = of match {
        case Some(list: Seq[_]) =>
          for (m <- list if SlowJson.text(m, "name") == "scan time")
            Map("timing" -> 1000000L, "nsTiming" -> 1L).get(SlowJson.text(m, "metricType"))
              .foreach(unit => nanosPerUnit(SlowJson.long(m, "accumulatorId")) = unit)
        case _ => ()
      }
      def plan(p: Any): Unit = {
        metrics(SlowJson.get(p, "metrics"))
        SlowJson.get(p, "children") match {
          case Some(children: Seq[_]) => children.foreach(plan)
          case _ => ()
        }
      }
      events.flatMap { e =>
        SlowJson.get(e, "sparkPlanInfo").foreach(plan)
        metrics(SlowJson.get(e, "sqlPlanMetrics"))
        if (SlowJson.text(e, "Event") != "SparkListenerTaskEnd") None
        else
          Some(SlowJson.get(e, "Task Info", "Accumulables") match {
            case Some(list: Seq[_]) =>
              list.iterator.flatMap(a =>
                nanosPerUnit.get(SlowJson.long(a, "ID")).map(_ * SlowJson.long(a, "Update"))
              ).sum
            case _ => 0L
          })
      }
    }
  }
}
