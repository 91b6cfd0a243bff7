package pellucid.fs

import java.io.{EOFException, IOException}

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream}

/** A file in a page cache. Of the read that first gets to `broken` an error is all that comes back, though the stream has gone on as far as that. */
final class FlakyFile(bytes: Array[Byte], broken: Int) extends FSInputStream {
  private var at = 0
  private var failed = false

  override def read(b: Array[Byte], off: Int, len: Int): Int =
    if (at >= bytes.length) -1
    else if (!failed && at < broken && at + len > broken) {
      failed = true
      at = broken
      throw new IOException(s"once, at $at")
    } else {
      val n = Math.min(len, bytes.length - at)
      System.arraycopy(bytes, at, b, off, n)
      at += n
      n
    }
  override def read(): Int = { val one = new Array[Byte](1); if (read(one, 0, 1) < 0) -1 else one(0) & 0xff }
  override def seek(position: Long): Unit = {
    if (position < 0 || position > bytes.length) throw new EOFException(s"cannot seek to $position")
    at = position.toInt
  }
  override def getPos: Long = at.toLong
  override def seekToNewSource(position: Long): Boolean = false
}

object FlakyFile {

  /** As the current task reads all of it. */
  def open(bytes: Array[Byte], broken: Int): FSDataInputStream = ObservedInput.of(
    new FSDataInputStream(new FlakyFile(bytes, broken)),
    new Source("disk:flaky", None, _ => "disk:flaky"),
    Some(Split(0, bytes.length.toLong))
  )
}
