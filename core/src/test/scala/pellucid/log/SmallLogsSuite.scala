package pellucid.log

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._
import java.nio.file.Files

import pellucid.Logs
import pellucid.trace.Tasks

/** The logs that core/src/test/logs/generate.py made with real Sparks, against the sums that it took of them with Python. */
class SmallLogsSuite extends munit.FunSuite {
  import SmallLogsSuite._

  for ((name, expected) <- all.toSeq.sortBy(_._1))
    test(s"$name: tasks, times and bytes are those of the log") {
      val trace = Logs.read(Logs.repo(s"core/src/test/logs/$name"))
      val t = trace.tasks
      val ended = (0 until t.size).filter(t.outcome(_) != Tasks.Running)
      assertEquals(ended.size, expected.taskEnds)
      val byReason = ended.groupBy(row => trace.reasons(t.reason(row)).takeWhile(_ != ':')).map { case (reason, rows) =>
        (if (reason.isEmpty) "Success" else reason) -> rows.size
      }
      assertEquals(byReason, expected.taskEndsByReason)
      assertEquals(ended.map(t.runMillis(_).toLong).sum, expected.executorRunMillis)
      assertEquals(ended.map(t.cpuNanos(_)).sum, expected.executorCpuNanos)
      assertEquals(ended.map(t.gcMillis(_).toLong).sum, expected.jvmGcMillis)
      assertEquals(ended.map(t.fetchWaitMillis(_).toLong).sum, expected.fetchWaitMillis)
      assertEquals(ended.map(t.shuffleWriteBytes(_)).sum, expected.shuffleWriteBytes)
      assertEquals(ended.map(t.inputBytes(_)).sum, expected.inputBytes)
      assertEquals(ended.map(t.outputBytes(_)).sum, expected.outputBytes)
      assertEquals(ended.count(t.is(_, Tasks.Speculative)), expected.speculativeTaskEnds)
      assertEquals(trace.jobs.size, expected.jobStarts)
      assertEquals(trace.jobs.count(_.ended), expected.jobEnds)
      assertEquals(trace.stages.size, expected.stagesSubmitted)
      assertEquals(trace.stages.count(_.ended), expected.stagesCompleted)
      assertEquals(trace.application.sparkVersion, expected.sparkVersion)
      assertEquals(trace.intake.malformedLines, 0L)
      assertEquals(trace.intake.truncated, expected.malformedLines > 0)
      assertEquals(trace.intake.ended, !name.contains("inprogress"))
      assertEquals(t.size - ended.size, expected.taskStarts - (ended.size - byReason.getOrElse("Resubmitted", 0)))
    }

  test("the same application in several compressions is the same trace") {
    val one = Logs.content(Logs.read(Logs.repo("core/src/test/logs/spark-2.4.8-plain")))
    assertEquals(one.size > 15, true)
    val compressed = Files.readAllBytes(Logs.repo("core/src/test/logs/spark-2.4.8-plain"))
    val gzip = new java.io.ByteArrayOutputStream
    val out = new java.util.zip.GZIPOutputStream(gzip)
    out.write(compressed)
    out.close()
    assertEquals(Logs.content(Logs.read(gzip.toByteArray)), one)
    val zstd = com.github.luben.zstd.Zstd.compress(compressed)
    assertEquals(Logs.content(Logs.read(zstd)), one)
    val lz4 = new java.io.ByteArrayOutputStream
    val lz4Out = new net.jpountz.lz4.LZ4BlockOutputStream(lz4)
    lz4Out.write(compressed)
    lz4Out.close()
    assertEquals(Logs.content(Logs.read(lz4.toByteArray)), one)
    val snappy = new java.io.ByteArrayOutputStream
    val snappyOut = new org.xerial.snappy.SnappyOutputStream(snappy)
    snappyOut.write(compressed)
    snappyOut.close()
    assertEquals(Logs.content(Logs.read(snappy.toByteArray)), one)
  }
}

object SmallLogsSuite {
  final case class Expected(
      sparkVersion: String,
      malformedLines: Int,
      jobStarts: Int,
      jobEnds: Int,
      stagesSubmitted: Int,
      stagesCompleted: Int,
      taskStarts: Int,
      taskEnds: Int,
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
  private implicit val codec: JsonValueCodec[Map[String, Expected]] = JsonCodecMaker.make
  val all: Map[String, Expected] =
    readFromArray[Map[String, Expected]](Files.readAllBytes(Logs.repo("core/src/test/logs/expected.json")))
}
