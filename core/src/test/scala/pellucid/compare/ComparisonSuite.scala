package pellucid.compare

import pellucid.Samples._
import pellucid.report.{Analysis, Report}
import pellucid.text.Text

class ComparisonSuite extends munit.FunSuite {

  /** A stage of one task, which runs for so long and computes for so much of it. */
  private def stage(id: Int, name: String, millis: Long, cpu: Long) = Seq(
    stageCompleted(id, from = 1000, to = 1000 + millis).replace(s""""s$id"""", s""""$name""""),
    taskEnd(
      id.toLong,
      stage = id,
      launch = 1000,
      finish = 1000 + millis,
      metrics = s"""{"Executor Run Time":$millis,"Executor CPU Time":${cpu * 1000000}}"""
    )
  )

  private def report(stages: Seq[String]*): Report =
    Analysis.report(readLines(environment +: executorAdded("1", cores = 2) +: stages.flatten: _*))

  private val before = report(
    stage(0, "scan", 1000, 900),
    stage(1, "join", 4000, 1000),
    stage(2, "scan", 2000, 1900),
    stage(3, "gone", 10, 10)
  )
  private val after = report(stage(0, "scan", 1100, 900), stage(4, "scan", 500, 400), stage(5, "join", 3000, 2900))

  test("stages match by name and turn, the most changed first; others are named") {
    val c = Comparison.of(before, after)
    assertEquals(
      c.stages.map(s => (s.name, s.beforeId, s.afterId, s.beforeSeconds, s.afterSeconds)),
      Seq(("scan", 2, 4, 2.0, 0.5), ("join", 1, 5, 4.0, 3.0), ("scan", 0, 0, 1.0, 1.1))
    )
    assertEquals((c.onlyBefore, c.onlyAfter), (Seq("gone"), Nil))
    assertEquals(
      c.stages.find(_.name == "join").map(s => (s.beforeBound, s.afterBound)),
      Some(("waiting, not logged which", "compute on CPU"))
    )
  }

  test("a query with a stage less shifts no other query's stages") {
    val (first, second) = (stage(0, "count", 1000, 900), stage(1, "count", 2000, 900))
    val one = report(first, second, stage(2, "count", 3000, 900))
    // of the same two queries the first has its second stage no more
    val other = report(first, stage(1, "count", 3000, 900))
    def queries(r: Report, each: Long*) =
      r.copy(stages = r.stages.zip(each).map { case (s, q) =>
        s.copy(description = Some("count at NativeMethodAccessorImpl.java:0"), sqlExecution = Some(q))
      })
    val c = Comparison.of(queries(one, 4, 4, 7), queries(other, 1, 2))
    assertEquals(c.stages.map(s => (s.beforeId, s.afterId)), Seq((0, 0), (2, 1)))
    assertEquals(c.onlyBefore, Seq("count"))
    // descriptions that each run has of its own do not keep stages apart
    val own = Comparison.of(one.copy(stages = one.stages.map(_.copy(description = Some("run 1")))), other)
    assertEquals(own.stages.map(s => (s.beforeId, s.afterId)).sorted, Seq((0, 0), (1, 1)))
  }

  test("stages without a match are told once each, also those of one name") {
    val c = Comparison.of(report(stage(0, "gone", 10, 10), stage(1, "gone", 10, 10)), after)
    assertEquals(c.onlyBefore, Seq("gone", "gone"))
  }

  test("task time by phase, of phases that either has") {
    val phases = Comparison.of(before, after).phases.map(p => p.phase -> ((p.beforeSeconds, p.afterSeconds))).toMap
    assertEquals(phases.keySet, Set("compute", "waiting"))
    assertEquals(phases("compute"), (3.81, 4.2)) // 0.9 + 1 + 1.9 + 0.01; 0.9 + 0.4 + 2.9
  }

  test("a retry takes no other stage's turn") {
    val retried = report(
      stage(0, "scan", 1000, 900),
      stage(0, "scan", 1000, 900).map(_.replace(""""Stage Attempt ID":0""", """"Stage Attempt ID":1""")),
      stage(2, "scan", 2000, 1900)
    )
    val plain = report(stage(0, "scan", 1000, 900), stage(1, "scan", 2000, 1900))
    val c = Comparison.of(retried, plain)
    assertEquals(c.stages.map(s => (s.beforeId, s.afterId)).sorted, Seq((0, 0), (2, 1)))
    assertEquals((c.onlyBefore, c.onlyAfter), (Seq("scan"), Nil)) // the second attempt
  }

  test("a stage without task time is bound by nothing") {
    val empty = report(Seq(stageCompleted(0, from = 1000, to = 2000)))
    assertEquals(Comparison.of(empty, empty).stages.map(_.beforeBound), Seq("-"))
  }

  test("a log that stops before the application's end is said to, of either side") {
    val ends = Analysis.report(readLines(environment, applicationEnd))
    val c = Comparison.of(before, ends)
    assertEquals(Seq(c.before.ended, c.after.ended), Seq(false, true))
    val said = Text.comparison(c).linesIterator.toSeq
    assertEquals(said.count(_.contains("stops before the application's end")), 1)
    assert(said.indexWhere(_.contains("stops before")) < said.indexWhere(_.contains("After:")), said)
  }

  test("with itself nothing changed") {
    val c = Comparison.of(before, before)
    assertEquals(c.before, c.after)
    assertEquals(c.stages.count(s => s.beforeSeconds != s.afterSeconds || s.beforeId != s.afterId), 0)
    assertEquals(c.stages.size, 4)
  }
}
