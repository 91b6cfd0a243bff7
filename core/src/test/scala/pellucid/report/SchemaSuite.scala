package pellucid.report

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import pellucid.Samples

class SchemaSuite extends munit.FunSuite {
  test("docs/report-schema.md names every field of a report") {
    val documented = "`(\\w+)`".r.findAllMatchIn(
      Files.readString(Samples.logs.resolve("../../../../docs/report-schema.md"))
    ).map(_.group(1)).toSet
    for (
      log <- Seq("spark-4.0.5-executor-lost.zstd", "spark-4.3.0-speculation.zstd", "spark-3.5.9-failed-tasks.zstd")
    ) {
      val trace = Samples.readPath(Samples.logs.resolve(log))
      val json = new String(Json.write(Analysis.report(trace)), UTF_8)
      val data = Set("properties", "unknownEvents") // their keys are the log's
      val keys = data.foldLeft(json)((text, map) => text.replaceAll(s""""$map":\\{[^}]*\\}""", s""""$map":{}"""))
      val used = "\"(\\w+)\":".r.findAllMatchIn(keys).map(_.group(1)).toSet
      assertEquals(used -- documented, Set.empty[String])
    }
  }
}
