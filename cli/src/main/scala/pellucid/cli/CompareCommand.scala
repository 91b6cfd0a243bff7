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

  private def report(log: String): Report = Sources.of(log) match {
    case OneLog(source) => Analysis.report(ReportCommand.read(source, System.console != null))
    case ManyLogs(directory, sources) => throw new Usage(s"$directory holds ${sources.size} logs: which one?")
  }
}
