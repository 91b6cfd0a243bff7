package pellucid

import java.io.{PrintWriter, StringWriter}

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkConf, SparkContext}
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.core.{LauncherDiscoveryRequestBuilder, LauncherFactory}
import org.junit.platform.launcher.listeners.SummaryGeneratingListener
import org.scalatest.funsuite.AnyFunSuite

import pellucid.observe.TaskRecord

/** Hadoop's own contract tests of a file system, as a task sees it. They run inside a task, whose streams are observed.
  *
  * @param places what a task's record says of the file system: where its input comes from, and where its output goes
  * @param failsOnStock what the stock one does not pass here either, as `Suite.test`
  */
abstract class ContractSuite(suites: Seq[Class[_]], places: (String, String), failsOnStock: Set[String] = Set.empty)
    extends AnyFunSuite {
  import ContractSuite._

  test("what a task's file system does is what the stock one does") {
    val stock = outcome(suites)
    info(s"stock: ${stock.succeeded} tests passed, ${stock.skipped} do not apply; failed: ${stock.failed}")
    val (ours, record) = inTask(suites)
    assert(ours === stock)
    assert(stock.succeeded > 100)
    assert(stock.failed.map(name(_)).toSet === failsOnStock)
    assert(record.contains(s";input,${places._1}") && record.contains(s";output,${places._2}"), record)
  }
}

private object ContractSuite {
  final case class Outcome(succeeded: Long, skipped: Long, failed: Seq[String])

  /** Of JUnit's identifier of a test. */
  def name(failed: String): String = failed match {
    case Named(suite, test) => s"$suite.$test"
    case other => other
  }
  private val Named = """.*\[class(?:-template)?:(?:[\w.]*[.$])?(\w+)\].*\[method:(\w+)\(.*""".r

  /** And what was measured of the task. */
  def inTask(suites: Seq[Class[_]]): (Outcome, String) = {
    val conf = new SparkConf().setMaster("local[1]").setAppName("contract").set("spark.ui.enabled", "false")
      .set("spark.plugins", "pellucid.PellucidPlugin").set("spark.pellucid.monotasks", "true")
    val sc = new SparkContext(conf)
    try sc.parallelize(Seq(0), 1).map(_ => (outcome(suites), TaskRecord.current.finish().get)).collect().head
    finally sc.stop()
  }

  /** On the current thread. */
  def outcome(suites: Seq[Class[_]]): Outcome = {
    val listener = new SummaryGeneratingListener
    val request = LauncherDiscoveryRequestBuilder.request().selectors(suites.map(selectClass(_)): _*).build()
    LauncherFactory.create().execute(request, listener)
    val summary = listener.getSummary
    val failed = summary.getFailures.asScala.toSeq
    failed.foreach { failure =>
      val text = new StringWriter
      failure.getException.printStackTrace(new PrintWriter(text, true))
      println(s"${failure.getTestIdentifier.getUniqueId}: ${text.toString.take(1500)}")
    }
    Outcome(
      summary.getTestsSucceededCount,
      summary.getTestsAbortedCount + summary.getTestsSkippedCount,
      failed.map(_.getTestIdentifier.getUniqueId).sorted
    )
  }
}
