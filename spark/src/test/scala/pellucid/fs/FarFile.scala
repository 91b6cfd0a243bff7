package pellucid.fs

import java.io.{ByteArrayOutputStream, OutputStream}

import org.apache.hadoop.fs.FSDataOutputStream

/** A file on other machines: a write takes a millisecond, closing it ten. */
final class FarFile extends OutputStream {
  private val bytes = new ByteArrayOutputStream
  override def write(b: Int): Unit = write(Array(b.toByte))
  override def write(b: Array[Byte], off: Int, len: Int): Unit = { Thread.sleep(1); bytes.write(b, off, len) }
  override def close(): Unit = Thread.sleep(10)
  def content: Array[Byte] = bytes.toByteArray
}

object FarFile {

  /** As the current task writes it. */
  def create(file: FarFile): FSDataOutputStream = ObservedOutput.of(new FSDataOutputStream(file, null))("far")
}
