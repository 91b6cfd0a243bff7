package pellucid.ui

import java.lang.ref.SoftReference
import java.nio.charset.StandardCharsets.UTF_8

import pellucid.page.Page
import pellucid.report.{Analysis, Json, Report}
import pellucid.text.Text
import pellucid.trace.Trace

/** Where a report has its trace from. */
trait TraceSource {

  /** `live` or `history`. */
  def name: String

  /** Grows when the trace tells so much more that it should be looked at again. */
  def changes: Int
  def trace(): Trace
}

/** What a tab, and a notebook, show of a trace, made when somebody asks: the analyses of a large application take seconds. They
  * run one at a time, and of a running application for no more than a tenth of the time.
  */
final class ReportPage(source: TraceSource) {
  private final class Made(val trace: Trace, val report: Report) {
    lazy val html: Array[Byte] = Page.hosted(report, trace, source.name)
    lazy val json: Array[Byte] = Json.write(report)
  }
  private var last = new SoftReference[Made](null)

  /** As of which changes the last one was made, and until when it is what is shown: also where memory was short, and it is gone. */
  @volatile private var changes = -1
  @volatile private var untilNanos = System.nanoTime()

  private def live: Boolean = source.name == "live"

  /** Whether the report would be another one if it was asked for now. */
  def stale: Boolean = live && changes != source.changes && System.nanoTime() - untilNanos > 0

  /** Tells the report that is shown from those before it: somebody else may have asked for it. */
  def shown: Int = changes
  def html(): Array[Byte] = made(fresh = false).html
  def json(): Array[Byte] = made(fresh = false).json

  /** For a notebook, of this moment: the report on a terminal, as a program reads it, and as a page that needs nothing else. */
  def now(): Array[String] = {
    val made = this.made(fresh = true)
    Array(
      Text.harmless(Text.report(made.report)),
      new String(made.json, UTF_8),
      new String(Page.html(made.report, made.trace), UTF_8)
    )
  }

  private def made(fresh: Boolean): Made = synchronized {
    val had = last.get
    if (!fresh && had != null && (!live || System.nanoTime() - untilNanos < 0)) had
    else
      ReportPage.oneAtATime {
        val started = System.nanoTime()
        val now = source.changes
        try {
          val trace = source.trace()
          val made = new Made(trace, Analysis.report(trace))
          made.html
          last = new SoftReference(made)
          made
        } finally { // one that failed took its time, too
          changes = now
          untilNanos = System.nanoTime() + 9 * (System.nanoTime() - started)
        }
      }
  }
}

private object ReportPage {

  /** A History Server has many applications, and memory for one analysis. */
  def oneAtATime[A](work: => A): A = synchronized(work)
}
