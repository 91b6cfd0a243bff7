package pellucid.page

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.report.{Json, Report}
import pellucid.trace.Trace

/** The report as a page: a template whose markers are filled with its style, scripts and data. */
object Page {

  /** In one file that needs nothing else. */
  def html(report: Report, trace: Trace): Array[Byte] =
    filled(report, trace, "file", "'unsafe-inline'", s"<script>$library</script>\n<script>$own</script>")

  /** For a server that has [[script]] as `script.js` beside it, and whose policy may allow no script inside a page. `source`: `live`
    * while the application runs, or `history`.
    */
  def hosted(report: Report, trace: Trace, source: String): Array[Byte] =
    filled(report, trace, source, "'self'", """<script src="script.js"></script>""")

  lazy val script: Array[Byte] = s"$library\n$own".getBytes(UTF_8)

  private def filled(report: Report, trace: Trace, source: String, policy: String, scripts: String): Array[Byte] = {
    val parts = Map(
      "source" -> source,
      "policy" -> policy,
      "style" -> (resource("uPlot.min.css") + resource("page.css")),
      "report" -> data(new String(Json.write(longest(report, MostRows)), UTF_8)),
      "timeline" -> data(Timeline.json(trace)),
      "scripts" -> scripts
    )
    val template = resource("page.html")
    val out = new StringBuilder(template.length + parts.valuesIterator.map(_.length).sum)
    var from = 0
    for (m <- Marker.findAllMatchIn(template)) {
      out ++= template.substring(from, m.start) ++= parts(m.group(1))
      from = m.end
    }
    (out ++= template.substring(from)).toString.getBytes(UTF_8)
  }

  private def library: String = resource("uPlot.iife.min.js")
  private def own: String = Scripts.map(resource).mkString("(() => {\n\"use strict\";\n", "\n", "\n})();\n")

  /** The report with no more rows of a kind than a page can show: the longest of each, in their order, and a note of the rest. */
  def longest(r: Report, most: Int): Report = {
    def rows[A](all: Seq[A])(seconds: A => Double): Seq[A] =
      if (all.size <= most) all
      else {
        val keep = all.indices.sortBy(i => (-seconds(all(i)), i)).take(most).toSet
        all.indices.filter(keep).map(all(_))
      }
    val notes = Seq("jobs" -> r.jobs.size, "stages" -> r.stages.size, "SQL queries" -> r.sql.size).collect {
      case (what, n) if n > most => s"this page has the $most longest of $n $what; --json has all"
    }
    r.copy(
      intake = r.intake.copy(notes = r.intake.notes ++ notes),
      criticalPath = r.criticalPath.copy(steps = rows(r.criticalPath.steps)(_.seconds)),
      sql = rows(r.sql)(_.seconds),
      jobs = rows(r.jobs)(_.seconds),
      stages = rows(r.stages)(_.seconds)
    )
  }

  /** Rows of a table beyond which a browser gets slow. */
  private final val MostRows = 2000

  /** JSON for inside a script element: no text of the log can end the element or begin a comment. */
  private def data(json: String): String = json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")

  /** In the order in which one needs the other: all share one scope. */
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

  private def resource(name: String): String = {
    val in = getClass.getResourceAsStream(s"/pellucid/page/$name")
    try new String(in.readAllBytes(), UTF_8)
    finally in.close()
  }

  private val Marker = """/\*\{(\w+)\}\*/""".r
}
