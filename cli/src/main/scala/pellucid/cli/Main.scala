package pellucid.cli

import java.nio.file.Paths

import mainargs.{Flag, ParserForMethods, arg, main}

/** The `pellucid` command: one method per sub-command. Each gives the exit status: 2 for a mistake in what was asked for. */
object Main {

  @main(doc = "Explain a Spark event log: where the time went, what blocked it, which tasks straggled and why.")
  def report(
      @arg(
        positional = true,
        doc = "An event log, a rolling log's directory, a directory of many logs, or - for standard input"
      )
      log: String,
      @arg(doc = "Write the report as one self-contained page to this file") html: Option[String] = None,
      @arg(doc = "Print the report as JSON (docs/report-schema.md)") json: Flag,
      @arg(doc = "Only from this moment: seconds since the start (90, 90s, 1m30s) or a time (2026-11-20T10:15:00Z)")
      from: Option[String] = None,
      @arg(doc = "Only up to this moment, written like --from") to: Option[String] = None,
      @arg(doc = "Only this stage, in detail") stage: Option[Int] = None
  ): Int =
    status(ReportCommand.run(log, html, json.value, Moments.parse("--from", from), Moments.parse("--to", to), stage))

  @main(doc = "Two event logs of the same jobs side by side: what a change did.")
  def compare(
      @arg(positional = true, doc = "The event log, or rolling log's directory, of before") before: String,
      @arg(positional = true, doc = "That of after") after: String,
      @arg(doc = "Print the comparison as JSON (docs/compare.md)") json: Flag
  ): Int = status(CompareCommand.run(before, after, json.value))

  @main(doc = "Print the version.")
  def version(): Int = status(Console.println(s"pellucid ${Version.text}"))

  def main(args: Array[String]): Unit = {
    val code = run(args.toIndexedSeq)
    Console.out.flush()
    System.exit(if (Console.out.checkError()) 1 else code) // an error here: the reader of a pipe went away
  }

  def run(args: Seq[String]): Int = {
    val parser = ParserForMethods(this)
    if (args.headOption.contains("run")) submit(args.tail)
    else if (args.isEmpty || args.exists(Set("--help", "-h", "help"))) {
      Console.println(parser.helpText(totalWidth = Width))
      Console.print(RunCommand.Help)
      0
    } else
      parser.runEither(args, allowPositional = false, totalWidth = Width) match {
        case Left(message) => fail(message, 2)
        case Right(code: Int) => code
        case Right(_) => 0
      }
  }

  /** Its arguments are spark-submit's, dashes and all. */
  private def submit(args: Seq[String]): Int = {
    var code = 0
    val mistake =
      status { code = RunCommand.run(args, sys.env.get(_), sys.props.get("pellucid.plugin").map(Paths.get(_))) }
    if (mistake != 0) mistake else code
  }

  private def status(command: => Unit): Int =
    try { command; 0 }
    catch {
      case e: Usage => fail(e.getMessage, 2)
      case _: OutOfMemoryError => fail("out of memory: give it more with PELLUCID_JAVA_OPTS=-Xmx4g", 1)
    }

  private def fail(message: String, code: Int): Int = {
    Console.err.println(s"pellucid: ${message.stripLineEnd}")
    code
  }

  private final val Width = 100
}

object Version {
  val text: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("(not packaged)")
}
