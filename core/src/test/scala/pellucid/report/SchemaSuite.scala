package pellucid.report

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import pellucid.Samples

class SchemaSuite extends munit.FunSuite {
  test("docs/report-schema.md names every field of a report") {
    val documented = "`(\\w+)`".r.findAllMatchIn(
      Files.readString(Samples.logs.resolve("../../../../docs/report-schema.md"))
    ).map(_.group(1)).toSet
    val logs = Seq("spark-4.0.5-executor-lost.zstd", "spark-4.3.0-speculation.zstd", "spark-3.5.9-failed-tasks.zstd")
    for (trace <- logs.map(log => Samples.readPath(Samples.logs.resolve(log))) :+ asMonotasks) {
      val json = new String(Json.write(Analysis.report(trace)), UTF_8)
      val data = Set("properties", "unknownEvents") // their keys are the log's
      val keys = data.foldLeft(json)((text, map) => text.replaceAll(s""""$map":\\{[^}]*\\}""", s""""$map":{}"""))
      val used = "\"(\\w+)\":".r.findAllMatchIn(keys).map(_.group(1)).toSet
      assertEquals(used -- documented, Set.empty[String])
    }
  }

  private def asMonotasks = {
    val trace = Samples.readLines(
      Samples.environment,
      Samples.executorAdded("1", cores = 2),
      Samples.taskEnd(
        1,
        accumulables =
          """{"ID":7,"Name":"pellucid.task","Update":"[1;;input,disk:sda,1,900,1000,9:1|1000000;cpu=2;c0,0,0,1000,900]"}"""
      )
    )
    assert(trace.monotasks.size > 0 && trace.paths.nonEmpty)
    trace
  }
}
