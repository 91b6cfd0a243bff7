package pellucid.fs

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{BlockLocation, FileSystem, FSDataOutputStream, Path}
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.spark.api.plugin.PluginContext
import org.apache.spark.pellucid.Fields

import pellucid.plugin.{Guard, Interrupted}
import pellucid.sched.Monotask

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
  private val file = s"${driver.executorID()} ${files.getAndIncrement()} $fileSystem"
  private var begunAt = -1L // the block that was asked for last
  private var chosen = Array.empty[String] // its machines, where the driver has chosen
  private var asked = false // the driver
  private var left, favoured = false // some block to HDFS, or some machines

  /** `size` bytes are written next; of a few it does not matter to which disks. */
  def begins(size: Int): Unit = if (size >= Monotask.FewBytes) {
    val at = stock.getPos
    val ofBlock = at % status.getBlockSize
    if (at != begunAt && (ofBlock == 0 || ofBlock + size > status.getBlockSize)) {
      begunAt = at
      favours(Array.empty)
      guard(choose())
      ()
    }
  }

  private def choose(): Unit = {
    val answer = Option(own.get(fileSystem)).fold("") { own =>
      asked = true
      ask(s"writes $file $own ${status.getReplication}")
    }
    if (answer.isEmpty) left = true
    else if (answer != ReplicaChoice.Nothing) favours(answer.split(' '))
  }

  private def favours(machines: Array[String]): Unit = {
    chosen = machines
    favoured ||= machines.nonEmpty
    favouredNodes.set(
      streamer,
      machines
    ) // none are no choice; the streamer's own thread may not find null where there were some
  }

  /** A task that is killed meanwhile finds that out when it writes. */
  private def ask(message: String): String =
    try driver.ask(message).toString
    catch { case _: InterruptedException => Interrupted.again(); ReplicaChoice.Nothing }

  /** Nothing more is written.
    *
    * @param complete it is closed
    */
  def ended(complete: Boolean): Unit = {
    guard {
      if (asked) driver.send(s"written $file")
      if (complete && chosen.nonEmpty && seen.add(fileSystem)) confirm()
      else if (complete && left && !favoured) look()
    }
    asked = false
    left = false
  }

  /** The first time that machines were favoured: a name node that knows them by other names favours others. */
  private def confirm(): Unit = for (block <- blocks().lastOption) {
    val has = block.getHosts.indices.map(machine(block, _)) // those that have told the name node of it by now
    if (!has.forall(chosen.contains)) {
      HdfsReplicas.driver = None
      Guard.warn(s"HDFS put replicas on ${has.mkString(", ")}, not on ${chosen.mkString(", ")}: it chooses from now on")
    }
  }

  private def look(): Unit = for (block <- blocks()) {
    val here = HdfsSource.replicaHere(block)
    if (here >= 0) own.put(fileSystem, machine(block, here))
    else if (block.getHosts.length >= status.getReplication) own.putIfAbsent(fileSystem, ReplicaChoice.Nothing)
    val machines = block.getHosts.indices.map(n => machine(block, n) + rack(block, n))
    driver.send(s"chosen $fileSystem ${machines.mkString(" ")}")
  }

  private def blocks(): Seq[BlockLocation] =
    try fs.getFileBlockLocations(path, 0, Long.MaxValue).toSeq.filter(_.getHosts.nonEmpty)
    catch { case _: IOException => Nil } // it may be gone by now
}

private[pellucid] object HdfsReplicas {
  private val guard = new Guard("choosing where HDFS puts replicas")
  private val files = new AtomicLong

  /** What says, as far as this machine's configuration does, that HDFS places replicas otherwise, or never moves those that a file favoured. */
  private def isOrdinary(conf: Configuration) =
    !conf.getBoolean("dfs.datanode.block-pinning.enabled", false) &&
      conf.getBoolean("dfs.namenode.block-placement-policy.default.prefer-local-node", true) &&
      conf.get("dfs.block.replicator.classname", DefaultPolicy) == DefaultPolicy
  private final val DefaultPolicy = "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault"

  /** Of this executor; None where its tasks leave the choice to HDFS. */
  @volatile var driver: Option[PluginContext] = None

  /** This machine, as a look has shown it, by file system. */
  private val own = new ConcurrentHashMap[String, String]

  /** File systems that have favoured machines once. */
  private val seen = ConcurrentHashMap.newKeySet[String]

  private lazy val favouredNodes = Fields.of(HdfsStreamer.ofClass, "favoredNodes")
  private lazy val statusOf = Fields.of(HdfsStreamer.ofClass, "stat")

  /** Of a file that a task begins to write, where there is a choice: a plain one. */
  private[fs] def of(fs: FileSystem, path: Path, stock: FSDataOutputStream): Option[HdfsReplicas] =
    driver.flatMap { driver =>
      guard {
        HdfsStreamer.of(stock).flatMap { streamer =>
          val status = statusOf.get(streamer).asInstanceOf[HdfsFileStatus]
          val isFree = status.getReplication > 1 && favouredNodes.get(streamer) == null && isOrdinary(fs.getConf)
          Option.when(isFree)(new HdfsReplicas(driver, fs, path, stock, streamer, status))
        }
      }.flatten
    }

  /** As HDFS' client calls the machines that it favours. */
  private def machine(block: BlockLocation, n: Int) =
    block.getHosts.apply(n) + ":" + block.getNames.apply(n).split(':').last

  /** A path of the network's topology ends in the machine's name. */
  private def rack(block: BlockLocation, n: Int) = {
    val path = block.getTopologyPaths.apply(n)
    path.take(path.lastIndexOf('/'))
  }
}
