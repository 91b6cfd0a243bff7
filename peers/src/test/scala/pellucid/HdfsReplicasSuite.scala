package pellucid

import java.nio.file.Files
import java.util.{Arrays, EnumSet, Queue}
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.hdfs.{DistributedFileSystem, MiniDFSCluster}
import org.apache.hadoop.hdfs.DFSConfigKeys.DFS_NAMENODE_REPLICATION_MIN_KEY
import org.apache.hadoop.hdfs.client.{HdfsDataInputStream, HdfsDataOutputStream}
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector
import org.apache.spark.{SparkConf, SparkContext}
import org.junit.runner.RunWith
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.junit.JUnitRunner
import pellucid.fs.HdfsSource

/** Files that are written at once have their replicas on as many machines as there are, on an HDFS of five in this JVM. */
@RunWith(classOf[JUnitRunner])
class HdfsReplicasSuite extends AnyFunSuite {
  import HdfsReplicasSuite._

  test("of four files written at once, two replicas go to each of the four other machines") {
    withHdfs { (sc, fs, root) =>
      // HDFS chooses, which shows what machines there are
      write(sc, s"$root/before", 16, together = 1, replicas = machines)
      for (round <- 1 to 5) {
        val files = write(sc, s"$root/$round", 4, together = 4)
        val of = files.map { file =>
          val blocks = fs.getFileBlockLocations(file, 0, Long.MaxValue)
          assert(blocks.length === 1)
          blocks.head.getNames.toSet
        }
        assert(of.forall(_.size == replicas))
        // the task's own machine is in all four, which leaves 4 * 2 for the other four
        val loads = of.flatten.groupBy(identity).values.map(_.size).toSeq.sorted
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

  test("a file is written while those before it are closed, and no sooner") {
    val files = 4
    val closing = new Closing(files)
    DataNodeFaultInjector.set(closing)
    try
      withHdfs(outputSlots = 1) { (sc, fs, root) =>
        for (file <- write(sc, s"$root/one", files, together = 0, flush = false))
          assert(Arrays.equals(fs.open(file).readAllBytes(), content))
      }
    finally DataNodeFaultInjector.set(new DataNodeFaultInjector)
    assert(closing.together, "not all were closed at once")
    val sent = closing.sent // its last packets come with the close
    assert(sent.size === files)
    for (Seq(one, next) <- sent.sortBy(_.min).sliding(2))
      assert(one.sorted.dropRight(2 * replicas).last < next.min, "two were sent at once")
  }

  test("a task's streams are of the classes that HDFS' are, and do what only these can") {
    withHdfs { (sc, _, root) =>
      val (bytes, start) = (content, 1000)
      val did = sc.parallelize(Seq(0), 1).map { _ =>
        val file = new Path(s"$root/cast")
        val files = file.getFileSystem(new Configuration)
        val out = files.create(file).asInstanceOf[HdfsDataOutputStream]
        out.write(bytes, 0, start)
        out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH))
        val synced = files.getFileStatus(file).getLen
        val replicas = out.getCurrentBlockReplication
        out.write(bytes, start, bytes.length - start)
        val position = out.getPos
        out.close()
        val in = files.open(file).asInstanceOf[HdfsDataInputStream]
        val same = Arrays.equals(in.readAllBytes(), bytes)
        in.seek(77)
        val one = in.read()
        val told = (in.getVisibleLength, in.getAllBlocks.size, in.getReadStatistics.getTotalBytesRead > 0)
        in.close()
        (synced, replicas, position, same, one, told)
      }.collect().head
      assert(did === (1000L, 3, content.length.toLong, true, 77, (content.length.toLong, 1, true)))
    }
  }

  test("a striped file is read from the network, in sequence") {
    withHdfs { (sc, fs, root) =>
      val hdfs = fs.asInstanceOf[DistributedFileSystem]
      val folder = new Path(s"$root/striped")
      hdfs.enableErasureCodingPolicy("XOR-2-1-1024k")
      hdfs.mkdirs(folder)
      hdfs.setErasureCodingPolicy(folder, "XOR-2-1-1024k")
      val (name, bytes) = (s"$folder/file", content)
      val same = sc.parallelize(Seq(0), 1).map { _ =>
        val file = new Path(name)
        val out = file.getFileSystem(new Configuration).create(file)
        out.write(bytes)
        out.close()
        Arrays.equals(file.getFileSystem(new Configuration).open(file).readAllBytes(), bytes)
      }.collect().head
      assert(same)
      assert(fs.getFileBlockLocations(new Path(name), 0, Long.MaxValue).forall(HdfsSource.replicaHere(_) < 0))
      val plain = write(sc, s"$root/plain", 1, together = 1).head
      assert(fs.getFileBlockLocations(plain, 0, Long.MaxValue).forall(HdfsSource.replicaHere(_) >= 0))
    }
  }
}

private object HdfsReplicasSuite {
  private val content = Array.tabulate(2 << 20)(_.toByte)
  private var cluster: Option[MiniDFSCluster] = None

  private def withHdfs(body: (SparkContext, FileSystem, String) => Unit): Unit = withHdfs(4)(body)

  private def withHdfs(outputSlots: Int)(body: (SparkContext, FileSystem, String) => Unit): Unit = {
    val conf = new Configuration
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, Files.createTempDirectory("hdfs").toString)
    conf.setInt(DFS_NAMENODE_REPLICATION_MIN_KEY, replicas) // that are told of when a file is closed
    val hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(machines).build()
    cluster = Some(hdfs)
    try {
      hdfs.waitActive()
      val sc = new SparkContext(
        new SparkConf().setMaster("local[4]").setAppName("replicas").set("spark.ui.enabled", "false")
          .set("spark.plugins", "pellucid.PellucidPlugin").set("spark.pellucid.monotasks", "true")
          .set("spark.pellucid.monotasks.outputSlots", outputSlots.toString)
      )
      try body(sc, hdfs.getFileSystem, hdfs.getURI.toString)
      finally sc.stop()
    } finally hdfs.shutdown(true)
  }

  /** As many tasks write a file each; they close them when so many of them are written. */
  private def write(
      sc: SparkContext,
      folder: String,
      files: Int,
      together: Int,
      flush: Boolean = true,
      replicas: Short = replicas
  ): Seq[Path] = {
    written = new CountDownLatch(together)
    sc.parallelize(0 until files, files).map { n =>
      val file = new Path(s"$folder/$n")
      val out = file.getFileSystem(new Configuration).create(file, replicas)
      content.grouped(64 << 10).foreach(out.write)
      if (flush) out.hflush()
      written.countDown()
      written.await(60, TimeUnit.SECONDS)
      out.close()
      file.toString
    }.collect().toSeq.map(new Path(_))
  }

  @volatile private var written: CountDownLatch = _
  private val machines: Short = 5
  private val replicas: Short = 3

  /** Datanodes that take a millisecond for each packet, and finish no block before so many others are to be finished, too. */
  private final class Closing(files: Int) extends DataNodeFaultInjector {
    private val block = "blk_\\d+".r // in the name of the thread that receives it
    private val latch = new CountDownLatch(files)
    private val moments = new ConcurrentHashMap[String, Queue[Long]]

    /** That they did; for less long than a slot is kept by who does nothing there. */
    @volatile var together = true

    /** When packets came of each block, at any of its machines. */
    def sent: Seq[Seq[Long]] = moments.values.asScala.map(_.asScala.toSeq).toSeq

    override def delayWriteToDisk(): Unit = {
      for (id <- block.findFirstIn(Thread.currentThread.getName))
        moments.computeIfAbsent(id, _ => new ConcurrentLinkedQueue[Long]).add(System.nanoTime())
      Thread.sleep(1)
    }

    override def delayAckLastPacket(): Unit = {
      latch.countDown()
      if (!latch.await(5, TimeUnit.SECONDS)) together = false
    }
  }
}
