package org.apache.spark.pellucid

import java.io.{InputStream, IOException}
import java.nio.ByteBuffer

import io.netty.buffer.{ByteBuf, ByteBufInputStream, Unpooled}
import org.apache.spark.SparkConf
import org.apache.spark.network.buffer.{FileSegmentManagedBuffer, ManagedBuffer}
import org.apache.spark.shuffle.IndexShuffleBlockResolver
import org.apache.spark.storage._

/** Finds shuffle blocks as Spark does, by the index that is on disk for each map task; those whose map output is still in memory, there. */
private[pellucid] final class KeptOutputResolver(conf: SparkConf, val kept: KeptMapOutput)
    extends IndexShuffleBlockResolver(conf) {
  override def getBlockData(blockId: BlockId, dirs: Option[Array[String]]): ManagedBuffer =
    (super.getBlockData(blockId, dirs), LocalDisks.file(blockId)) match {
      case (file: FileSegmentManagedBuffer, output: ShuffleDataBlockId) if dirs.isEmpty && kept.get(output).isDefined =>
        new KeptBlock(file, output, kept)
      case (file, _) => file
    }
}

private[pellucid] object KeptOutputResolver {

  /** `length` bytes from `offset` on of all chunks, one after the other. */
  def slice(chunks: Array[ByteBuffer], offset: Long, length: Long): Array[ByteBuffer] = {
    var begins = 0L
    chunks.flatMap { chunk =>
      val from = math.max(offset - begins, 0L)
      val until = math.min(offset + length - begins, chunk.limit().toLong)
      begins += chunk.limit()
      Option.when(from < until)(chunk.duplicate().position(from.toInt).limit(until.toInt).slice())
    }
  }
}

/** The block that is, or will be, in `file`, from wherever its map output is when it is read: one that waits for its reader keeps no memory. */
private final class KeptBlock(file: FileSegmentManagedBuffer, output: ShuffleDataBlockId, kept: KeptMapOutput)
    extends ManagedBuffer {
  private def there: Option[ByteBuf] = kept.get(output).map { output =>
    val parts = KeptOutputResolver.slice(output.getChunks(), file.getOffset, file.getLength)
    Unpooled.wrappedBuffer(math.max(1, parts.length), parts: _*)
  }

  override def size(): Long = file.size
  override def nioByteBuffer(): ByteBuffer = there.fold(file.nioByteBuffer())(_.nioBuffer())
  override def createInputStream(): InputStream = there.fold(ofFile)(new ByteBufInputStream(_))

  /** Spark takes only its own kind of buffer for one whose file may fail to open: it fails to be read. */
  private def ofFile: InputStream =
    try file.createInputStream()
    catch {
      case e: IOException => new InputStream { override def read(): Int = throw e }
    }

  override def retain(): ManagedBuffer = this
  override def release(): ManagedBuffer = this
  override def convertToNetty(): AnyRef = there.getOrElse(file.convertToNetty())
  override def convertToNettyForSsl(): AnyRef = there.getOrElse(file.convertToNettyForSsl())
  override def toString: String = s"$output in memory, or $file"
}
