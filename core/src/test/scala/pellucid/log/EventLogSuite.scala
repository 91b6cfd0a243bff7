package pellucid.log

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.Files

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}

import pellucid.Samples._
import pellucid.report.{Analysis, Json}
import pellucid.trace.{Tasks, Trace}

/** Logs of real Spark against the sums that `src/test/logs/generate.py` made with Python's `json`, then what single events
  * mean, in logs written by hand.
  */
class EventLogSuite extends munit.FunSuite {
  import EventLogSuite._

  // ---- logs of real Spark

  private val expected = readFromArray(Files.readAllBytes(logs.resolve("expected.json")))(expectedCodec)

  test("every log of src/test/logs has its expected numbers, and there is one per codec") {
    val files = Files.list(logs)
    val names =
      try
        files.toArray.toSeq.map(_.asInstanceOf[java.nio.file.Path].getFileName.toString).filter(_.startsWith("spark-"))
      finally files.close()
    assertEquals(names.toSet, expected.keySet)
    assertEquals(expected.values.map(_.codec).toSet, Set("plain", "gzip", "zstd", "lz4", "snappy"))
  }

  for ((name, e) <- expected.toSeq.sortBy(_._1))
    test(s"$name: counts and sums are those of an independent reader") {
      val trace = readPath(logs.resolve(name))
      val rows = ended(trace)
      assertEquals(trace.application.sparkVersion, e.sparkVersion)

      val byReason = rows.groupBy(reasonOf(trace, _)).map { case (reason, of) => reason -> of.size }
      assertEquals(byReason, e.taskEndsByReason)
      assertEquals(rows.size, e.taskEnds)
      assertEquals(rows.count(trace.tasks.is(_, Tasks.Speculative)), e.speculativeTaskEnds)

      assertEquals(sum(trace)(_.runMillis(_).toLong), e.executorRunMillis)
      assertEquals(sum(trace)(_.cpuNanos(_)), e.executorCpuNanos)
      assertEquals(sum(trace)(_.gcMillis(_).toLong), e.jvmGcMillis)
      assertEquals(sum(trace)(_.fetchWaitMillis(_).toLong), e.fetchWaitMillis)
      assertEquals(sum(trace)(_.shuffleWriteBytes(_)), e.shuffleWriteBytes)
      assertEquals(sum(trace)(_.inputBytes(_)), e.inputBytes)
      assertEquals(sum(trace)(_.outputBytes(_)), e.outputBytes)
      assertEquals(rows.count(!trace.tasks.is(_, Tasks.CpuLogged)), e.taskEndsWithoutMetrics)

      assertEquals(trace.jobs.size, e.jobStarts)
      assertEquals(trace.jobs.count(_.ended), e.jobEnds)
      assertEquals(trace.stages.count(_.submissionMillis > 0), e.stagesSubmitted)
      assertEquals(trace.stages.count(_.ended), e.stagesCompleted)

      // what no end was written of still ran; a Resubmitted record repeats an attempt whose start and end are there already
      val running = (0 until trace.tasks.size).filterNot(rows.contains(_))
      assertEquals(running.size, e.taskStarts - (e.taskEnds - e.taskEndsByReason.getOrElse("Resubmitted", 0)))

      // the only lines of these logs that are no event are those that a killed driver left half written
      val killed = name.endsWith(".inprogress")
      assertEquals(trace.intake.lines, e.events.toLong + e.malformedLines)
      assertEquals(trace.intake.malformedLines, 0L)
      assertEquals(trace.intake.truncated, killed)
      assertEquals(trace.intake.ended, !killed)
      assertEquals(trace.intake.unknownEvents.keySet.filter(_.startsWith("SparkListener")), Set.empty[String])
      assertEquals(trace.intake.bytes, textOf(logs.resolve(name)).length.toLong)
    }

  test("the parts of a rolled log, in their order, make the same trace as one file of all their lines") {
    val rolled = logs.resolve("spark-4.0.5-rolling")
    val parts = eventFiles(rolled)
    assertEquals(parts.size, 3)
    assertEquals(describe(readPath(rolled)), describe(read(textOf(rolled))))
  }

  test(
    "tasks that ran when the driver was killed are rows after those that ended, and last until the log's last moment"
  ) {
    val trace = readPath(logs.resolve("spark-4.0.5-killed.inprogress"))
    assertEquals(ended(trace), 0 until 5)
    val starts = linesOf(logs.resolve("spark-4.0.5-killed.inprogress")).flatMap(SlowJson.parse)
      .filter(SlowJson.text(_, "Event") == "SparkListenerTaskStart").map(_ -> "Task Info")
    val ids = (0 until 5).map(trace.tasks.taskId(_))
    val left = starts.filterNot { case (s, info) => ids.contains(SlowJson.long(s, info, "Task ID")) }
    assertEquals(
      (5 until 8).map(trace.tasks.taskId(_)),
      left.map { case (s, info) => SlowJson.long(s, info, "Task ID") }
    )
    assertEquals(
      (5 until 8).map(trace.tasks.launchMillis(_)),
      left.map { case (s, info) => SlowJson.long(s, info, "Launch Time") }
    )
    assertEquals((5 until 8).map(trace.tasks.outcome(_)), Seq.fill(3)(Tasks.Running))
    assertEquals((5 until 8).map(trace.tasks.finishMillis(_)), Seq.fill(3)(trace.endMillis))
    assert(trace.jobs.forall(!_.ended))
  }

  test("a speculative copy and the attempt killed for it") {
    val trace = readPath(logs.resolve("spark-4.3.0-speculation.zstd"))
    val copy = ended(trace).filter(trace.tasks.is(_, Tasks.Speculative))
    val killed = ended(trace).filter(trace.tasks.outcome(_) == Tasks.Killed)
    assertEquals((copy.size, killed.size), (1, 1))
    assertEquals(trace.tasks.index(copy.head), trace.tasks.index(killed.head))
    assert(trace.tasks.succeeded(copy.head))
    assertEquals(trace.reasons(trace.tasks.reason(killed.head)), "TaskKilled: another attempt succeeded")
    assertEquals(trace.tasks.runMillis(killed.head), 6023)
  }

  test("an executor that died: its loss is the reason of its tasks, and stages are tried again") {
    val trace = readPath(logs.resolve("spark-4.0.5-executor-lost.zstd"))
    assert(trace.reasons.contains("ExecutorLostFailure: Command exited with code 137"), trace.reasons)
    assertEquals(trace.stages.map(_.attempt).max, 1)
    assertEquals(trace.executors.count(_.removedMillis > 0), trace.executors.count(_.removedReason.nonEmpty))
    assert(trace.executors.exists(_.removedMillis > 0))
  }

  test("a job that failed tells the first line of why") {
    val trace = readPath(logs.resolve("spark-3.5.9-failed-tasks.zstd"))
    assertEquals(trace.jobs.map(_.failure.isDefined), Vector(false, true))
    assert(
      clue(trace.jobs(1).failure.get).startsWith("Job aborted due to stage failure: Task 2 in stage 2.0 failed 4 times")
    )
    assert(!trace.jobs(1).failure.get.contains("\n"))
  }

  // ---- one event at a time

  test("all that a TaskEnd of today's Spark tells") {
    val trace = readLines(taskEnd(
      id = 77,
      stage = 4,
      stageAttempt = 1,
      launch = 10000,
      finish = 10900,
      executor = "12",
      attempt = 3,
      flags = """"Speculative":true,"Getting Result Time":10750""",
      metrics = """{"Executor Deserialize Time":1,"Executor Deserialize CPU Time":99,"Executor Run Time":2,""" +
        """"Executor CPU Time":3,"Peak Execution Memory":99,"Result Size":99,"JVM GC Time":4,"Result Serialization Time":5,""" +
        """"Memory Bytes Spilled":6,"Disk Bytes Spilled":7,"Shuffle Read Metrics":{"Remote Blocks Fetched":99,""" +
        """"Local Blocks Fetched":99,"Fetch Wait Time":8,"Remote Bytes Read":9,"Remote Bytes Read To Disk":99,""" +
        """"Local Bytes Read":10,"Total Records Read":11,"Remote Requests Duration":99,"Push Based Shuffle":""" +
        """{"Corrupt Merged Block Chunks":99,"Merged Remote Bytes Read":99,"Merged Local Bytes Read":99}},""" +
        """"Shuffle Write Metrics":{"Shuffle Bytes Written":12,"Shuffle Write Time":13,"Shuffle Records Written":99},""" +
        """"Input Metrics":{"Bytes Read":14,"Records Read":15},"Output Metrics":{"Bytes Written":16,"Records Written":99},""" +
        """"Updated Blocks":[{"Block ID":"rdd_1_0","Status":{"Storage Level":{"Use Disk":true},"Memory Size":99}}]}"""
    ))
    assertEquals(
      rows(trace).map(_.toMap),
      Vector(Map[String, Any](
        "taskId" -> 77L,
        "stage" -> "4.1",
        "index" -> 77,
        "attempt" -> 3,
        "executor" -> "12",
        "reason" -> "",
        "flags" -> (Tasks.Success | (2 << Tasks.LocalityShift) | Tasks.Speculative | Tasks.CpuLogged),
        "launchMillis" -> 10000L,
        "durationMillis" -> 900, // 10900 - 10000
        "gettingResultMillis" -> 150, // 10900 - 10750
        "deserializeMillis" -> 1,
        "runMillis" -> 2,
        "cpuNanos" -> 3L,
        "gcMillis" -> 4,
        "resultSerializeMillis" -> 5,
        "memorySpilledBytes" -> 6L,
        "diskSpilledBytes" -> 7L,
        "fetchWaitMillis" -> 8,
        "shuffleRemoteBytes" -> 9L,
        "shuffleLocalBytes" -> 10L,
        "shuffleWriteBytes" -> 12L,
        "shuffleWriteNanos" -> 13L,
        "inputBytes" -> 14L,
        "inputRecords" -> 15L,
        "outputBytes" -> 16L,
        "inputBlockedNanos" -> 0L,
        "outputBlockedNanos" -> 0L,
        "localReadNanos" -> 0L,
        "shuffleWriteBlockedNanos" -> 0L,
        "spillBlockedNanos" -> 0L,
        "remoteBlockedNanos" -> 0L,
        "metadataNanos" -> 0L,
        "cpuQueueNanos" -> 0L,
        "fetchCpuQueueNanos" -> 0L,
        "pythonWorkerNanos" -> 0L,
        "driverWaitNanos" -> 0L,
        "lockWaitNanos" -> 0L,
        "scanNanos" -> 0L,
        "pythonNanos" -> 0L
      ))
    )
    assertEquals(Tasks.LocalityNames(trace.tasks.locality(0)), "NODE_LOCAL")
    assertEquals(trace.host(0), "h12")
  }

  test("Spark 1.x: no CPU time, no attempt of the stage, no shuffle read, a read method") {
    val trace = readLines(
      """{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"<driver>","Host":"d","Port":1},"Maximum Memory":1,"Timestamp":1}""",
      """{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"0","Host":"worker","Port":1},"Maximum Memory":1,"Timestamp":950}""",
      """{"Event":"SparkListenerApplicationStart","App Name":"old","Timestamp":900,"User":"me"}""",
      """{"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[0]}""",
      """{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Name":"count","Number of Tasks":1,"RDD Info":[{"RDD ID":1,"Name":"text","Number of Partitions":1}]}}""",
      """{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":""" +
        """{"Task ID":5,"Index":2,"Launch Time":1000,"Executor ID":"0","Host":"worker","Locality":"ANY","Getting Result Time":0,""" +
        """"Finish Time":1600,"Failed":false,"Serialized Size":0},"Task Metrics":{"Host Name":"worker","Executor Deserialize Time":30,""" +
        """"Executor Run Time":500,"Result Size":1000,"JVM GC Time":20,"Result Serialization Time":1,"Memory Bytes Spilled":0,""" +
        """"Disk Bytes Spilled":0,"Shuffle Write Metrics":{"Shuffle Bytes Written":70,"Shuffle Write Time":8},""" +
        """"Input Metrics":{"Data Read Method":"Hadoop","Bytes Read":4096}}}""",
      """{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Name":"count","Number of Tasks":1,"RDD Info":[],"Submission Time":990,"Completion Time":1650}}""",
      """{"Event":"SparkListenerJobEnd","Job ID":0,"Job Result":{"Result":"JobSucceeded"}}"""
    )
    assertEquals(trace.intake.malformedLines, 0L)
    val t = trace.tasks
    assertEquals(
      (t.size, t.taskId(0), t.index(0), t.attempt(0), t.launchMillis(0), t.durationMillis(0)),
      (1, 5L, 2, 0, 1000L, 600)
    )
    assertEquals((t.deserializeMillis(0), t.runMillis(0), t.gcMillis(0), t.resultSerializeMillis(0)), (30, 500, 20, 1))
    assertEquals((t.cpuNanos(0), t.is(0, Tasks.CpuLogged)), (0L, false))
    assertEquals(
      (t.inputBytes(0), t.shuffleReadBytes(0), t.shuffleWriteBytes(0), t.shuffleWriteNanos(0)),
      (4096L, 0L, 70L, 8L)
    )
    val s = trace.stages.head
    assertEquals(
      (s.id, s.attempt, s.name, s.submissionMillis, s.completionMillis),
      (0, 0, "count", 990L, 1650L)
    )
    assertEquals(trace.executors.map(e => (e.id, e.host, e.cores, e.slots)), Vector(("0", "worker", 0, 0)))
    // the job's moments are the log's when it comes to them: the executor's at its start, the stage's at its end
    assertEquals(trace.jobs.map(j => (j.submissionMillis, j.completionMillis)), Vector((950L, 1650L)))
    assertEquals(Analysis.report(trace).application.seconds, 0.75)
    assertEqualsDouble(Analysis.report(trace).completion.simulatedSeconds, 0.75, 0.001)
  }

  test("Databricks' first line is an event unknown to Spark, and counted as such") {
    val trace = readLines(
      """{"Event":"DBCEventLoggingListenerMetadata","Rollover Number":0,"Driver Hostname":"d"}""",
      logStart,
      taskEnd(1)
    )
    assertEquals(trace.intake.unknownEvents, Map("DBCEventLoggingListenerMetadata" -> 1L))
    assertEquals((trace.intake.malformedLines, trace.tasks.size, trace.application.sparkVersion), (0L, 1, "4.1.0"))
  }

  test("events of classes that are not Spark's are counted by class, over all files") {
    val other =
      """{"Event":"com.example.Custom","Task Info":{"Task ID":1},"nested":[{"Event":"SparkListenerTaskEnd"}]}"""
    val trace = read(Seq(other, taskEnd(1), other).mkString("\n").getBytes(UTF_8), s"$other\n".getBytes(UTF_8))
    assertEquals(trace.intake.unknownEvents, Map("com.example.Custom" -> 3L))
    assertEquals((trace.tasks.size, trace.intake.malformedLines, trace.intake.lines), (1, 0L, 4L))
  }

  test("Spark's own events that hold nothing of interest are not called unknown") {
    val trace = readLines(
      """{"Event":"SparkListenerBlockUpdated","Block Updated Info":{"Block Manager ID":{"Executor ID":"ghost"}}}""",
      """{"Event":"SparkListenerExecutorMetricsUpdate","Executor ID":"ghost","Metrics Updated":[]}""",
      taskEnd(1)
    )
    assertEquals(trace.intake.unknownEvents, Map.empty[String, Long])
    assertEquals(trace.executors.map(_.id), Vector("1"))
  }

  test("the class of an event may stand anywhere in its object") {
    def moved(line: String) = """\{("Event":"[^"]*"),(.*)\}""".r.replaceAllIn(line, "{$2,$1}")
    val lines = Seq(
      jobStart(0, 950, 0),
      stageSubmitted(0),
      taskStart(1),
      taskEnd(1),
      taskStart(2),
      stageCompleted(0),
      jobEnd(0, 2100)
    )
    assertNotEquals(lines.map(moved), lines)
    val (first, last) = (readLines(lines: _*), readLines(lines.map(moved): _*))
    assertEquals(describe(last), describe(first))
    assertEquals(readLines(lines.flatMap(l => Seq(l, moved(l))): _*).intake.malformedLines, 0L)
  }

  test("an \"Event\" inside another value is not the event's class") {
    val trace = readLines(
      """{"Info":{"Event":"SparkListenerTaskEnd"},"Text":"\"Event\":\"SparkListenerTaskEnd\"","Event":"x.Y"}""",
      taskEnd(1)
    )
    assertEquals(trace.intake.unknownEvents, Map("x.Y" -> 1L))
    assertEquals(trace.tasks.size, 1)
  }

  test("white space between the parts of an event changes nothing") {
    val spaced =
      taskEnd(1, accumulables = """{"ID":1,"Name":"n","Update":3}""").replaceAll("""([\{\}\[\]:,])""", " $1\t ")
    assertEquals(rows(readLines(spaced)), rows(readLines(taskEnd(1))))
  }

  // ---- lines

  test("empty lines and \\r\\n are no events and no mistakes") {
    val text = s"\n\r\n$logStart\r\n \t\r\n${taskEnd(1)}\r\n\r\n${taskEnd(2)}\r\n\n"
    val trace = read(text.getBytes(UTF_8))
    assertEquals((trace.tasks.size, trace.intake.malformedLines, trace.intake.truncated), (2, 0L, false))
    assertEquals(trace.intake.lines, 8L)
    assertEquals(rows(trace), rows(readLines(taskEnd(1), taskEnd(2))))
  }

  test("lines that are no event are counted, the first five quoted with their numbers, and the rest still read") {
    val bad = Seq(
      "no json",
      "{\"Event\":",
      "[]",
      "{\"Timestamp\":5}",
      "{\"Event\":\"SparkListenerTaskEnd\",}",
      "}",
      "\u0000\u0001"
    )
    // 1: log start; 2, 4, … 14: bad; 3, 5, … 15: tasks
    val trace = readLines(logStart +: bad.zipWithIndex.flatMap { case (line, i) => Seq(line, taskEnd(i + 1L)) }: _*)
    assertEquals(trace.intake.malformedLines, 7L)
    assertEquals(trace.intake.malformedExamples.map(_.takeWhile(_ != ':')), Seq(2, 4, 6, 8, 10).map(n => s"line $n"))
    assertEquals(ended(trace).map(trace.tasks.taskId(_)), (1 to 7).map(_.toLong))
    assertEquals((trace.intake.lines, trace.intake.truncated), (15L, false))
  }

  test("line numbers go on over the parts of a rolled log") {
    val trace = read(s"$logStart\n${taskEnd(1)}\n".getBytes(UTF_8), s"${taskEnd(2)}\njunk\n".getBytes(UTF_8))
    assertEquals(trace.intake.malformedExamples.map(_.takeWhile(_ != ':')), Seq("line 4"))
  }

  test("binary junk between events costs its lines and nothing else") {
    val random = new scala.util.Random(1)
    val junk = Seq.fill(50)(Array.fill(random.nextInt(3000))(random.nextInt(256).toByte).map(b =>
      if (b == '\n') 0.toByte else b
    ))
    val out = new ByteArrayOutputStream
    junk.zipWithIndex.foreach { case (bytes, i) =>
      out.write(bytes); out.write('\n'); out.write(s"${taskEnd(i.toLong)}\n".getBytes(UTF_8))
    }
    val trace = read(out.toByteArray)
    assertEquals(ended(trace).map(trace.tasks.taskId(_)), (0 until 50).map(_.toLong))
    assertEquals(trace.intake.malformedLines, junk.count(!_.forall(b => b == ' ' || b == '\t' || b == '\r')).toLong)
  }

  test("an end cut off is a truncation, not a malformed line, and leaves nothing of the event") {
    val whole = Seq(logStart, taskStart(1), taskEnd(1), taskStart(2))
    val cut =
      taskEnd(2, stage = 9, executor = "ghost", reason = """{"Reason":"ExceptionFailure","Class Name":"x.Ghost"}""")
    for (length <- 1 until cut.length) {
      val trace = read((whole.mkString("\n") + "\n" + cut.take(length)).getBytes(UTF_8))
      assert(trace.intake.truncated)
      assertEquals(trace.intake.malformedLines, 0L)
      assertEquals(rows(trace), rows(readLines(whole: _*)), cut.take(length))
    }
  }

  test("a last event without a line end is an event") {
    val trace = read(s"${taskEnd(1)}\n${taskEnd(2)}".getBytes(UTF_8))
    assertEquals((trace.tasks.size, trace.intake.truncated, trace.intake.lines), (2, false, 2L))
  }

  /** A log with a TaskEnd cut off after each number of its bytes, the next event behind it, and the same without it. */
  private def halfWritten(check: (Trace, Trace) => Unit): Unit = {
    val cut =
      taskEnd(2, stage = 9, executor = "ghost", reason = """{"Reason":"ExceptionFailure","Class Name":"x.Ghost"}""")
    val without = readLines(logStart, taskEnd(1), taskEnd(3))
    for (length <- 1 until cut.length) {
      val trace = readLines(logStart, taskEnd(1), cut.take(length), taskEnd(3))
      assertEquals(trace.intake.malformedLines, 1L)
      check(trace, without)
    }
  }

  test("a half-written TaskEnd leaves no row and no stage") {
    halfWritten { (trace, without) =>
      assertEquals(rows(trace), rows(without))
      assertEquals(trace.stages.map(_.id), without.stages.map(_.id))
    }
  }

  test("a half-written TaskEnd leaves no executor and no reason") {
    halfWritten((trace, without) => assertEquals(describe(trace.copy(intake = without.intake)), describe(without)))
  }

  test("an event with something after it is malformed as a whole") {
    for (bad <- Seq(taskEnd(2) + "}", taskEnd(2) + taskEnd(3), taskEnd(2) + " x")) {
      val trace = readLines(logStart, taskEnd(1), bad, taskEnd(4))
      assertEquals(trace.intake.malformedLines, 1L)
      assertEquals(ended(trace).map(trace.tasks.taskId(_)), Vector(1L, 4L), bad)
    }
  }

  test("a malformed event of the application changes nothing either") {
    val base = Seq(logStart, applicationStart, executorAdded("1", 4), jobStart(0, 950, 0), taskEnd(1))
    val clean = readLines(base: _*)
    val bad = Seq(
      """{"Event":"SparkListenerLogStart","Spark Version":"9.9"""",
      """{"Event":"SparkListenerApplicationEnd","Timestamp":9999""",
      applicationEnd + "}",
      """{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.task.cpus":"4"},"x"}""",
      """{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.task.cpus":"4"}}}""",
      jobStart(0, 7777, 5) + "]",
      jobEnd(0, 7777) + "x",
      stageSubmitted(7) + "x",
      executorAdded("2", 4) + "x",
      """{"Event":"SparkListenerExecutorRemoved","Timestamp":1000,"Executor ID":"1","Removed Reason":"r"}}""",
      taskStart(9) + "}"
    )
    for (line <- bad) {
      val trace = readLines(base :+ line: _*)
      assertEquals(trace.intake.malformedLines, 1L, line)
      assertEquals(describe(trace.copy(intake = clean.intake)), describe(clean), line)
      assertEquals(trace.intake.ended, clean.intake.ended, line)
    }
  }

  test("what holds no event is no event log, and says why") {
    for (
      text <- Seq(
        "",
        "\n\n",
        "hello\nworld\n",
        "{}",
        "{\"a\":1}\n",
        "PK\u0003\u0004junk",
        "[{\"Event\":\"SparkListenerLogStart\"}]"
      )
    )
      intercept[NotAnEventLog](read(text.getBytes(ISO_8859_1)))
    intercept[NotAnEventLog](read())
    intercept[NotAnEventLog](read(Array.emptyByteArray, Array.emptyByteArray))
    assert(clue(intercept[NotAnEventLog](read("\nhello\n".getBytes(UTF_8))).getMessage).contains("line 2"))
    assert(clue(intercept[NotAnEventLog](read("hello".getBytes(UTF_8))).getMessage).contains("line 1"))
    assert(clue(intercept[NotAnEventLog](read()).getMessage).contains("it is empty"))
  }

  for (name <- Seq("spark-2.4.8-gzip.gz", "spark-2.4.8-lz4.lz4", "spark-3.5.9-snappy.snappy", "spark-4.3.0-zstd.zstd"))
    test(s"$name cut within its first 40 bytes is no event log either") {
      val bytes = Files.readAllBytes(logs.resolve(name))
      for (n <- 0 to 40) intercept[NotAnEventLog](read(bytes.take(n)))
    }

  for (name <- Seq("spark-2.4.8-gzip.gz", "spark-3.5.9-snappy.snappy", "spark-4.3.0-zstd.zstd"))
    test(s"a part of a rolled log that stops within its first bytes does not cost the others: $name") {
      val parts = eventFiles(logs.resolve("spark-4.0.5-rolling")).map(Files.readAllBytes(_))
      for (n <- Seq(9, 12)) {
        val trace = read(parts :+ Files.readAllBytes(logs.resolve(name)).take(n): _*)
        assertEquals(trace.tasks.size, 60)
        assertEquals(trace.application.sparkVersion, "4.0.5")
      }
    }

  test("every file is opened once, in its turn, and closed, also when nothing in it is an event") {
    var opened = 0
    var closed = 0
    def file(text: String): () => InputStream = () => {
      assertEquals(opened, closed, "opened before the one before it was closed")
      opened += 1
      new ByteArrayInputStream(text.getBytes(UTF_8)) { override def close(): Unit = closed += 1 }
    }
    EventLog.read(Iterator.fill(3)(file(taskEnd(1))))
    assertEquals((opened, closed), (3, 3))
    intercept[NotAnEventLog](EventLog.read(Iterator(file("junk"))))
    assertEquals((opened, closed), (4, 4))
  }

  test("logs of two applications, one after the other, are said to be that") {
    def notes(ids: String*) = read(ids.map(id =>
      s"""{"Event":"SparkListenerApplicationStart","App Name":"n","App ID":"$id","Timestamp":1000,"User":"u"}\n"""
    ).mkString.getBytes(UTF_8)).intake.notes
    assert(notes("app-1", "app-2").exists(_.startsWith("this is several logs")))
    assertEquals(notes("app-1", "app-1"), Nil) // a compacted log and the parts after it have the same start
    assert(notes(
      "app-1\",\"App Attempt ID\":\"1",
      "app-1\",\"App Attempt ID\":\"2"
    ).nonEmpty) // that the user started again
  }

  test("a line of many megabytes is read like any other") {
    val name = "x" * (5 << 20)
    val trace = readLines(logStart, taskEnd(1, accumulables = s"""{"ID":1,"Name":"$name","Update":1}"""), taskEnd(2))
    assertEquals(ended(trace).map(trace.tasks.taskId(_)), Vector(1L, 2L))
  }

  // ---- how tasks end

  test("reasons and outcomes") {
    val reasons = Seq(
      """{"Reason":"Success"}""" -> ((Tasks.Success, "")),
      """{"Reason":"ExceptionFailure","Class Name":"java.io.IOException","Description":"d","Stack Trace":[{"Declaring Class":"a","Line Number":1}],"Full Stack Trace":"x\n\tat y","Accumulator Updates":[]}""" ->
        ((Tasks.Failed, "ExceptionFailure: java.io.IOException")),
      """{"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"2","Host":"h","Port":1},"Shuffle ID":1,"Map ID":2,"Reduce ID":3,"Message":"m"}""" ->
        ((Tasks.Failed, "FetchFailed")),
      """{"Reason":"ExecutorLostFailure","Executor ID":"7","Exit Caused By App":true,"Loss Reason":"Container killed\nby YARN"}""" ->
        ((Tasks.Failed, "ExecutorLostFailure: Container killed")),
      """{"Reason":"TaskKilled","Kill Reason":"another attempt succeeded"}""" ->
        ((Tasks.Killed, "TaskKilled: another attempt succeeded")),
      """{"Reason":"TaskKilled"}""" -> ((Tasks.Killed, "TaskKilled")),
      """{"Reason":"TaskCommitDenied","Job ID":1,"Partition ID":2,"Attempt Number":3}""" ->
        ((Tasks.Killed, "TaskCommitDenied")),
      """{"Reason":"Resubmitted"}""" -> ((Tasks.Resubmitted, "Resubmitted")),
      """{"Reason":"TaskResultLost"}""" -> ((Tasks.Failed, "TaskResultLost")),
      """{"Reason":"UnknownReason"}""" -> ((Tasks.Failed, "UnknownReason"))
    )
    val trace = readLines(reasons.zipWithIndex.map { case ((json, _), i) => taskEnd(i.toLong, reason = json) }: _*)
    assertEquals(trace.intake.malformedLines, 0L)
    for (((json, (outcome, reason)), row) <- reasons.zipWithIndex) {
      assertEquals(trace.tasks.outcome(row), outcome, json)
      assertEquals(trace.reasons(trace.tasks.reason(row)), reason, json)
    }
  }

  test("without a reason the flags of the task tell how it ended") {
    val ends =
      Seq(""""Failed":false,"Killed":false""", """"Failed":true,"Killed":false""", """"Failed":false,"Killed":true""")
    val trace = readLines(ends.zipWithIndex.map { case (end, i) => taskEnd(i.toLong, reason = "null", end = end) }: _*)
    assertEquals((0 to 2).map(trace.tasks.outcome(_)), Seq(Tasks.Success, Tasks.Failed, Tasks.Killed))
  }

  test("null Task Metrics, or none, are a task without metrics") {
    val nulls = taskEnd(1, metrics = "null")
    val none = nulls.replace(""","Task Metrics":null""", "")
    val noExecutorMetrics = nulls.replace(""""Task Executor Metrics":{"JVMHeapMemory":1},""", "")
    for (line <- Seq(nulls, none, noExecutorMetrics)) {
      val trace = readLines(taskEnd(0), line, taskEnd(2))
      assertEquals((0 to 2).map(trace.tasks.runMillis(_)), Seq(900, 0, 900), line)
      assertEquals((0 to 2).map(trace.tasks.is(_, Tasks.CpuLogged)), Seq(true, false, true), line)
      assertEquals(trace.tasks.durationMillis(1), 1000)
    }
  }

  test("a task that started and did not end runs until the log's last moment") {
    val trace = readLines(
      logStart,
      applicationStart,
      taskStart(1, launch = 1000),
      taskStart(2, launch = 1100),
      taskEnd(1, finish = 2500),
      taskStart(3, launch = 1050, stage = 4, executor = "x")
    )
    assertEquals((0 until 3).map(trace.tasks.taskId(_)), Seq(1L, 3L, 2L)) // what ran, in launch order
    assertEquals((0 until 3).map(trace.tasks.outcome(_)), Seq(Tasks.Success, Tasks.Running, Tasks.Running))
    assertEquals((1 to 2).map(trace.tasks.durationMillis(_)), Seq(1450, 1400)) // 2500 - 1050, 2500 - 1100
    assertEquals(trace.stages(trace.tasks.stage(1)).id, 4)
    assertEquals(trace.executors(trace.tasks.executor(1)).id, "x")
    assert(!trace.intake.ended)
  }

  test("a Resubmitted record is a row of its own, and no run") {
    val trace =
      readLines(taskStart(1), taskEnd(1), taskEnd(1, reason = """{"Reason":"Resubmitted"}""", metrics = "null"))
    assertEquals((0 until trace.tasks.size).map(trace.tasks.outcome(_)), Seq(Tasks.Success, Tasks.Resubmitted))
    assertEquals(trace.byLaunch.toSeq, Seq(0))
  }

  test("a task event without \"Task Info\" repeats nothing of the one before") {
    // Spark 1.x left it out where it no longer knew the task
    def without(line: String) = line.replaceFirst(""""Task Info":\{.*?"Accumulables":\[\]\},?""", "").replace(",}", "}")
    val trace = readLines(taskStart(1), taskEnd(1), without(taskStart(1)), without(taskEnd(1)), applicationEnd)
    val again = (0 until trace.tasks.size).filter(row =>
      trace.tasks.taskId(row) == 1 && trace.tasks.launchMillis(row) == 1000
    )
    assertEquals(again, Seq(0))
    assertEquals(ended(trace).count(trace.tasks.durationMillis(_) == 1000), 1)
  }

  // ---- accumulators

  private val nasty = Seq(
    "a]b",
    "a]}b",
    "]",
    "}",
    "{[",
    "a\\\"]",
    "\\\"]},\\\"Task Metrics\\\":{\\\"Executor Run Time\\\":1}",
    "]},\\\"Task Executor Metrics\\\":",
    "\\\\",
    "\\\\\\\"",
    "},{\\\"ID\\\":9,\\\"Update\\\":5",
    "é]}東",
    "\\u005d\\u007d",
    "a\\n]},\\n",
    "]},",
    "},{"
  )

  private def scan(id: Long, unit: String = "timing", name: String = "scan time") =
    s"""{"name":"$name","accumulatorId":$id,"metricType":"$unit"}"""

  private def sqlStart(metrics: String*) =
    s"""{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":3,"rootExecutionId":2,""" +
      s""""description":"q]","details":"d","physicalPlanDescription":"== Physical Plan ==\\n{[(","sparkPlanInfo":{"nodeName":"n",""" +
      s""""simpleString":"s","children":[{"nodeName":"Scan","simpleString":"s","children":[],"metadata":{},"metrics":""" +
      s"""${metrics.mkString(
          "[",
          ",",
          "]"
        )}}],"metadata":{},"metrics":[{"name":"number of output rows","accumulatorId":1,""" +
      s""""metricType":"sum"}]},"time":960,"modifiedConfigs":{}}"""

  private def accumulable(id: Long, name: String, update: String) =
    s"""{"ID":$id,"Name":"$name","Update":$update,"Value":"99","Internal":false,"Count Failed Values":true,"Metadata":"sql"}"""

  for (timed <- Seq(false, true))
    test(s"names of accumulators may hold anything${if (timed) ", also beside SQL's timings" else ""}") {
      val head = if (timed) Seq(sqlStart(scan(20), scan(21, "nsTiming"))) else Nil
      for (name <- nasty; metadata <- Seq("", ",\"Metadata\":\"]},\\\"Task \"")) {
        val user = s"""{"ID":5,"Name":"$name","Update":"$name","Value":["]}",{"a]":"}"}],"Internal":false$metadata}"""
        val all = Seq(
          accumulable(20, "scan time", "7"),
          user,
          accumulable(20, name, "\"1\""),
          user,
          accumulable(21, "scan time", "40")
        )
        val trace = readLines(head ++ Seq(taskEnd(1), taskEnd(2, accumulables = all.mkString(",")), taskEnd(3)): _*)
        assertEquals(trace.intake.malformedLines, 0L, name)
        assertEquals((0 to 2).map(trace.tasks.runMillis(_)), Seq(900, 900, 900), name)
        // (7 + 1) ms and 40 ns
        assertEquals((0 to 2).map(trace.tasks.scanNanos(_)), Seq(0L, if (timed) 8000040L else 0L, 0L), name)
      }
    }

  test("SQL's scan time in the words of Spark 2") {
    val name = "scan time total (min, med, max)"
    val trace = readLines(sqlStart(scan(20, name = name)), taskEnd(1, accumulables = accumulable(20, name, "12")))
    assertEquals(trace.tasks.scanNanos(0), 12000000L)
  }

  test("a job whose start the log has not is told") {
    val trace = readLines(environment(), jobStart(0, 1000, 0), jobEnd(0, 2000), jobEnd(1, 3000))
    assertEquals(trace.jobs.map(_.id), Vector(0))
    assert(trace.intake.notes.exists(_.startsWith("1 jobs have an end in this log, but no start")), trace.intake.notes)
  }

  test("Spark's own events by their classes' full names, as its log has those without a short one") {
    val excluded = "org.apache.spark.scheduler.SparkListenerExecutorExcluded"
    val trace = readLines(environment(), s"""{"Event":"$excluded","time":1,"executorId":"1","taskFailures":2}""")
    assertEquals(trace.intake.unknownEvents, Map.empty[String, Long])
  }

  test("SQL's scan time: milliseconds as \"timing\", nanoseconds as \"nsTiming\", updates as text or number") {
    val trace = readLines(
      sqlStart(scan(20), scan(21, "nsTiming"), scan(22, "size"), scan(23, name = "sort time")),
      taskEnd(1, accumulables = accumulable(20, "scan time", "\"12\"")),
      taskEnd(2, accumulables = accumulable(20, "scan time", "12")),
      taskEnd(3, accumulables = accumulable(21, "scan time", "\"12\"")),
      taskEnd(
        4,
        accumulables = accumulable(22, "scan time", "12") + "," + accumulable(23, "sort time", "12") + "," +
          accumulable(24, "scan time", "12")
      ),
      taskEnd(
        5,
        accumulables = accumulable(2, "x", "12") + "," + accumulable(20, "scan time", "3") + "," +
          accumulable(21, "scan time", "4")
      )
    )
    assertEquals((0 to 4).map(trace.tasks.scanNanos(_)), Seq(12000000L, 12000000L, 12L, 0L, 3000004L))
    assertEquals(trace.sql.map(q => (q.id, q.rootId, q.description, q.startMillis)), Vector((3L, 2L, "q]", 960L)))
  }

  test("the time of Python workers has its own column") {
    val trace = readLines(
      sqlStart(scan(30, name = "time to run Python workers"), scan(31, "nsTiming", "total time to run Python workers")),
      taskEnd(1, accumulables = accumulable(30, "p", "2") + "," + accumulable(31, "p", "\"5\""))
    )
    assertEquals((trace.tasks.pythonNanos(0), trace.tasks.scanNanos(0)), (2000005L, 0L))
  }

  test("a plan that adaptive execution changes brings its timings from then on") {
    val update = sqlStart(scan(40)).replace("SparkListenerSQLExecutionStart", "SparkListenerSQLAdaptiveExecutionUpdate")
    val metrics =
      """{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveSQLMetricUpdates","executionId":3,"sqlPlanMetrics":""" +
        s"[${scan(41, "nsTiming")}]}"
    def task(id: Long) =
      taskEnd(id, accumulables = accumulable(40, "scan time", "1") + "," + accumulable(41, "scan time", "2"))
    val trace = readLines(sqlStart(), task(1), update, task(2), metrics, task(3))
    assertEquals((0 to 2).map(trace.tasks.scanNanos(_)), Seq(0L, 1000000L, 1000002L))
    assertEquals(trace.sql.size, 1)
  }

  test("plans nest as deep as Spark makes them") {
    val deep = 1500
    val plan = """{"nodeName":"n","children":[""" * deep +
      s"""{"nodeName":"Scan","children":[],"metrics":[${scan(50)}]}""" +
      """],"metrics":[]}""" * deep
    val start =
      s"""{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":1,"sparkPlanInfo":$plan,"time":1}"""
    assertEquals(
      readLines(start, taskEnd(1, accumulables = accumulable(50, "scan time", "1"))).tasks.scanNanos(0),
      1000000L
    )
  }

  test("the end of an SQL execution, and why it failed") {
    def end(id: Int, error: String) =
      s"""{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":$id,"time":1234,"errorMessage":$error}"""
    val ok = readLines(sqlStart(), end(3, "\"\"")).sql.head
    assertEquals((ok.endMillis, ok.failure), (1234L, None))
    assertEquals(readLines(sqlStart(), end(3, "\"boom\\nat x\"")).sql.head.failure, Some("boom"))
    assertEquals(readLines(sqlStart(), end(3, "null"), end(8, "\"other\"")).sql.map(_.failure), Vector(None))
  }

  // ---- executors and slots

  private def environment(settings: (String, String)*) =
    settings.map { case (k, v) => s""""$k":"$v"""" }
      .mkString(
        """{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"spark.task.cpus":"77"},"Spark Properties":{""",
        ",",
        """},"System Properties":{"spark.task.cpus":"88"},"Classpath Entries":{}}"""
      )

  private def profile(
      id: Int,
      task: String,
      executor: String = """"gpu":{"Resource Name":"gpu","Amount":1,"Discovery Script":"","Vendor":""}"""
  ) =
    s"""{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":$id,"Executor Resource Requests":{$executor},""" +
      s""""Task Resource Requests":{$task}}"""

  private def amount(name: String, n: String) = s""""$name":{"Resource Name":"$name","Amount":$n}"""

  private def slots(lines: String*): Seq[Int] = readLines(lines :+ taskEnd(1): _*).executors.map(_.slots)

  test("an executor runs as many tasks at once as it has cores") {
    assertEquals(slots(executorAdded("1", 8)), Seq(8))
    assertEquals(slots(), Seq(0)) // the log does not say
  }

  test("spark.task.cpus = 2 lets 8 cores run 4 tasks at once") {
    assertEquals(slots(environment("spark.task.cpus" -> "2"), executorAdded("1", 8)), Seq(4))
    assertEquals(slots(environment("spark.task.cpus" -> "3"), executorAdded("1", 8)), Seq(2)) // 8 / 3 = 2.67
    assertEquals(
      slots(environment("spark.task.cpus" -> "8"), executorAdded("1", 4)),
      Seq(1)
    ) // it ran tasks all the same
    assertEquals(slots(environment("spark.other" -> "5"), executorAdded("1", 8)), Seq(8))
  }

  test("a quarter of the executor's one GPU for each task lets 8 cores run 4 tasks at once") {
    val quarter = profile(0, amount("cpus", "1.0") + "," + amount("gpu", "0.25"))
    assertEquals(slots(quarter, executorAdded("1", 8, more = ""","Resource Profile Id":0""")), Seq(4))
    assertEquals(slots(executorAdded("1", 8), quarter), Seq(4)) // whichever is logged first
  }

  test("a task's part of a GPU is of one of them: of two, 0.4 of one lets 4 tasks run at once") {
    val gpus = """"gpu":{"Resource Name":"gpu","Amount":2,"Discovery Script":"","Vendor":""}"""
    val part = profile(0, amount("cpus", "1.0") + "," + amount("gpu", "0.4"), gpus)
    assertEquals(
      slots(part, executorAdded("1", 8, more = ""","Resource Profile Id":0""")),
      Seq(4)
    ) // 2 * floor(1 / 0.4)
  }

  test("each executor has the slots of its own resource profile") {
    val events = Seq(
      environment("spark.task.cpus" -> "2"),
      profile(0, amount("cpus", "2.0")),
      profile(1, amount("cpus", "4.0")),
      profile(2, amount("cpus", "1.0") + "," + amount("gpu", "0.5")),
      executorAdded("1", 8, more = ""","Resource Profile Id":0"""),
      executorAdded("2", 8, more = ""","Resource Profile Id":1"""),
      executorAdded("3", 8, more = ""","Resource Profile Id":2""")
    )
    // 8 / 2, 8 / 4, min(8 / 1, 1 / 0.5)
    assertEquals(slots(events: _*), Seq(4, 2, 2))
  }

  test("executors come and go") {
    val trace = readLines(
      applicationStart,
      executorAdded("1", 4, at = 500),
      executorAdded("2", 2, at = 1500),
      """{"Event":"SparkListenerExecutorRemoved","Timestamp":1800,"Executor ID":"1","Removed Reason":"Container exited\nwith code 137"}""",
      """{"Event":"SparkListenerExecutorRemoved","Timestamp":1800,"Executor ID":"never seen","Removed Reason":"x"}""",
      taskEnd(1, executor = "2", launch = 1400)
    )
    // the driver logged 2's coming after the launch of a task on it
    assertEquals(
      trace.executors.map(e => (e.id, e.host, e.cores, e.addedMillis, e.removedMillis, e.removedReason)),
      Vector(
        ("1", "h1", 4, 500L, 1800L, "Container exited"),
        ("2", "h2", 2, 1400L, 0L, "")
      )
    )
  }

  test("the driver's block manager is no executor") {
    def added(id: String) =
      s"""{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"$id","Host":"h","Port":1},"Maximum Memory":1,"Timestamp":600}"""
    assertEquals(readLines(added("driver"), added("<driver>"), added("5")).executors.map(_.id), Vector("5"))
    // in local mode the driver is the executor, once it is added as one
    assertEquals(
      readLines(added("driver"), executorAdded("driver", 2)).executors.map(e => (e.id, e.cores)),
      Vector(("driver", 2))
    )
  }

  test("a block manager, which comes after its executor, leaves it its resource profile") {
    val manager =
      """{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"1","Host":"h","Port":1},"Maximum Memory":1,"Timestamp":600}"""
    val events =
      Seq(profile(1, amount("cpus", "4.0")), executorAdded("1", 8, more = ""","Resource Profile Id":1"""), manager)
    assertEquals(slots(events: _*), Seq(2)) // 8 / 4
  }

  test("a task without an end, which Spark's listener queue dropped, ended with its stage or its executor") {
    val events = Seq(
      executorAdded("1", 4, at = 500),
      executorAdded("2", 4, at = 500),
      stageSubmitted(0, at = 900),
      taskStart(1, stage = 0, launch = 1000),
      taskStart(2, stage = 0, launch = 1000, executor = "2"),
      """{"Event":"SparkListenerExecutorRemoved","Timestamp":1800,"Executor ID":"2","Removed Reason":"x"}""",
      stageCompleted(0, from = 900, to = 2000)
    )
    def durations(trace: Trace) = (0 until trace.tasks.size).map(trace.tasks.durationMillis(_))
    val whole = readLines(applicationStart +: events :+ stageSubmitted(1, at = 2900) :+ applicationEnd: _*)
    assertEquals(durations(whole), Seq(1000, 800))
    assert(whole.intake.notes.exists(_.startsWith("2 task attempts have no end in this log")), whole.intake.notes)
    val cut = readLines(events.dropRight(1) :+ stageSubmitted(1, at = 2900): _*) // its stage may still run
    assertEquals(durations(cut), Seq(1900, 800))
    assertEquals(cut.intake.notes, Nil)
  }

  // ---- jobs, stages, the application

  test("a job's failure is the first line of its exception's message") {
    val failed =
      """{"Result":"JobFailed","Exception":{"Message":"Job aborted: \"x\"\nDriver stacktrace:","Stack Trace":[{"Declaring Class":"a"}]}}"""
    val trace = readLines(
      jobStart(0, 10, 0),
      jobStart(1, 11, 1),
      jobStart(2, 12, 2),
      jobEnd(1, 20, failed),
      jobEnd(0, 30),
      jobEnd(2, 40, """{"Result":"JobFailed","Exception":null}"""),
      jobEnd(99, 50)
    )
    assertEquals(
      trace.jobs.map(j => (j.id, j.submissionMillis, j.completionMillis, j.failure)),
      Vector(
        (0, 10L, 30L, None),
        (1, 11L, 20L, Some("Job aborted: \"x\"")),
        (2, 12L, 40L, Some("failed"))
      )
    )
  }

  test("a failure's reason is its first line that says something, of whole characters") {
    def reason(message: String) = {
      val failed = s"""{"Result":"JobFailed","Exception":{"Message":"$message","Stack Trace":[]}}"""
      readLines(jobStart(0, 10, 0), jobEnd(0, 20, failed)).jobs.head.failure
    }
    assertEquals(reason("\\n[PARSE_SYNTAX_ERROR] x\\ny"), Some("[PARSE_SYNTAX_ERROR] x"))
    assertEquals(reason("x" * 199 + "\\ud83d\\ude00z"), Some("x" * 199 + "\ud83d\ude00"))
    assertEquals(reason("half of one: \\ud83d."), Some("half of one: ?."))
    val report = Analysis.report(readLines(jobStart(0, 10, 0), taskEnd(1), jobEnd(0, 20)))
    assert(Json.write(report).nonEmpty)
  }

  test("a ZIP and LZF are named") {
    for ((magic, name) <- Seq("PK\u0003\u0004" -> "ZIP", "ZV\u0001" -> "LZF")) {
      val e = intercept[NotAnEventLog](
        EventLog.read(Iterator(() => new java.io.ByteArrayInputStream(magic.getBytes("ISO-8859-1"))))
      )
      assert(e.reason.contains(name), e.reason)
    }
  }

  test("events of streaming queries, Spark Connect and the Thrift server are Spark's own") {
    val trace = readLines(
      """{"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent","progress":{}}""",
      """{"Event":"org.apache.spark.sql.connect.service.SparkListenerConnectOperationStarted","jobTag":"x"}""",
      """{"Event":"org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerSessionCreated","ip":"x"}""",
      taskEnd(1)
    )
    assertEquals(trace.intake.unknownEvents, Map.empty[String, Long])
  }

  test("a job knows its stages, its description and its SQL execution") {
    val start = jobStart(4, 10, 7, 8).dropRight(1) +
      ""","Properties":{"spark.rdd.scope":"{\"id\":\"1\"}","spark.job.description":"my \"job\"","spark.sql.execution.id":"12"}}"""
    val trace = readLines(start, jobStart(5, 11, 8), stageSubmitted(7), stageSubmitted(8), stageSubmitted(9))
    val job = trace.jobs.head
    assertEquals((job.stageIds.toSeq, job.description, job.sqlExecution), (Seq(7, 8), Some("my \"job\""), Some(12L)))
    assertEquals((trace.jobs(1).description, trace.jobs(1).sqlExecution), (None, None))
    assertEquals(trace.stages.map(s => s.id -> s.jobs.toSeq), Vector(7 -> Seq(0), 8 -> Seq(0, 1), 9 -> Nil))
  }

  test("attempts of a stage are rows of their own, with their own tasks") {
    val trace = readLines(
      stageSubmitted(3, at = 900),
      taskEnd(1, stage = 3),
      stageCompleted(3, from = 900, to = 2000, more = ""","Failure Reason":"FetchFailure\nlong story""""),
      stageSubmitted(3, attempt = 1, at = 2100),
      taskEnd(2, stage = 3, stageAttempt = 1, launch = 2200, finish = 2300),
      taskEnd(3, stage = 3, stageAttempt = 0, launch = 1900, finish = 2400), // a straggler of the first attempt
      stageCompleted(3, attempt = 1, from = 2100, to = 2500)
    )
    assertEquals(
      trace.stages.map(s => (s.id, s.attempt, s.submissionMillis, s.completionMillis, s.failure)),
      Vector(
        (3, 0, 900L, 2000L, Some("FetchFailure")),
        (3, 1, 2100L, 2500L, None)
      )
    )
    assertEquals(trace.tasksOfStage.map(_.map(trace.tasks.taskId(_)).toSeq).toSeq, Seq(Seq(1L, 3L), Seq(2L)))
  }

  test("a stage submitted and not completed has its name, parents and size") {
    val line =
      """{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":2,"Stage Attempt ID":0,"Stage Name":"a \"b\" at C.scala:1",""" +
        """"Number of Tasks":17,"RDD Info":[{"RDD ID":5,"Name":"x","Scope":"{\"id\":\"3\",\"name\":\"no\"}","Parent IDs":[1],"Storage Level":{}},{"RDD ID":4,"Name":"y"},{"RDD ID":3,"Name":"x"}],""" +
        """"Parent IDs":[0,1],"Details":"org.x\n[]{}","Accumulables":[],"Resource Profile Id":0}}"""
    val s = readLines(line).stages.head
    assertEquals(
      (s.name, s.numTasks, s.parentIds.toSeq, s.submissionMillis, s.ended),
      ("a \"b\" at C.scala:1", 17, Seq(0, 1), 0L, false)
    )
  }

  test("the application's name, times and settings") {
    val trace = readLines(
      logStart,
      environment("spark.master" -> "yarn", "spark.app.secret" -> "hidden"),
      applicationStart,
      applicationEnd
    )
    val a = trace.application
    assertEquals(
      (a.id, a.name, a.user, a.sparkVersion, a.startMillis, a.endMillis),
      ("app-1", "name", "user", "4.1.0", 400L, 3000L)
    )
    assertEquals(a.properties, Map("spark.master" -> "yarn"))
    assert(trace.intake.ended)
  }

  test("texts beyond ASCII, and ids with escapes, stay what they are") {
    val trace = readLines(
      applicationStart.replace("\"name\"", "\"Größe \\u6771京 \\\"x\\\"\""),
      taskEnd(1, executor = "é"),
      taskEnd(2, executor = "a\\\"b"),
      taskEnd(3, executor = "a\\\"b"),
      taskEnd(4, executor = "\\u00e9")
    )
    assertEquals(trace.application.name, "Größe 東京 \"x\"")
    assertEquals((0 to 3).map(row => trace.executors(trace.tasks.executor(row)).id), Seq("é", "a\"b", "a\"b", "é"))
    assertEquals(trace.executors.size, 2)
  }

  test("ids at the ends of their ranges do not break the reader") {
    val trace = readLines(
      taskEnd(Long.MinValue),
      taskEnd(Long.MaxValue),
      taskStart(Long.MinValue),
      jobStart(Int.MinValue, -5, Int.MaxValue)
    )
    assertEquals((trace.tasks.size, trace.jobs.size), (3, 1))
  }

  test("a stage -1, attempt -1, is a stage like any other, also as the first") {
    val trace = readLines(stageSubmitted(-1, attempt = -1), taskEnd(-1, stage = -1, stageAttempt = -1))
    assertEquals(trace.stages.map(s => (s.id, s.attempt)), Vector((-1, -1)))
    assertEquals(trace.tasksOfStage.map(_.toSeq).toSeq, Seq(Seq(0)))
  }

  test("durations beyond 32 bits of milliseconds are kept at the largest, and negative ones at zero") {
    val trace =
      readLines(taskEnd(1, launch = 1000, finish = 1000 + 40L * 86400000), taskEnd(2, launch = 2000, finish = 1000))
    assertEquals((0 to 1).map(trace.tasks.durationMillis(_)), Seq(Int.MaxValue, 0))
  }

  private def reasonOf(trace: Trace, row: Int): String =
    if (trace.tasks.succeeded(row)) "Success" else trace.reasons(trace.tasks.reason(row)).takeWhile(_ != ':')
}

object EventLogSuite {
  final case class Expected(
      sparkVersion: String,
      codec: String,
      events: Int,
      malformedLines: Int,
      jobStarts: Int,
      jobEnds: Int,
      stagesSubmitted: Int,
      stagesCompleted: Int,
      taskStarts: Int,
      taskEnds: Int,
      taskEndsWithoutMetrics: Int,
      taskEndsByReason: Map[String, Int],
      speculativeTaskEnds: Int,
      executorRunMillis: Long,
      executorCpuNanos: Long,
      jvmGcMillis: Long,
      fetchWaitMillis: Long,
      shuffleWriteBytes: Long,
      inputBytes: Long,
      outputBytes: Long
  )
  val expectedCodec: JsonValueCodec[Map[String, Expected]] = JsonCodecMaker.make(CodecMakerConfig)
}
