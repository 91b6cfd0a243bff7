package pellucid.cli

import java.io.IOException
import java.util.concurrent.{Callable, Executors}

import scala.util.control.NonFatal

import pellucid.log.{EventLog, NotAnEventLog}
import pellucid.page.Page
import pellucid.report.{Analysis, Json, Report, Summary}
import pellucid.text.Text
import pellucid.trace.{Trace, Window}

/** `pellucid report`. */
object ReportCommand {
  def run(
      log: String,
      html: Option[String],
      json: Boolean,
      from: Option[Moment],
      to: Option[Moment],
      stage: Option[Int]
  ): Unit =
    Sources.of(log) match {
      case OneLog(source) => one(source, html, json, from, to, stage)
      case ManyLogs(directory, sources) =>
        if (html.isDefined || stage.isDefined || from.isDefined || to.isDefined)
          throw new Usage(s"$directory holds ${sources.size} logs: --html, --stage, --from and --to are for one log")
        many(sources, json)
    }

  private def one(
      source: Source,
      html: Option[String],
      json: Boolean,
      from: Option[Moment],
      to: Option[Moment],
      stage: Option[Int]
  ): Unit = {
    val page = html.map(new OutputFile("--html", _, source.files))
    val whole = read(source, Terminal.isThere)
    val trace = restrict(whole, from, to)
    val report = Analysis.report(trace)
    stage.foreach(id =>
      if (!report.stages.exists(_.id == id))
        throw new Usage(s"--stage $id: the log has no such stage (${stageIds(report)})")
    )
    val shown = stage.fold(report)(Zoom.stage(report, _))
    page.foreach(_.write(Page.html(shown, trace)))
    if (json) { Console.out.write(Json.write(shown)); Console.println() }
    else Console.print(Text.harmless(stage.fold(Text.report(report))(id => Text.stage(shown, id))))
    page.foreach(file => if (!json) println(s"\nThe page is in $file"))
  }

  /** All of it, on the terminal. */
  def print(trace: Trace): Unit = Console.print(Text.harmless(Text.report(Analysis.report(trace))))

  private def stageIds(report: Report): String = {
    val ids = report.stages.map(_.id).distinct
    if (ids.isEmpty) "none at all"
    else if (ids.size <= 12) ids.mkString("it has ", ", ", "") else s"it has ${ids.min} to ${ids.max}"
  }

  /** @throws Usage where nothing of it lies between the two moments */
  def restrict(trace: Trace, from: Option[Moment], to: Option[Moment]): Trace =
    if (from.isEmpty && to.isEmpty) trace
    else {
      val start = from.fold(trace.startMillis)(_.epochMillis(trace.originMillis))
      val end = to.fold(trace.endMillis)(_.epochMillis(trace.originMillis))
      if (start >= trace.endMillis || end <= trace.startMillis) {
        val (first, last) = (trace.secondsSinceOrigin(trace.startMillis), trace.secondsSinceOrigin(trace.endMillis))
        throw new Usage(f"nothing of the log lies between --from and --to: it covers $first%.1f to $last%.1f s")
      }
      if (end <= start) throw new Usage("--to is not after --from")
      Window.of(trace, start, end)
    }

  /** @throws Usage where it is no log, or several */
  def readOne(log: String): Trace = read(one(log), Terminal.isThere)

  /** @throws Usage where there is none, or several */
  def one(log: String): Source = Sources.of(log) match {
    case OneLog(source) => source
    case ManyLogs(directory, sources) => throw new Usage(s"$directory holds ${sources.size} logs: which one?")
  }

  def read(source: Source, progress: Boolean): Trace = {
    source.wrong.foreach(why => throw new Usage(s"${source.name}: $why"))
    val files = source.open.map { case (before, open) =>
      () => new Progress(open(), source.name, source.totalBytes, before, progress)
    }
    try EventLog.read(files, source.compacted)
    catch {
      case e: NotAnEventLog => throw new Usage(s"${source.name}: no Spark event log (${e.reason})")
      case e: IOException => throw new Usage(s"${source.name}: ${UserFile.unreadable(e)}")
    }
  }

  /** In one line, what keeps a log from a report, but nothing else from going on; `of` stands before what does not name the log. */
  def why(of: String): PartialFunction[Throwable, String] = {
    case e: Usage => e.getMessage
    case _: OutOfMemoryError => s"$of: ${Usage.OutOfMemory}"
    case e @ (NonFatal(_) | _: StackOverflowError) => s"$of: $e"
  }

  /** Reads logs on all cores. */
  private def many(sources: Seq[Source], json: Boolean): Unit = {
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime.availableProcessors)
    try {
      val console = Terminal.isThere
      val tasks = sources.map { source =>
        source -> pool.submit(new Callable[Either[String, Summary]] {
          def call(): Either[String, Summary] =
            try Right(Summary.of(source.name, Analysis.report(read(source, progress = false))))
            catch why(source.name).andThen(Left(_)) // one log keeps no other from its row
        })
      }
      val results = tasks.zipWithIndex.map { case ((_, future), i) =>
        val result = future.get()
        if (console) Console.err.print(s"\r${i + 1} of ${sources.size} logs")
        result
      }
      if (console) Console.err.print("\r\u001b[K")
      val summaries = results.collect { case Right(s) => s }.sortBy(s => (-s.bestSavingSeconds, s.log))
      val failures = results.collect { case Left(message) => message }
      if (summaries.isEmpty) throw new Usage(failures.mkString("none of the files could be read:\n  ", "\n  ", ""))
      val unread = if (failures.isEmpty) "" else failures.mkString("\nNot read:\n  ", "\n  ", "\n")
      if (json) { Console.out.write(Summary.json(summaries)); Console.println(); Console.err.print(unread) }
      else Console.print(Text.harmless(Text.summaries(summaries) + unread))
    } finally pool.shutdownNow()
  }
}
