package pellucid.fs

import java.net.InetSocketAddress
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.hdfs.client.HdfsDataInputStream
import org.apache.hadoop.hdfs.protocol.{DatanodeInfo, LocatedBlock}
import org.apache.hadoop.net.NetUtils

/** A file of HDFS. Its name node tells of each block which datanodes have it and on which of their disks. */
private[fs] object HdfsSource {
  def of(stream: HdfsDataInputStream): Source = {
    lazy val blocks = stream.getAllBlocks.asScala.toArray
    new Source(
      "hdfs",
      Some(() =>
        Option(stream.getCurrentDatanode).fold("hdfs")(node => s"hdfs:${node.getHostName}")
      ), // not of positioned reads
      position => blocks.find(covers(_, position)).fold(Network)(resource)
    )
  }

  private final val Network = "network"

  private def covers(block: LocatedBlock, position: Long) =
    position >= block.getStartOffset && position < block.getStartOffset + block.getBlockSize

  /** HDFS reads from this machine where it can. */
  private def resource(block: LocatedBlock): String = {
    val here = block.getLocations.indexWhere(isHere)
    if (here < 0) Network else s"disk:${block.getStorageIDs.apply(here)}"
  }

  private def isHere(node: DatanodeInfo): Boolean =
    known.computeIfAbsent(
      node.getIpAddr,
      address => NetUtils.isLocalAddress(new InetSocketAddress(address, 0).getAddress)
    )

  private val known = new ConcurrentHashMap[String, java.lang.Boolean]
}
