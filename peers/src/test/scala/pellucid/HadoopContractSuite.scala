package pellucid

import java.io.{PrintWriter, StringWriter}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.contract.localfs._
import org.apache.spark.{SparkConf, SparkContext}
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.core.{LauncherDiscoveryRequestBuilder, LauncherFactory}
import org.junit.platform.launcher.listeners.SummaryGeneratingListener
import org.junit.runner.RunWith
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.junit.JUnitRunner

import pellucid.observe.TaskRecord

/** Hadoop's own contract tests of a file system, of the local one as a task sees it. They run inside a task, whose streams are observed. */
@RunWith(classOf[JUnitRunner])
class HadoopContractSuite extends AnyFunSuite {
  import HadoopContractSuite._

  test("what a task's file system does is what the stock one does") {
    val stock = outcome()
    val conf = new SparkConf().setMaster("local[1]").setAppName("contract").set("spark.ui.enabled", "false")
      .set("spark.plugins", "pellucid.PellucidPlugin").set("spark.pellucid.monotasks", "true")
    val sc = new SparkContext(conf)
    val (observed, measured) =
      try sc.parallelize(Seq(0), 1).map(_ => (outcome(), TaskRecord.current.finish().get)).collect().head
      finally sc.stop()
    info(
      s"${observed.succeeded} tests passed, ${observed.skipped} do not apply; failed with the stock file system: ${stock.failed.mkString(", ")}"
    )
    assert(observed === stock)
    assert(observed.succeeded > 100)
    assert(measured.contains(";input,disk:") && measured.contains(";output,disk:"), measured)
  }
}

private object HadoopContractSuite {
  final case class Outcome(succeeded: Long, skipped: Long, failed: Seq[String])

  private val suites: Seq[Class[_]] = Seq(
    classOf[TestLocalFSContractAppend],
    classOf[TestLocalFSContractBulkDelete],
    classOf[TestLocalFSContractContentSummary],
    classOf[TestLocalFSContractCreate],
    classOf[TestLocalFSContractDelete],
    classOf[TestLocalFSContractGetEnclosingRoot],
    classOf[TestLocalFSContractGetFileStatus],
    classOf[TestLocalFSContractLoaded],
    classOf[TestLocalFSContractMkdir],
    classOf[TestLocalFSContractOpen],
    classOf[TestLocalFSContractRename],
    classOf[TestLocalFSContractSeek],
    classOf[TestLocalFSContractSetTimes],
    classOf[TestLocalFSContractStreamIOStatistics],
    classOf[TestLocalFSContractVectoredRead]
  )

  /** On the current thread. */
  def outcome(): Outcome = {
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
