package pellucid.cli

import pellucid.compare.Comparison
import pellucid.report.{Analysis, Report}
import pellucid.text.Text

/** `pellucid compare`. */
object CompareCommand {
  def run(before: String, after: String, json: Boolean): Unit = {
    if (before == after) throw new Usage(s"$before: compared with itself")
    val comparison = Comparison.of(report(before), report(after))
    if (json) { Console.out.write(Comparison.json(comparison)); Console.println() }
    else Console.print(Text.harmless(Text.comparison(comparison)))
  }

  private def report(log: String): Report = Analysis.report(ReportCommand.readOne(log))
}
