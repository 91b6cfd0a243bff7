package org.apache.spark.pellucid

import java.io.InputStream
import java.lang.reflect.Modifier
import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel

import scala.reflect.ClassTag

import io.netty.channel.FileRegion
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.network.{BlockDataManager, TransportContext}
import org.apache.spark.network.buffer.{FileSegmentManagedBuffer, ManagedBuffer}
import org.apache.spark.network.client.StreamCallbackWithID
import org.apache.spark.network.netty.{NettyBlockRpcServer, NettyBlockTransferService}
import org.apache.spark.network.shuffle.checksum.Cause
import org.apache.spark.network.util.AbstractFileRegion
import org.apache.spark.storage.{BlockId, StorageLevel}

import pellucid.observe.Served

/** An executor's blocks, as others ask for them. Of those in shuffle files it is measured how long this machine's disks keep the threads that
  * send them: to the tasks that wait it looks like the network.
  */
private[pellucid] final class ObservedServing(stock: BlockDataManager) extends BlockDataManager {
  override def getLocalBlockData(blockId: BlockId): ManagedBuffer = stock.getLocalBlockData(blockId) match {
    case file: FileSegmentManagedBuffer => new ServedBlock(file)
    case other => other
  }

  override def getHostLocalShuffleData(blockId: BlockId, dirs: Array[String]): ManagedBuffer =
    stock.getHostLocalShuffleData(blockId, dirs)
  override def getLocalDiskDirs: Array[String] = stock.getLocalDiskDirs
  override def diagnoseShuffleBlockCorruption(blockId: BlockId, checksum: Long, algorithm: String): Cause =
    stock.diagnoseShuffleBlockCorruption(blockId, checksum, algorithm)
  override def putBlockData(id: BlockId, data: ManagedBuffer, level: StorageLevel, of: ClassTag[_]): Boolean =
    stock.putBlockData(id, data, level, of)
  override def putBlockDataAsStream(id: BlockId, level: StorageLevel, of: ClassTag[_]): StreamCallbackWithID =
    stock.putBlockDataAsStream(id, level, of)
  override def releaseLock(blockId: BlockId, task: Option[TaskContext]): Unit = stock.releaseLock(blockId, task)
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

  /** Before the executor's first task. In local mode, where nobody fetches, there may be no server yet. Spark 4.3 asks for other
    * methods, and is left alone.
    */
  def install(): Unit = if (isWhole) for {
    netty <- Some(SparkEnv.get.blockManager.blockTransferService).collect { case n: NettyBlockTransferService => n }
    context <- Option(Fields.get(classOf[NettyBlockTransferService], netty, "transportContext"))
    server <-
      Some(Fields.get(classOf[TransportContext], context, "rpcHandler")).collect { case s: NettyBlockRpcServer => s }
  } {
    val stock = Fields.get(classOf[NettyBlockRpcServer], server, "blockManager").asInstanceOf[BlockDataManager]
    Fields.replace(classOf[NettyBlockRpcServer], server, new ObservedServing(stock), "blockManager")
  }

  /** Has all methods of Spark's interface, which may be of another version than the one that this was compiled for. */
  private def isWhole: Boolean =
    classOf[ObservedServing].getMethods.forall(method => !Modifier.isAbstract(method.getModifiers))
}
