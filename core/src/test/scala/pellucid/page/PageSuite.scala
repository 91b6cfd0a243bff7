package pellucid.page

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import pellucid.TraceOf
import pellucid.model.{Axes, Change, Grids, Known, Models}
import pellucid.report.Analysis

class PageSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 5.minutes // of a page with all the tasks that it can hold, on a busy computer

  private val trace = {
    // job i takes 10 * (i + 1) ms
    val of = new TraceOf
    (0 until 5).foldLeft(0L) { (from, i) =>
      val to = from + 10 * (i + 1)
      of.job(i, from, to, i).stage(i, from, to).task(i, from, to)()
      to
    }
    of.result()
  }

  test("a page has the longest jobs and stages, in their order, and says how many there are") {
    val r = Page.longest(Analysis.report(trace), 3)
    assertEquals(
      (r.jobs.map(_.id), r.stages.map(_.id), r.criticalPath.steps.map(_.stageId)),
      (Seq(2, 3, 4), Seq(2, 3, 4), Seq(2, 3, 4))
    )
    assertEquals(r.criticalPath.stages, 5)
    assertEquals(
      r.intake.notes.map(_.takeWhile(_ != ';')),
      Seq("jobs", "stages").map(what => s"this page has 3 of 5 $what, the longest")
    )
    assertEquals(Page.longest(Analysis.report(trace), 5), Analysis.report(trace))
  }

  test("every marker of the template is filled") {
    val html = new String(Page.html(Analysis.report(trace), trace), UTF_8)
    assert(html.contains("\"schemaVersion\":1"))
    assert(!html.contains("/*{"))
  }

  test("the what-if page too") {
    val models = new Models(trace)
    val axes = new Axes(models, Known(), Change(), 4)
    val grids = new Grids(axes, models.predict(Change()))
    axes.changes.indices.foreach(i => grids.put(i, models.predict(axes.changes(i))))
    val html = new String(WhatIfPage.html(grids.result("")), UTF_8)
    assert(html.contains("\"configurations\":4"))
    assert(!html.contains("/*{"))
  }
}
