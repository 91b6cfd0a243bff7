package pellucid.report

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import pellucid.Samples
import pellucid.log.NotAnEventLog
import pellucid.page.Timeline

/** Whatever a log says, as long as it can be read: it has a report. */
class AnyReportSuite extends munit.FunSuite {

  test("100,000 lines with numbers, texts and pieces changed: every trace has a report and a timeline") {
    val random = new Random(20140417)
    val lines = Seq(
      "spark-2.4.8-plain",
      "spark-3.0.3-zstd.zstd",
      "spark-3.5.9-failed-tasks.zstd",
      "spark-4.0.5-executor-lost.zstd",
      "spark-4.3.0-speculation.zstd"
    )
      .flatMap(name => Samples.linesOf(Samples.logs.resolve(name)))
      .filter(_.length < 8000)
      .toIndexedSeq
    var reports = 0
    for (_ <- 1 to 1000) {
      val log = Seq.fill(100)(mutate(lines(random.nextInt(lines.size)), random)).mkString("", "\n", "\n")
      try {
        val trace = Samples.read(log.getBytes(UTF_8))
        val report = Analysis.report(trace)
        assertEqualsDouble(
          report.breakdown.phases.values.sum,
          report.breakdown.taskSeconds,
          1e-3 * (1 + report.breakdown.taskSeconds)
        )
        Json.write(report)
        Timeline.of(trace)
        reports += 1
      } catch { case _: NotAnEventLog => () }
    }
    assert(reports > 900, reports)
  }

  /** Half the lines stay valid: one of their numbers becomes another. The rest lose, gain or repeat a piece. */
  private def mutate(line: String, random: Random): String = {
    val at = random.nextInt(line.length)
    val piece = line.slice(at, at + random.nextInt(30))
    random.nextInt(6) match {
      case 0 | 1 | 2 =>
        val numbers = "\\d+".r.findAllMatchIn(line).toIndexedSeq
        if (numbers.isEmpty) line
        else {
          val m = numbers(random.nextInt(numbers.size))
          val other =
            Seq("0", "1", "7", "1700000000000", "2147483647", "999999999999", s"-${m.matched}")(random.nextInt(7))
          line.take(m.start) + other + line.drop(m.end)
        }
      case 3 => line.take(at) + line.drop(at + piece.length)
      case 4 => line.take(at) + piece + line.drop(at)
      case _ => line.take(at) + random.nextPrintableChar() + line.drop(at)
    }
  }
}
