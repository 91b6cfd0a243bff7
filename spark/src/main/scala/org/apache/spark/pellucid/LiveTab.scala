package org.apache.spark.pellucid

import org.apache.spark.SparkContext

import pellucid.trace.Trace
import pellucid.ui.{ReportPage, TraceSource}

/** The trace and the tab of the application that runs in this JVM. */
object LiveTab {
  private final val DefaultMostTasks = 200000

  private final class Running(val live: LiveTrace, val page: ReportPage)
  @volatile private var running: Option[Running] = None

  /** For `pellucid.report(spark)` in Python: [[ReportPage.now]], or null where there is no tab. */
  def now(): Array[String] = running.fold(null: Array[String])(_.page.now())
  def heard(told: String): Unit = running.foreach(_.live.hears(told))
  private[spark] def trace: Option[LiveTrace] = running.map(_.live)

  /** While the application starts. The listener takes a microsecond or two of an event of a task. A thread of its own would take
    * ten times that, to be woken for each of them, so it shares that of Spark's own UI.
    */
  def start(sc: SparkContext): Unit = {
    val live = new LiveTrace(sc.version, sc.conf.getInt("spark.pellucid.ui.mostTasks", DefaultMostTasks))
    sc.listenerBus.addToStatusQueue(live)
    val page = new ReportPage(new TraceSource {
      def name = "live"
      def changes: Int = live.changes
      def trace(): Trace = live.snapshot()
    })
    running = Some(new Running(live, page))
    sc.ui.foreach(new PellucidTab(_, page).attach())
  }

  def stop(): Unit = running = None
}
