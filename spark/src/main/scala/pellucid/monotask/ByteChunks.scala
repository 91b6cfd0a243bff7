package pellucid.monotask

import java.io.OutputStream
import java.util.zip.Checksum

import scala.collection.mutable.ArrayBuffer

/** Bytes of a map task's output, in memory until they are written: chunks that grow with what there has been.
  *
  * @param allocate returns a chunk of so many bytes; it may [[drain]] what is here first
  */
final class ByteChunks(checksum: Option[Checksum], allocate: Int => Array[Byte]) extends OutputStream {
  import ByteChunks._
  private val chunks = ArrayBuffer.empty[Array[Byte]]
  private var free = 0 // at the end of the last chunk
  private var next = Smallest
  private var discarded = false

  override def write(b: Int): Unit = write(Array(b.toByte), 0, 1)

  override def write(b: Array[Byte], off: Int, len: Int): Unit = if (!discarded) {
    checksum.foreach(_.update(b, off, len))
    var at = off
    while (at < off + len) {
      if (free == 0) add()
      val chunk = chunks.last
      val n = math.min(free, off + len - at)
      System.arraycopy(b, at, chunk, chunk.length - free, n)
      free -= n
      at += n
    }
  }

  private def add(): Unit = {
    val chunk = allocate(next)
    chunks += chunk
    free = chunk.length
    next = math.min(2 * chunk.length, Largest)
  }

  /** Hands out each chunk and how many bytes there are in it. */
  def foreach(take: (Array[Byte], Int) => Unit): Unit =
    for (i <- chunks.indices) take(chunks(i), if (i == chunks.length - 1) chunks(i).length - free else chunks(i).length)

  /** The same, and has nothing afterwards. */
  def drain(take: (Array[Byte], Int) => Unit): Unit = { foreach(take); clear() }

  def size: Long = chunks.iterator.map(_.length.toLong).sum - free

  /** What is here, and what is written from now on, goes nowhere. */
  def discard(): Unit = { discarded = true; clear() }

  private def clear(): Unit = {
    chunks.clear()
    free = 0
    next = Smallest
  }

  def isEmpty: Boolean = chunks.isEmpty
}

private object ByteChunks {
  private final val Smallest = 4 << 10
  private final val Largest = 256 << 10
}
