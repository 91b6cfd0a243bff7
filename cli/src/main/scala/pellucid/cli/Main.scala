package pellucid.cli

import mainargs.{Flag, ParserForMethods, arg, main}

/** The `pellucid` command: one method per sub-command. */
object Main {

  @main(doc = "Explain a Spark event log: where the time went, what blocked it, which tasks straggled and why.")
  def report(
      @arg(positional = true, doc = "An event log, a rolling log's directory, a directory of many logs, or - for standard input")
      log: String,
      @arg(doc = "Write the report as one self-contained page to this file") html: Option[String] = None,
      @arg(doc = "Print the report as JSON (docs/report-schema.md)") json: Flag,
      @arg(doc = "Only from this moment: seconds since the start (90, 90s, 1m30s) or a time (2026-11-20T10:15:00Z)")
      from: Option[String] = None,
      @arg(doc = "Only up to this moment, written like --from") to: Option[String] = None,
      @arg(doc = "Only this stage, in detail") stage: Option[Int] = None
  ): Unit = ReportCommand.run(log, html, json.value, Moments.parse("--from", from), Moments.parse("--to", to), stage)

  @main(doc = "Print the version.")
  def version(): Unit = println(s"pellucid ${Version.text}")

  def main(args: Array[String]): Unit = {
    val parser = ParserForMethods(this)
    val help = args.isEmpty || args.toSeq == Seq("--help") || args.toSeq == Seq("-h") || args.toSeq == Seq("help")
    val status =
      if (help) { println(parser.helpText(totalWidth = 100)); 0 }
      else
        try
          parser.runEither(args.toIndexedSeq, allowPositional = false, totalWidth = 100) match {
            case Left(message) => fail(message)
            case Right(_) => 0
          }
        catch {
          case e: Usage => fail(e.getMessage)
          case e: OutOfMemoryError =>
            fail(s"out of memory (${e.getMessage}): give more with PELLUCID_JAVA_OPTS=-Xmx4g", 1)
        }
    System.out.flush()
    if (System.out.checkError()) System.exit(1) // the reader of a pipe went away
    System.exit(status)
  }

  private def fail(message: String, status: Int = 2): Int = {
    System.err.println(s"pellucid: ${message.stripLineEnd}")
    status
  }
}

object Version {
  val text: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("0.1.0")
}
