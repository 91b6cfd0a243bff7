package pellucid

import java.io.{File, IOException}
import java.net.{HttpURLConnection, ServerSocket, URI}

import scala.util.{Try, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.contract._
import org.junit.jupiter.params.ParameterizedClass
import org.junit.jupiter.params.provider.MethodSource
import org.junit.runner.RunWith
import org.scalatest.BeforeAndAfterAll
import org.scalatestplus.junit.JUnitRunner

/** Of S3's, an object store, whose client opens files and reads ranges by threads of its own; on a server in this computer. */
@RunWith(classOf[JUnitRunner])
class S3ContractSuite
    extends ContractSuite(
      Seq(
        classOf[S3Contract.BulkDelete],
        classOf[S3Contract.ContentSummary],
        classOf[S3Contract.Create],
        classOf[S3Contract.Delete],
        classOf[S3Contract.GetFileStatus],
        classOf[S3Contract.Mkdir],
        classOf[S3Contract.Open],
        classOf[S3Contract.Rename],
        classOf[S3Contract.Seek],
        classOf[S3Contract.Unbuffer],
        classOf[S3Contract.VectoredRead]
      ),
      "store:s3a" -> "store:s3a",
      // of which Hadoop's own tests of S3 have others: it deletes many at once, and folders with them; says of all files that they are encrypted; renames
      // without looking whether a file is above, and folders to where one is; and calls a range before a file's start an argument that is wrong
      Set(
        "BulkDelete.testBulkDeleteParentDirectoryWithDirectories",
        "BulkDelete.testBulkDeleteParentDirectoryWithFiles",
        "BulkDelete.validatePageSize",
        "Open.testFsIsEncrypted",
        "Rename.testRenameDirIntoExistingDir",
        "Rename.testRenameFileUnderFileSubdir",
        "VectoredRead.testNegativeOffsetRange"
      )
    )
    with BeforeAndAfterAll {
  private val port = Using.resource(new ServerSocket(0))(_.getLocalPort)
  private val address = s"http://127.0.0.1:$port"
  private var server: Process = _

  /** With a bucket, once it answers. */
  override def beforeAll(): Unit = {
    val starts = new ProcessBuilder("python3", "-m", "moto.server", "-p", port.toString).redirectErrorStream(true)
      .redirectOutput(new File(System.getProperty("java.io.tmpdir"), "moto.log"))
    starts.environment.put("PYTHONPATH", System.getProperty("moto.home"))
    server = starts.start()
    val late = System.nanoTime() + 60000000000L
    while (!Try(makeBucket()).isSuccess && server.isAlive && System.nanoTime() < late) Thread.sleep(100)
    System.setProperty("s3.server", address)
  }

  private def makeBucket(): Unit = {
    val put = URI.create(s"$address/contract").toURL.openConnection().asInstanceOf[HttpURLConnection]
    put.setRequestMethod("PUT")
    if (put.getResponseCode != 200) throw new IOException(put.getResponseMessage)
  }

  override def afterAll(): Unit = server.destroyForcibly()
}

/** Hadoop has no jar of its tests of S3, only of those that they are of. */
private class S3Contract(conf: Configuration) extends AbstractBondedFSContract(conf) {
  addConfResource("contract/s3a.xml")
  override def getScheme = "s3a"
}

private object S3Contract {
  trait Has extends AbstractFSContractTestBase {
    override def createContract(conf: Configuration): AbstractFSContract = new S3Contract(conf)
  }
  class BulkDelete extends AbstractContractBulkDeleteTest with Has
  class ContentSummary extends AbstractContractContentSummaryTest with Has
  class Create extends AbstractContractCreateTest with Has
  class Delete extends AbstractContractDeleteTest with Has
  class GetFileStatus extends AbstractContractGetFileStatusTest with Has
  class Mkdir extends AbstractContractMkdirTest with Has
  class Open extends AbstractContractOpenTest with Has
  class Rename extends AbstractContractRenameTest with Has
  class Seek extends AbstractContractSeekTest with Has
  class Unbuffer extends AbstractContractUnbufferTest with Has

  @ParameterizedClass
  @MethodSource(Array("params"))
  class VectoredRead(buffer: String) extends AbstractContractVectoredReadTest(buffer) with Has
}
