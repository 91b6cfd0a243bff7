package org.apache.spark.pellucid

import java.io.{File, InputStream, IOException}
import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap

import io.netty.buffer.{ByteBuf, ByteBufInputStream, Unpooled}
import org.apache.spark.{SparkConf, TaskContext}
import org.apache.spark.network.buffer.{FileSegmentManagedBuffer, ManagedBuffer}
import org.apache.spark.shuffle.IndexShuffleBlockResolver
import org.apache.spark.storage._

import pellucid.sched.LeastLoaded

/** Finds shuffle blocks as Spark does, by the index that is on disk for each map task; those whose map output is still in memory, there. As nobody else reads the
  * files, what is written at once need not be where Spark's hash of its name has it: it goes to the disk that has least to do.
  */
private[pellucid] final class KeptOutputResolver(conf: SparkConf, val kept: KeptMapOutput, disks: LocalDisks)
    extends IndexShuffleBlockResolver(conf) {

  /** By their numbers; each has its part of all disks. */
  private val shuffles = new ConcurrentHashMap[Int, Placed]
  @volatile private var hasFailed = false

  private final class Placed {
    val leastLoaded = new LeastLoaded[String]
    val elsewhere = new ConcurrentHashMap[Long, File] // than by name, of each map task
  }

  /** The disk for a map task's output, of which so many bytes are known; from now on its file is there. By name once writing has failed to one: the disk that has least
    * to do may be the one that takes nothing.
    *
    * @param load what a disk has to do
    */
  def place(output: ShuffleDataBlockId, bytes: Long, context: TaskContext)(load: String => Double): String = {
    val byName = disks.ofName(output)
    if (hasFailed || bytes == 0 || disks.names.size == 1) byName
    else {
      context.addTaskFailureListener { (task, e) =>
        if (e.isInstanceOf[IOException] && !task.isInterrupted()) hasFailed = true
      }
      val placed = shuffles.computeIfAbsent(output.shuffleId, _ => new Placed)
      val withRoom = disks.names.filter(disks.hasRoom(_, bytes))
      val disk = placed.synchronized(placed.leastLoaded.next(bytes, withRoom, byName)(load))
      if (disk == byName) disk
      else disks.on(disk, output).fold(byName) { file => placed.elsewhere.put(output.mapId, file); disk }
    }
  }

  /** The file of a map task's output that is not where its name leads. */
  def elsewhere(shuffleId: Int, mapId: Long): Option[File] =
    Option(shuffles.get(shuffleId)).flatMap(placed => Option(placed.elsewhere.get(mapId)))

  override def getDataFile(shuffleId: Int, mapId: Long, dirs: Option[Array[String]]): File =
    elsewhere(shuffleId, mapId).filter(_ => dirs.isEmpty).getOrElse(super.getDataFile(shuffleId, mapId, dirs))

  /** The files of a shuffle that are not where Spark, which deletes the others, looks for them. */
  def removeElsewhere(shuffleId: Int): Unit =
    Option(shuffles.remove(shuffleId)).foreach(_.elsewhere.values.forEach { file => file.delete(); () })

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
