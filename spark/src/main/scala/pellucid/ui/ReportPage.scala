package pellucid.ui

import java.lang.ref.SoftReference

import pellucid.page.Page
import pellucid.report.{Analysis, Json}
import pellucid.trace.Trace

/** Where a tab has its trace from. */
trait TraceSource {

  /** `live` or `history`. */
  def name: String

  /** Grows when the trace tells so much more that it should be looked at again. */
  def changes: Int
  def trace(): Trace
}

/** What a tab shows of a trace, made when somebody asks: the analyses of a large application take seconds. They run one at a
  * time, and of a running application for no more than a tenth of the time.
  */
final class ReportPage(source: TraceSource) {
  private final class Made(val html: Array[Byte], val json: Array[Byte], val changes: Int, val nextNanos: Long)
  private var last = new SoftReference[Made](null)

  def live: Boolean = source.name == "live"
  def changes: Int = source.changes
  def html(): Array[Byte] = made().html
  def json(): Array[Byte] = made().json

  private def made(): Made = synchronized {
    val had = last.get
    if (had != null && (had.changes == source.changes || System.nanoTime() - had.nextNanos < 0)) had
    else {
      val started = System.nanoTime()
      val changes = source.changes
      val trace = source.trace()
      val report = Analysis.report(trace)
      val html = Page.hosted(report, trace, source.name)
      val json = Json.write(report)
      val ended = System.nanoTime()
      val made = new Made(html, json, changes, ended + 9 * (ended - started))
      last = new SoftReference(made)
      made
    }
  }
}
