package pellucid.fs

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.{BlockLocation, FileSystem, FSDataOutputStream, Path}
import org.apache.hadoop.hdfs.DFSOutputStream
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.spark.SparkEnv
import org.apache.spark.api.plugin.PluginContext

import pellucid.plugin.Guard

/** Where HDFS puts the replicas of a file that a task writes: the driver knows who writes where, and its choice ([[pellucid.sched.Replicas]]) goes to
  * the name node as the nodes that the file favours, which has the last word. What the name node chooses by itself is told to the driver.
  */
private[fs] final class HdfsReplicas private (
    driver: PluginContext,
    fs: FileSystem,
    path: Path,
    stock: FSDataOutputStream,
    streamer: AnyRef,
    status: HdfsFileStatus
) {
  import HdfsReplicas._
  private val fileSystem = fs.getUri.getAuthority
  private val file = s"${SparkEnv.get.executorId} ${files.getAndIncrement()} $fileSystem"
  private var chosen, left = false // some blocks' machines by the driver, or left to HDFS

  /** On the task's thread, before it writes `size` bytes. */
  def before(size: Int): Unit = {
    val ofBlock = stock.getPos % status.getBlockSize
    if (ofBlock == 0 || ofBlock + size > status.getBlockSize) { guard(choose()); () }
  }

  private def choose(): Unit = {
    val answer = Option(own.get(fileSystem)).fold("")(own => ask(s"writes $file $own ${status.getReplication}"))
    val machines = answer.split(' ').filter(_.contains(':'))
    favouredNodes.set(streamer, if (machines.isEmpty) null else machines)
    if (machines.nonEmpty) chosen = true else if (answer.isEmpty) left = true
  }

  /** A task that is killed meanwhile finds that out when it writes. */
  private def ask(message: String): String =
    try driver.ask(message).toString
    catch { case _: InterruptedException => Thread.currentThread.interrupt(); "" }

  /** The file is closed, or will not be written. */
  def ended(): Unit = if (chosen || left) {
    guard {
      if (chosen) driver.send(s"written $file")
      if (left) look()
    }
    chosen = false
    left = false
  }

  private def look(): Unit = {
    val blocks =
      try fs.getFileBlockLocations(path, 0, Long.MaxValue)
      catch { case _: IOException => Array.empty[BlockLocation] } // it may be gone by now
    for (block <- blocks) {
      val here = HdfsSource.replicaHere(block)
      if (here >= 0) own.put(fileSystem, machine(block, here)) else own.putIfAbsent(fileSystem, ReplicaChoice.Nothing)
      val machines = block.getHosts.indices.map(n => machine(block, n) + rack(block, n))
      driver.send(s"chosen $fileSystem ${machines.mkString(" ")}")
    }
  }
}

private[pellucid] object HdfsReplicas {
  private val guard = new Guard("choosing where HDFS puts replicas")
  private val files = new AtomicLong

  /** Datanodes never move a replica away from a machine that its file favoured. */
  private final val Pinning = "dfs.datanode.block-pinning.enabled"

  /** Of this executor; None where its tasks leave the choice to HDFS. */
  @volatile var driver: Option[PluginContext] = None

  /** This machine, as a look has shown it, by file system. */
  private val own = new ConcurrentHashMap[String, String]

  private lazy val streamerOf = field(classOf[DFSOutputStream], "streamer")
  private lazy val favouredNodes = field(streamerOf.getType, "favoredNodes")
  private lazy val statusOf = field(streamerOf.getType, "stat")

  /** Of a file that a task begins to write, where there is a choice. Encrypted files, and those in stripes, have none. */
  private[fs] def of(fs: FileSystem, path: Path, stock: FSDataOutputStream): Option[HdfsReplicas] =
    driver.flatMap { driver =>
      Option(stock.getWrappedStream).filter(_.getClass == classOf[DFSOutputStream]).flatMap { stream =>
        guard {
          val streamer = streamerOf.get(stream)
          val status = statusOf.get(streamer).asInstanceOf[HdfsFileStatus]
          val chooses = status.getReplication > 1 && !fs.getConf.getBoolean(Pinning, false)
          Option.when(chooses)(new HdfsReplicas(driver, fs, path, stock, streamer, status))
        }.flatten
      }
    }

  /** As HDFS' client calls the machines that it favours. */
  private def machine(block: BlockLocation, n: Int) =
    block.getHosts.apply(n) + ":" + block.getNames.apply(n).split(':').last

  /** A path of the network's topology ends in the machine's name. */
  private def rack(block: BlockLocation, n: Int) = {
    val path = block.getTopologyPaths.apply(n)
    path.take(path.lastIndexOf('/'))
  }

  private def field(of: Class[_], name: String) = {
    val f = of.getDeclaredField(name)
    f.setAccessible(true)
    f
  }
}
