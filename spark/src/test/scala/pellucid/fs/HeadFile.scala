package pellucid.fs

import java.io.EOFException
import java.nio.ByteBuffer

import org.apache.hadoop.fs.{ByteBufferPositionedReadable, ByteBufferReadable, FSDataInputStream, StreamCapabilities}

/** A file of a disk whose head takes five milliseconds for each read, which also fills buffers. */
final class HeadFile(bytes: Array[Byte])
    extends BytesFile(bytes)
    with ByteBufferReadable
    with ByteBufferPositionedReadable
    with StreamCapabilities {
  override def read(b: Array[Byte], off: Int, len: Int): Int = {
    Thread.sleep(5)
    val n = math.min(len, bytes.length - at)
    if (n <= 0 && len > 0) -1 else { System.arraycopy(bytes, at, b, off, n); at += n; n }
  }
  override def read(buffer: ByteBuffer): Int = {
    val b = new Array[Byte](buffer.remaining)
    val n = read(b, 0, b.length)
    if (n > 0) buffer.put(b, 0, n)
    n
  }
  override def read(position: Long, buffer: ByteBuffer): Int = {
    val here = getPos
    seek(position)
    try read(buffer)
    finally seek(here)
  }
  override def readFully(position: Long, buffer: ByteBuffer): Unit = {
    if (position + buffer.remaining > bytes.length) throw new EOFException(s"nothing at ${bytes.length}")
    read(position, buffer); ()
  }
  override def hasCapability(capability: String): Boolean =
    Set(StreamCapabilities.READBYTEBUFFER, StreamCapabilities.PREADBYTEBUFFER)(capability)
}

object HeadFile {

  /** As the current task reads it, all of which is its part. */
  def open(bytes: Array[Byte]): FSDataInputStream = ObservedInput.of(
    new FSDataInputStream(new HeadFile(bytes)),
    new Source("disk:head", None, _ => "disk:head", length = () => Some(bytes.length.toLong)),
    Some(Split(0, bytes.length.toLong))
  )
}
