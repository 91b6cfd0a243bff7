package pellucid.monotask

import java.io.OutputStream
import java.util.zip.Checksum

import scala.collection.mutable.ArrayBuffer

/** What one reducer is to get of a map task, in memory until it is written: chunks that grow with what there has been.
  *
  * @param makeRoom is told how large each new chunk will be; it may [[drain]] what is here before it returns
  */
final class PartitionBytes(checksum: Option[Checksum], makeRoom: Int => Unit) extends OutputStream {
  import PartitionBytes._
  private val chunks = ArrayBuffer.empty[Array[Byte]]
  private var free = 0 // at the end of the last chunk
  private var next = Smallest

  override def write(b: Int): Unit = write(Array(b.toByte), 0, 1)

  override def write(b: Array[Byte], off: Int, len: Int): Unit = {
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
    makeRoom(next)
    chunks += new Array(next)
    free = next
    next = math.min(2 * next, Largest)
  }

  /** Hands out each chunk and how many bytes there are in it, and has nothing afterwards. */
  def drain(take: (Array[Byte], Int) => Unit): Unit = {
    for (i <- chunks.indices) take(chunks(i), if (i == chunks.length - 1) chunks(i).length - free else chunks(i).length)
    chunks.clear()
    free = 0
  }

  def isEmpty: Boolean = chunks.isEmpty
}

private object PartitionBytes {
  private final val Smallest = 4 << 10
  private final val Largest = 256 << 10
}
