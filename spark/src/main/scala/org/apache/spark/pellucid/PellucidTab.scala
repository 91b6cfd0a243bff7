package org.apache.spark.pellucid

import java.nio.charset.StandardCharsets.UTF_8

import scala.xml.Node

import jakarta.servlet.http.{HttpServlet, HttpServletRequest, HttpServletResponse}

import org.apache.spark.ui.{SparkUI, SparkUITab, UIUtils, WebUIPage}

import pellucid.page.Page
import pellucid.plugin.Guard
import pellucid.ui.ReportPage

/** The tab: Spark's frame, and in it the report as a page of its own, so that neither one's style or script reaches the other. */
private[spark] final class PellucidTab(ui: SparkUI, report: ReportPage) extends SparkUITab(ui, "pellucid") {
  import PellucidTab._

  attachPage(new WebUIPage("") {
    def render(request: HttpServletRequest): Seq[Node] = {
      val report = UIUtils.prependBaseUri(request, basePath, Report)
      val frame =
        <p id="pellucid-state" class="text-muted">Analysing ...</p>
        <iframe id="pellucid-report" src={s"$report/"} title="Pellucid report"
          style="width: 100%; height: calc(100vh - 11rem); min-height: 24rem; border: 0"></iframe>
        <script src={s"$report/tab.js"}></script>
      inSparksFrame(request, frame, PellucidTab.this)
    }
  })

  def attach(): Unit = {
    ui.attachTab(this)
    attachHandler.invoke(ui, basePath + Report, new Resources(report), "/*")
    ()
  }
}

/** A log that is not found, or is more than a server that many share should read; the message says what to do. */
private[spark] final class NotReadable(message: String) extends RuntimeException(message)

private[spark] object PellucidTab {
  private val Report = "/pellucid/report"

  /** By name: its namesake has a parameter of Jetty, which Spark ships under a name that the compiler does not know. */
  private lazy val attachHandler =
    classOf[SparkUI].getMethod("attachHandler", classOf[String], classOf[HttpServlet], classOf[String])
  private lazy val tabScript = {
    val in = getClass.getResourceAsStream("/pellucid/ui/tab.js")
    try in.readAllBytes()
    finally in.close()
  }

  private final class Resources(report: ReportPage) extends HttpServlet {
    @volatile private var warned = false

    override def doGet(request: HttpServletRequest, response: HttpServletResponse): Unit = {
      def answer(kind: String, body: Array[Byte]): Unit = {
        response.setContentType(s"$kind;charset=utf-8")
        response.getOutputStream.write(body)
      }

      def made(kind: String, report: => Array[Byte])(refuse: String => Unit): Unit =
        try answer(kind, report)
        catch {
          case e: NotReadable => refuse(e.getMessage)
          case e if Guard.harmless(e) =>
            if (!warned) Guard.warn(s"a report cannot be made: $e", e)
            warned = true
            refuse(s"The report cannot be made: $e")
        }
      request.getPathInfo match {
        case "/" => made("text/html", report.html())(why => answer("text/plain", why.getBytes(UTF_8)))
        case "/script.js" => answer("text/javascript", Page.script)
        case "/tab.js" => answer("text/javascript", tabScript)
        case "/report.json" =>
          made("application/json", report.json()) { why =>
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE)
            answer("text/plain", why.getBytes(UTF_8))
          }
        case "/state.json" =>
          answer("application/json", s"""{"stale":${report.stale},"shown":${report.shown}}""".getBytes(UTF_8))
        case _ => response.sendError(HttpServletResponse.SC_NOT_FOUND)
      }
    }

    /** As Spark's own pages. */
    override def doTrace(request: HttpServletRequest, response: HttpServletResponse): Unit =
      response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED)
  }

  /** Spark 4.2 gave the method one more parameter than 4.0 has: those after the first four are left at their defaults. */
  private def inSparksFrame(request: HttpServletRequest, content: Seq[Node], tab: SparkUITab): Seq[Node] = {
    val methods = UIUtils.getClass.getMethods
    val method = methods.find(_.getName == "headerSparkPage").get
    val defaults = (5 to method.getParameterCount).map { i =>
      methods.find(_.getName == s"headerSparkPage$$default$$$i").get.invoke(UIUtils)
    }
    method.invoke(UIUtils, Seq[AnyRef](request, "Pellucid", () => content, tab) ++ defaults: _*).asInstanceOf[Seq[Node]]
  }
}
