package pellucid.blocked

import java.nio.file.{Files, Path}

import pellucid.Samples
import pellucid.log.EventLog
import pellucid.report.Analysis

/** The thesis's own recordings of Big Data Benchmark queries 1a to 1c on disk, checked against numbers worked out here from the
  * text of the logs and from nothing of Pellucid's.
  */
class ThesisLogsSuite extends munit.FunSuite {
  private val logs: Option[Path] = Samples.shared("bdb-2014")

  /** One job of one stage whose 100 tasks the driver queued at once for 5 executors of 8 slots: 40 run, and each slot that a
    * task leaves takes the next. Without disk a task takes FINISH_TIME - START_TIME - READ_BLOCKED_TIME / 10^6 ms; the job then
    * ends when the last of the 40 slots does. A slot's pause between two tasks (START_TIME after the FINISH_TIME before it) is
    * the driver's and stays.
    */
  private def withoutDisk(path: Path): (Long, Long, Double) = {
    val tasks = Files.readString(path).linesIterator.filter(_.contains("TASK_TYPE=")).map { line =>
      def field(key: String) = (key + "=(\\d+)").r.findFirstMatchIn(line).get.group(1).toLong
      (field("START_TIME"), field("FINISH_TIME"), field("EXECUTOR_ID"), field("READ_BLOCKED_TIME"))
    }.toVector.sorted
    val start = tasks.map(_._1).min
    val slots = 40
    val (first, rest) = tasks.splitAt(slots)
    assertEquals(first.groupBy(_._3).values.map(_.size).toSet, Set(8))

    // As recorded, the k-th task to start after the first 40 starts in a slot of its executor that has become free.
    val freed = scala.collection.mutable.Map.empty[Long, Vector[Long]].withDefaultValue(Vector.empty)
    first.foreach { case (_, finish, e, _) => freed(e) = freed(e) :+ finish }
    val pauses = rest.map { case (begin, finish, e, _) =>
      val from = freed(e).filter(_ <= begin).maxOption.getOrElse(freed(e).min)
      freed(e) = freed(e).diff(Vector(from)) :+ finish
      begin - from
    }

    // Without disk: the same order on whichever slot is free first.
    def end(length: ((Long, Long, Long, Long)) => Double): Double = {
      val free = first.map(t => t._1 - start + length(t)).to(scala.collection.mutable.ArrayBuffer)
      rest.zip(pauses).foreach { case (t, pause) =>
        val slot = free.indices.minBy(free(_))
        free(slot) += pause + length(t)
      }
      free.max
    }
    (tasks.map(_._4).sum, (end(t => (t._2 - t._1).toDouble)).round, end(t => t._2 - t._1 - t._4 / 1e6))
  }

  for (query <- Seq("1a", "1b", "1c"))
    test(s"query $query: blocked times and the improvement without disk") {
      assume(logs.isDefined, "skipped: there is no shared/data/bdb-2014 beside the repository")
      val path = logs.get.resolve(s"${query}_disk_job_log")
      val trace = EventLog.read(Iterator(() => Files.newInputStream(path)))
      val report = Analysis.report(trace)
      val (blockedNanos, recordedMillis, noDiskMillis) = withoutDisk(path)

      assertEqualsDouble(report.breakdown.phases("inputRead"), blockedNanos / 1e9, 1e-6)
      assertEqualsDouble(report.completion.simulatedSeconds, recordedMillis / 1e3, 0.02 * recordedMillis / 1e3)
      // the two simulations differ in which slot takes which pause: a few ms on ten seconds
      val saved = report.completion.noDisk.loggedSeconds
      assertEqualsDouble(report.completion.simulatedSeconds - saved, noDiskMillis / 1e3, 0.03 * noDiskMillis / 1e3)
      assertEquals(report.completion.noDisk.loggedSeconds, report.completion.noDisk.atMostSeconds)
      assert(report.replay.worst < 0.001, report.replay.toString)
    }

  test("query 1a: the arithmetic of its first task") {
    assume(logs.isDefined, "skipped: there is no shared/data/bdb-2014 beside the repository")
    // TID=111 START_TIME=1397623958667 FINISH_TIME=1397623962029 EXECUTOR_DESERIALIZE_TIME=123 EXECUTOR_RUN_TIME=3211 GC_TIME=0
    // READ_BLOCKED_TIME=1542008319: 3362 ms in all, of which 123 deserialize, 3362 - 123 - 3211 = 28 scheduler delay,
    // 1542.008319 reading input, and 3211 - 1542.008319 = 1668.991681 computing or waiting.
    val trace = EventLog.read(Iterator(() => Files.newInputStream(logs.get.resolve("1a_disk_job_log"))))
    val row = (0 until trace.tasks.size).find(trace.tasks.taskId(_) == 111).get
    val times = new pellucid.breakdown.TaskPhases(trace.tasks)
    times.load(row)
    import pellucid.breakdown.Phase._
    assertEquals(
      Seq(Deserialize, SchedulerDelay, InputRead, ComputeOrWaiting, Compute, Waiting).map(times(_)),
      Seq(123000000L, 28000000L, 1542008319L, 1668991681L, 0L, 0L)
    )
  }
}
