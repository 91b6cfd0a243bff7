package pellucid

import java.nio.file.Files
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.hdfs.MiniDFSCluster
import org.apache.spark.{SparkConf, SparkContext}
import org.junit.runner.RunWith
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.junit.JUnitRunner

/** Files that are written at once have their replicas on as many machines as there are, on an HDFS of five in this JVM. */
@RunWith(classOf[JUnitRunner])
class HdfsReplicasSuite extends AnyFunSuite {
  import HdfsReplicasSuite._

  test("of four files written at once, two replicas go to each of the four other machines") {
    withHdfs { (sc, fs, root) =>
      write(sc, s"$root/before", 16, together = 1) // HDFS chooses, which shows what machines there are
      for (round <- 1 to 5) {
        val files = write(sc, s"$root/$round", 4, together = 4)
        val replicas = files.map { file =>
          val blocks = fs.getFileBlockLocations(file, 0, Long.MaxValue)
          assert(blocks.length === 1)
          blocks.head.getNames.toSet
        }
        assert(replicas.forall(_.size == 3))
        // the task's own machine is in all four, which leaves 4 * 2 for the other four
        val loads = replicas.flatten.groupBy(identity).values.map(_.size).toSeq.sorted
        assert(loads === Seq(2, 2, 2, 2, 4))
      }
    }
  }

  test("what is written is what is read, and HDFS chooses where a machine that is known is gone") {
    withHdfs { (sc, fs, root) =>
      write(sc, s"$root/before", 16, together = 1)
      cluster.foreach(_.stopDataNode(4))
      for (file <- write(sc, s"$root/after", 8, together = 1)) {
        val in = fs.open(file)
        try assert(in.readAllBytes() === content)
        finally in.close()
      }
    }
  }
}

private object HdfsReplicasSuite {
  private val content = Array.tabulate(2 << 20)(_.toByte)
  private var cluster: Option[MiniDFSCluster] = None

  private def withHdfs(body: (SparkContext, FileSystem, String) => Unit): Unit = {
    val conf = new Configuration
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, Files.createTempDirectory("hdfs").toString)
    val hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(5).build()
    cluster = Some(hdfs)
    try {
      hdfs.waitActive()
      val sc = new SparkContext(
        new SparkConf().setMaster("local[4]").setAppName("replicas").set("spark.ui.enabled", "false")
          .set("spark.plugins", "pellucid.PellucidPlugin").set("spark.pellucid.monotasks", "true")
          .set("spark.pellucid.monotasks.outputSlots", "4")
      )
      try body(sc, hdfs.getFileSystem, hdfs.getURI.toString)
      finally sc.stop()
    } finally hdfs.shutdown(true)
  }

  /** As many tasks write a file each; they close them when so many of them are written. */
  private def write(sc: SparkContext, folder: String, files: Int, together: Int): Seq[Path] = {
    written = new CountDownLatch(together)
    sc.parallelize(0 until files, files).map { n =>
      val file = new Path(s"$folder/$n")
      val out = file.getFileSystem(new Configuration).create(file)
      out.write(content)
      out.hflush()
      written.countDown()
      written.await(60, TimeUnit.SECONDS)
      out.close()
      file.toString
    }.collect().toSeq.map(new Path(_))
  }

  @volatile private var written: CountDownLatch = _
}
