package pellucid.fs

import java.net.InetSocketAddress
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{BlockLocation, FileSystem, Path}
import org.apache.hadoop.hdfs.DFSUtilClient
import org.apache.hadoop.hdfs.client.{HdfsClientConfigKeys, HdfsDataInputStream}
import org.apache.hadoop.net.NetUtils

import pellucid.monotask.Resources

/** A file of HDFS. Its name node tells of each block which datanodes have it and on which of their disks. */
private[pellucid] object HdfsSource {
  def of(fs: FileSystem, path: Path, stream: HdfsDataInputStream): Source = {
    lazy val known = knownBlocks(fs, path, stream)
    var last: Option[BlockLocation] = None
    def at(position: Long) = {
      if (!last.exists(covers(_, position)))
        last = known.find(covers(_, position)).orElse(fs.getFileBlockLocations(path, position, 1).headOption)
      last
    }
    new Source(
      "hdfs",
      Some(() =>
        Option(stream.getCurrentDatanode).fold("hdfs")(node => s"hdfs:${node.getHostName}")
      ), // not of positioned reads
      at(_).fold(Network)(resource),
      (position, ask) => (if (ask) at(position) else last.filter(covers(_, position))).flatMap(local),
      Some(fs),
      () => Some(stream.getVisibleLength)
    )
  }

  private final val Network = "network"

  private def knownBlocks(fs: FileSystem, path: Path, stream: HdfsDataInputStream): Seq[BlockLocation] =
    if (isShort(fs, path, stream) && !stream.getAllBlocks.asScala.exists(_.isStriped))
      DFSUtilClient.locatedBlocks2Locations(stream.getAllBlocks).toSeq
    else Nil

  /** The name node told the stream of all of its blocks when it was opened. */
  def isShort(fs: FileSystem, path: Path, stream: HdfsDataInputStream): Boolean =
    stream.getVisibleLength <=
      fs.getConf.getLong(HdfsClientConfigKeys.Read.PREFETCH_SIZE_KEY, 10 * fs.getDefaultBlockSize(path))

  /** Of a short file: its blocks, which have other names where they have other bytes. */
  def content(stream: HdfsDataInputStream): Seq[(Long, Long, Long)] = stream.getAllBlocks.asScala.toSeq
    .map(_.getBlock).map(block => (block.getBlockId, block.getGenerationStamp, block.getNumBytes))

  private def covers(block: BlockLocation, position: Long) =
    position >= block.getOffset && position < block.getOffset + block.getLength

  /** A datanode sends a reader in sequence what the sockets take, megabytes that another task may read from another machine's disk. */
  private def local(block: BlockLocation): Option[String] = {
    val here = replicaHere(block)
    Option.when(here >= 0 && here < block.getHosts.length)(s"hdfs:${block.getHosts.apply(here)}")
  }

  /** HDFS reads from this machine where it can. */
  private def resource(block: BlockLocation): String = {
    val here = replicaHere(block)
    if (here < 0 || here >= block.getStorageIds.length) Network
    else s"${Resources.Disk}${block.getStorageIds.apply(here)}"
  }

  /** Its place among the block's; -1 where this machine has none, or a part of a striped block: most of that is elsewhere, and HDFS' threads may write to
    * the array of a read by position when that has returned.
    */
  def replicaHere(block: BlockLocation): Int = if (block.isStriped) -1 else block.getNames.indexWhere(isHere)

  /** @param node its address and port */
  private def isHere(node: String): Boolean =
    known.computeIfAbsent(
      node,
      _ => NetUtils.isLocalAddress(new InetSocketAddress(node.takeWhile(_ != ':'), 0).getAddress)
    )

  private val known = new ConcurrentHashMap[String, java.lang.Boolean]
}
