package pellucid.page

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.model.Grid

/** Predictions for other machines as a page with a control for each of their properties: it shows what was simulated, and
  * computes nothing.
  */
object WhatIfPage {
  def html(grid: Grid): Array[Byte] =
    Template.inFile("Pellucid what-if", Seq("whatif.css"), Seq("grid" -> new String(Grid.json(grid), UTF_8)), Scripts)

  private val Scripts = Seq(
    "format.js",
    "dom.js",
    "theme.js",
    "bars.js",
    "tooltip.js",
    "table.js",
    "whatif/position.js",
    "whatif/choices.js",
    "whatif/answer.js",
    "whatif/chart.js",
    "whatif/bottlenecks.js",
    "whatif/rows.js",
    "whatif/page.js"
  )
}
