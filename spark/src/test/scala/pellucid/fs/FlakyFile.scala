package pellucid.fs

import java.io.IOException

import org.apache.hadoop.fs.FSDataInputStream

/** A file in a page cache. Of the read that first gets to `broken` an error is all that comes back, though the stream has gone on as far as that. */
final class FlakyFile(bytes: Array[Byte], broken: Int) extends BytesFile(bytes) {
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
}

object FlakyFile {

  /** As the current task reads all of it. */
  def open(bytes: Array[Byte], broken: Int): FSDataInputStream = ObservedInput.of(
    new FSDataInputStream(new FlakyFile(bytes, broken)),
    new Source("disk:flaky", None, _ => "disk:flaky"),
    Some(Split(0, bytes.length.toLong))
  )
}
