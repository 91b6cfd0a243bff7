package org.apache.spark.pellucid

import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel
import java.util.{Iterator => JavaIterator}

import scala.jdk.CollectionConverters._

import io.netty.channel.{Channel, FileRegion}
import io.netty.channel.nio.AbstractNioChannel
import org.apache.spark.SparkEnv
import org.apache.spark.network.TransportContext
import org.apache.spark.network.buffer.{FileSegmentManagedBuffer, ManagedBuffer}
import org.apache.spark.network.client.TransportClient
import org.apache.spark.network.netty.{NettyBlockRpcServer, NettyBlockTransferService}
import org.apache.spark.network.server.{OneForOneStreamManager, StreamManager}
import org.apache.spark.network.util.AbstractFileRegion

import pellucid.observe.Served

/** What an executor sends of its blocks to others. Of those in shuffle files it is counted how many bytes that is, and where Java sends them
  * (`spark.shuffle.io.mode=NIO`) measured how long this machine's disks keep its threads: to the tasks that wait it looks like the network. Where the kernel
  * sends them by itself, as on Linux since Spark 4.1, which it does of nothing but Spark's own objects, no thread of the JVM waits.
  *
  * It stands between the server of blocks and Spark's own manager of streams, which does all the work, and which connections of before go on to use.
  */
private[pellucid] final class ObservedServing(stock: OneForOneStreamManager) extends OneForOneStreamManager {
  private def observed(blocks: JavaIterator[ManagedBuffer], to: Channel): JavaIterator[ManagedBuffer] =
    blocks.asScala.map {
      case file: FileSegmentManagedBuffer =>
        ScheduledServing.asks(file)
        if (to.isInstanceOf[AbstractNioChannel]) new ServedBlock(file) else { Served.byKernel(file.size); file }
      case other => other
    }.toVector.iterator.asJava

  override def registerStream(id: String, blocks: JavaIterator[ManagedBuffer], to: Channel, late: Boolean): Long =
    stock.registerStream(id, observed(blocks, to), to, late)
  override def registerStream(id: String, blocks: JavaIterator[ManagedBuffer], to: Channel): Long =
    stock.registerStream(id, observed(blocks, to), to)

  override def getChunk(stream: Long, chunk: Int): ManagedBuffer = stock.getChunk(stream, chunk)
  override def openStream(stream: String): ManagedBuffer = stock.openStream(stream)
  override def connectionTerminated(channel: Channel): Unit = stock.connectionTerminated(channel)
  override def checkAuthorization(client: TransportClient, stream: Long): Unit =
    stock.checkAuthorization(client, stream)
  override def checkAuthorization(client: TransportClient, stream: String): Unit =
    stock.checkAuthorization(client, stream)
  override def chunkBeingSent(stream: Long): Unit = stock.chunkBeingSent(stream)
  override def streamBeingSent(stream: String): Unit = stock.streamBeingSent(stream)
  override def chunkSent(stream: Long): Unit = stock.chunkSent(stream)
  override def streamSent(stream: String): Unit = stock.streamSent(stream)
  override def chunksBeingTransferred(): Long = stock.chunksBeingTransferred()
  override def numStreamStates(): Int = stock.numStreamStates()
}

private final class ServedBlock(stock: FileSegmentManagedBuffer) extends ManagedBuffer {
  override def size(): Long = stock.size
  override def nioByteBuffer(): ByteBuffer = stock.nioByteBuffer()
  override def createInputStream(): InputStream = stock.createInputStream()
  override def retain(): ManagedBuffer = { stock.retain(); this }
  override def release(): ManagedBuffer = { stock.release(); this }
  override def convertToNetty(): AnyRef = stock.convertToNetty() match {
    case file: FileRegion => new ServedRegion(file)
    case other => other
  }
  override def convertToNettyForSsl(): AnyRef = stock.convertToNettyForSsl()
  override def toString: String = stock.toString
}

/** Goes from the file to the socket without being copied; a socket that is full is not waited for. */
private final class ServedRegion(stock: FileRegion) extends AbstractFileRegion {
  override def transferTo(to: WritableByteChannel, position: Long): Long =
    Served.measured(stock.transferTo(to, position))
  override def position(): Long = stock.position
  override def transferred(): Long = stock.transferred
  override def count(): Long = stock.count
  override protected def deallocate(): Unit = { stock.release(); () }
}

object ObservedServing {

  /** Before the executor's first task. In local mode, where nobody fetches, there may be no server yet. A version of Spark with more to pass on than
    * is passed on here is left alone.
    */
  def install(): Unit =
    if (PassedOn.all(classOf[ObservedServing], classOf[OneForOneStreamManager], classOf[StreamManager])) for {
      netty <- Some(SparkEnv.get.blockManager.blockTransferService).collect { case n: NettyBlockTransferService => n }
      context <- Option(Fields.get(classOf[NettyBlockTransferService], netty, "transportContext"))
      server <-
        Some(Fields.get(classOf[TransportContext], context, "rpcHandler")).collect { case s: NettyBlockRpcServer => s }
    } {
      val stock = Fields.get(classOf[NettyBlockRpcServer], server, "streamManager").asInstanceOf[OneForOneStreamManager]
      Fields.replace(classOf[NettyBlockRpcServer], server, new ObservedServing(stock), "streamManager")
    }
}
