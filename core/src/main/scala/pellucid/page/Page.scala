package pellucid.page

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.report.{Json, Report}
import pellucid.trace.Trace

/** The report as a page. */
object Page {

  /** In one file that needs nothing else. */
  def html(report: Report, trace: Trace): Array[Byte] = Template.inFile(Title, Nil, data(report, trace), Scripts)

  /** For a server that has [[script]] as `script.js` beside it, and whose policy may allow no script inside a page. `source`: `live`
    * while the application runs, or `history`.
    */
  def hosted(report: Report, trace: Trace, source: String): Array[Byte] =
    Template.filled(Title, source, "'self'", Nil, data(report, trace), """<script src="script.js"></script>""")

  lazy val script: Array[Byte] = s"${Template.library}\n${Template.own(Scripts)}".getBytes(UTF_8)

  private final val Title = "Pellucid report"

  private def data(report: Report, trace: Trace) =
    Seq("report" -> new String(Json.write(longest(report, MostRows)), UTF_8), "timeline" -> Timeline.json(trace))

  /** The report with no more rows of a kind than a page can show: the longest of each, in their order, and a note of the rest. */
  def longest(r: Report, most: Int): Report = {
    def rows[A](all: Seq[A])(seconds: A => Double): Seq[A] =
      if (all.size <= most) all
      else {
        val keep = all.indices.sortBy(i => (-seconds(all(i)), i)).take(most).toSet
        all.indices.filter(keep).map(all(_))
      }
    val sizes = Seq(
      "jobs" -> r.jobs.size,
      "stages" -> r.stages.size,
      "SQL queries" -> r.sql.size,
      "paths" -> r.paths.size,
      "machines" -> r.machines.size
    )
    val notes = sizes.collect {
      case (what, n) if n > most => s"this page has $most of $n $what, the longest; --json has all"
    }
    r.copy(
      intake = r.intake.copy(notes = r.intake.notes ++ notes),
      criticalPath = r.criticalPath.copy(steps = rows(r.criticalPath.steps)(_.seconds)),
      sql = rows(r.sql)(_.seconds),
      jobs = rows(r.jobs)(_.seconds),
      stages = rows(r.stages)(_.seconds),
      paths = rows(r.paths)(_.seconds).map(_.copy(requestSizes = Nil)),
      machines = rows(r.machines)(m => m.checks.count(!_.agrees).toDouble)
    )
  }

  /** Rows of a table beyond which a browser gets slow. */
  private final val MostRows = 2000

  private val Scripts = Seq(
    "format.js",
    "dom.js",
    "data.js",
    "theme.js",
    "links.js",
    "bars.js",
    "view.js",
    "blocks.js",
    "lanelayout.js",
    "lanepainter.js",
    "lanes.js",
    "strips.js",
    "load.js",
    "tooltip.js",
    "gestures.js",
    "controls.js",
    "timeline.js",
    "header.js",
    "breakdown.js",
    "blocked.js",
    "advice.js",
    "stragglers.js",
    "use.js",
    "path.js",
    "lost.js",
    "monotasks.js",
    "machines.js",
    "paths.js",
    "table.js",
    "tables.js",
    "footer.js",
    "page.js"
  )
}
