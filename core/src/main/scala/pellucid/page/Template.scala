package pellucid.page

import java.nio.charset.StandardCharsets.UTF_8

/** The template of all pages, whose markers are filled with their style, scripts and data. */
private[page] object Template {

  /** @param styles after those of all pages
    * @param data JSON by the id of the script element that has it
    * @param scripts elements
    */
  def filled(
      title: String,
      source: String,
      policy: String,
      styles: Seq[String],
      data: Seq[(String, String)],
      scripts: String
  ): Array[Byte] = {
    val parts = Map(
      "title" -> title,
      "source" -> source,
      "policy" -> policy,
      "style" -> ("uPlot.min.css" +: "page.css" +: styles).map(resource).mkString,
      "data" -> data.map { case (id, json) =>
        s"""<script type="application/json" id="$id">${harmless(json)}</script>"""
      }.mkString("\n"),
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

  /** A page in one file that needs nothing else. */
  def inFile(title: String, styles: Seq[String], data: Seq[(String, String)], scripts: Seq[String]): Array[Byte] = {
    val elements = s"<script>$library</script>\n<script>${own(scripts)}</script>"
    filled(title, "file", "'unsafe-inline'", styles, data, elements)
  }

  def library: String = resource("uPlot.iife.min.js")

  /** The scripts in the order in which one needs the other: all share one scope. */
  def own(scripts: Seq[String]): String =
    scripts.map(resource).mkString("(() => {\n\"use strict\";\n", "\n", "\n})();\n")

  /** JSON for inside a script element: no text of the log can end the element or begin a comment. */
  private def harmless(json: String): String =
    json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")

  private def resource(name: String): String = {
    val in = getClass.getResourceAsStream(s"/pellucid/page/$name")
    try new String(in.readAllBytes(), UTF_8)
    finally in.close()
  }

  private val Marker = """/\*\{(\w+)\}\*/""".r
}
