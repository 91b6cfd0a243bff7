package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import pellucid.Samples._
import pellucid.trace.{Tasks, Trace}

/** The text logs of 2014: one written by hand in the format of Shark's job logger, and the thesis's own. */
class JobLoggerSuite extends munit.FunSuite {

  /** Two jobs; the second has two stages, with a shuffle between them. */
  private val log =
    """SELECT one
      |STAGE_ID=2 RDD_DEP=(14,13) STAGE_DEP=
      |STAGE_ID=2 RESULT_STAGE
      |RDD_ID=14 MapPartitionsRDD NONE mapPartitionsWithIndex at Operator.scala:333 shark.execution.Operator$
      | RDD_ID=13 MapPartitionsRDD NONE mapPartitions at HadoopTableReader.scala:108 shark.execution.HadoopTableReader
      |2014/04/16 04:52:38: JOB_ID=1 STATUS=STARTED
      |2014/04/16 04:52:38: STAGE_ID=2 STATUS=SUBMITTED TASK_SIZE=2
      |2014/04/16 04:52:42: TASK_TYPE=RESULT_TASK STATUS=SUCCESS TID=11 STAGE_ID=2 START_TIME=1000 FINISH_TIME=4000 EXECUTOR_ID=2 HOST=two GC_TIME=31 EXECUTOR_DESERIALIZE_TIME=120 EXECUTOR_RUN_TIME=2800 READ_METHOD=HDFS READ_SETUP_TIME=14 READ_BLOCKED_TIME=1500000123 INPUT_BYTES=55000 INPUT_BYTES_RAW=35000 SHUFFLE_OUTPUT_METRICS=
      |2014/04/16 04:52:42: TASK_TYPE=RESULT_TASK STATUS=SUCCESS TID=10 STAGE_ID=2 START_TIME=900 FINISH_TIME=4100 EXECUTOR_ID=1 HOST=one GC_TIME=0 EXECUTOR_DESERIALIZE_TIME=1 EXECUTOR_RUN_TIME=3000 READ_METHOD=HDFS READ_SETUP_TIME=14 READ_BLOCKED_TIME=7 INPUT_BYTES=50 SHUFFLE_OUTPUT_METRICS=
      |2014/04/16 04:52:49: STAGE_ID=2 STATUS=COMPLETED
      |2014/04/16 04:52:49: JOB_ID=1 STATUS=SUCCES
      |SELECT two
      |STAGE_ID=4 RDD_DEP=(20) STAGE_DEP=(3)
      |2014/04/16 04:53:00: JOB_ID=2 STATUS=STARTED
      |2014/04/16 04:53:00: STAGE_ID=3 STATUS=SUBMITTED TASK_SIZE=1
      |2014/04/16 04:53:01: TASK_TYPE=SHUFFLE_MAP_TASK STATUS=SUCCESS TID=12 STAGE_ID=3 START_TIME=6000 FINISH_TIME=6500 EXECUTOR_ID=1 HOST=one EXECUTOR_RUN_TIME=400 SHUFFLE_WRITE_TIME=9000000 SHUFFLE_BYTES_WRITTEN=77
      |2014/04/16 04:53:02: TASK_TYPE=RESULT_TASK STATUS=FAILURE TID=13 STAGE_ID=4 START_TIME=6600 FINISH_TIME=7000 EXECUTOR_ID=2 HOST=two EXECUTOR_RUN_TIME=300 REMOTE_FETCH_WAIT_TIME=25 LOCAL_READ_TIME=6 REMOTE_BYTES_READ=70 LOCAL_READ_BYTES=7 OUTPUT_BYTES=5 OUTPUT_WRITE_BLOCKED_NANOS=1234567
      |2014/04/16 04:53:02: JOB_ID=2 STATUS=FAILED
      |""".stripMargin

  private def of(text: String) = read(text.getBytes(UTF_8))
  private lazy val trace = of(log)
  private def each[A](read: (Tasks, Int) => A): Seq[A] = (0 until trace.tasks.size).map(read(trace.tasks, _))

  test("times are milliseconds, but READ_BLOCKED_TIME, SHUFFLE_WRITE_TIME and what is named so are nanoseconds") {
    assertEquals(each(_.taskId(_)), Seq(11L, 10L, 12L, 13L))
    assertEquals(each(_.launchMillis(_)), Seq(1000L, 900L, 6000L, 6600L))
    assertEquals(each(_.durationMillis(_)), Seq(3000, 3200, 500, 400)) // FINISH_TIME - START_TIME
    assertEquals(each(_.deserializeMillis(_)), Seq(120, 1, 0, 0))
    assertEquals(each(_.runMillis(_)), Seq(2800, 3000, 400, 300))
    assertEquals(each(_.gcMillis(_)), Seq(31, 0, 0, 0))
    assertEquals(each(_.inputBlockedNanos(_)), Seq(1500000123L, 7L, 0L, 0L))
    assertEquals(each(_.shuffleWriteNanos(_)), Seq(0L, 0L, 9000000L, 0L))
    assertEquals(each(_.outputBlockedNanos(_)), Seq(0L, 0L, 0L, 1234567L))
    assertEquals(each(_.fetchWaitMillis(_)), Seq(0, 0, 0, 25))
    assertEquals(each((t, r) => t.localReadNanos(r).toInt), Seq(0, 0, 0, 6000000))
  }

  test("bytes: what was read from storage counts where the log has it, else what the operators saw") {
    assertEquals(each(_.inputBytes(_)), Seq(35000L, 50L, 0L, 0L))
    assertEquals(each(_.shuffleWriteBytes(_)), Seq(0L, 0L, 77L, 0L))
    assertEquals(
      each((t, row) => (t.shuffleRemoteBytes(row), t.shuffleLocalBytes(row), t.outputBytes(row))).last,
      (70L, 7L, 5L)
    )
  }

  test("blocked times are known to be measured, and CPU time not to be") {
    assertEquals(each(_.is(_, Tasks.CpuLogged)), Seq.fill(4)(false))
    assertEquals(each(_.is(_, Tasks.InputLogged)).take(2), Seq(true, true))
    assertEquals(each(_.is(_, Tasks.OutputLogged)), Seq(false, false, false, true))
  }

  test("tasks know their stage, executor and how they ended") {
    assertEquals(each((t, row) => trace.stages(t.stage(row)).id), Seq(2, 2, 3, 4))
    assertEquals(each((t, row) => trace.executors(t.executor(row)).id), Seq("2", "1", "1", "2"))
    assertEquals(trace.executors.map(e => e.id -> e.host).toSet, Set("1" -> "one", "2" -> "two"))
    assertEquals(each(_.outcome(_)), Seq(Tasks.Success, Tasks.Success, Tasks.Success, Tasks.Failed))
    assertEquals(trace.reasons(trace.tasks.reason(3)), "FAILURE")
  }

  test("jobs and stages last as long as their tasks, and a job is described by its query") {
    assertEquals(
      trace.jobs.map(j => (j.id, j.submissionMillis, j.completionMillis, j.failure, j.description, j.stageIds.toSet)),
      Vector(
        (1, 900L, 4100L, None, Some("SELECT one"), Set(2)), // min START_TIME, max FINISH_TIME
        (2, 6000L, 7000L, Some("FAILED"), Some("SELECT two"), Set(3, 4))
      )
    )
    assertEquals(
      trace.stages.map(s => (s.id, s.numTasks, s.parentIds.toSeq, s.submissionMillis, s.completionMillis)).toSet,
      Set(
        (2, 2, Seq.empty[Int], 900L, 4100L),
        (3, 1, Seq.empty[Int], 6000L, 6500L),
        (4, 0, Seq(3), 6600L, 7000L)
      )
    )
    assert(trace.intake.ended && !trace.intake.truncated)
  }

  test("a task without its id, stage or times is malformed, and named by its line") {
    val task = log.linesIterator.find(_.contains("TID=11")).get
    for (field <- Seq("TID=11", "STAGE_ID=2", "START_TIME=1000", "FINISH_TIME=4000")) {
      val name = field.takeWhile(_ != '=')
      for (
        broken <- Seq(task.replace(s" $field", ""), task.replace(field, s"$name=x"), task.replace(field, s"$name="))
      ) {
        val read = of(log.replace(task, broken))
        assertEquals((0 until read.tasks.size).map(read.tasks.taskId(_)), Seq(10L, 12L, 13L), broken)
        assertEquals(read.intake.malformedLines, 1L, broken)
        assert(read.intake.malformedExamples.head.startsWith("line 8: "), read.intake.malformedExamples)
      }
    }
  }

  test("empty lines and \\r\\n change nothing") {
    assertEquals(rows(of("\n" + log.replace("\n", "\n\n"))), rows(trace))
    assertEquals(rows(of(log.replace("\n", "\r\n"))), rows(trace))
  }

  test("a log cut off has not ended, and a task half written is none") {
    val bytes = log.getBytes(UTF_8)
    val from = log.indexOf("2014/04/16 04:52:42")
    val until = log.indexOf("2014/04/16 04:52:49")
    for (cut <- from to until) {
      val part = read(bytes.take(cut))
      // a line counts as whole with its line end, as any cut of a number is a number too
      val whole = log.take(cut).count(_ == '\n') - 7
      assertEquals(rows(part), rows(trace).take(whole), log.slice(from, cut))
      if (whole > 0) assertEquals(part.jobs.map(_.submissionMillis), Seq(if (whole == 1) 1000L else 900L))
      assert(!part.intake.ended)
      assertEquals(part.intake.truncated, bytes(cut - 1) != '\n', log.slice(from, cut))
    }
  }

  test("a line that is nothing the job logger writes is counted, not dropped silently") {
    // inside a job: after its end any text could be the next query
    val submitted = "2014/04/16 04:52:38: STAGE_ID=2 STATUS=SUBMITTED TASK_SIZE=2\n"
    val with3 = of(log.replace(submitted, submitted + "junk\n{\"Event\":\"x\"}\n\u0000\u0001\n"))
    assertEquals(rows(with3), rows(trace))
    assertEquals(with3.intake.malformedLines + with3.intake.unknownEvents.values.sum, 3L)
  }

  // ---- the thesis's own

  for (query <- Seq("1a", "1b", "1c"))
    test(s"query $query of the thesis: each task's times against its own line") {
      val path = shared(s"bdb-2014/${query}_disk_job_log")
      assume(path.isDefined, "skipped: there is no shared/data/bdb-2014 beside the repository")
      val trace = readPath(path.get)
      val lines = Files.readString(path.get).linesIterator.filter(_.contains("TASK_TYPE=")).toVector
      assertEquals(lines.size, 100)
      assertEquals(trace.tasks.size, 100)
      for ((line, row) <- lines.zipWithIndex) {
        def field(key: String) = s" $key=(\\d+)".r.findFirstMatchIn(line).get.group(1).toLong
        val t = trace.tasks
        assertEquals(
          Seq(
            t.taskId(row),
            t.inputBlockedNanos(row),
            t.launchMillis(row),
            t.finishMillis(row),
            t.runMillis(row).toLong,
            t.deserializeMillis(row).toLong,
            t.gcMillis(row).toLong,
            t.inputBytes(row)
          ),
          Seq(
            "TID",
            "READ_BLOCKED_TIME",
            "START_TIME",
            "FINISH_TIME",
            "EXECUTOR_RUN_TIME",
            "EXECUTOR_DESERIALIZE_TIME",
            "GC_TIME",
            "INPUT_BYTES_RAW"
          ).map(field),
          line
        )
        // were the blocked time microseconds or milliseconds, it would be longer than the task
        assert(t.inputBlockedNanos(row) <= t.runMillis(row) * 1000000L && t.inputBlockedNanos(row) > 1000000L, line)
        assertEquals(s" HOST=(\\S+)".r.findFirstMatchIn(line).get.group(1), trace.host(row))
      }
      assertEquals(trace.jobs.size, 1)
      assertEquals(
        trace.jobs.head.submissionMillis,
        lines.map(l => "START_TIME=(\\d+)".r.findFirstMatchIn(l).get.group(1).toLong).min
      )
      assertEquals(
        trace.jobs.head.completionMillis,
        lines.map(l => "FINISH_TIME=(\\d+)".r.findFirstMatchIn(l).get.group(1).toLong).max
      )
      assertEquals(trace.executors.size, 5)
      assertEquals(trace.intake.malformedLines, 0L)
      whole(trace)
    }

  private def whole(trace: Trace): Unit = {
    assert(trace.intake.ended)
    assert(!trace.intake.truncated)
    assertEquals(trace.stages.map(s => (s.id, s.numTasks)), Vector((2, 100)))
  }
}
