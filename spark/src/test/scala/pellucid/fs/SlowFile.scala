package pellucid.fs

import java.io.IOException

import org.apache.hadoop.fs.FSDataInputStream

/** A file of a slow disk: each read takes a millisecond and returns 64 KB at most. From `broken` on it cannot be read. */
final class SlowFile(bytes: Array[Byte], broken: Int = Int.MaxValue) extends BytesFile(bytes) {
  override def read(b: Array[Byte], off: Int, len: Int): Int =
    if (at >= bytes.length) -1
    else {
      Thread.sleep(1)
      if (at >= broken) throw new IOException(s"cannot be read at $at")
      val n = Math.min(Math.min(len, 64 << 10), Math.min(bytes.length, broken) - at)
      System.arraycopy(bytes, at, b, off, n)
      at += n
      n
    }
}

object SlowFile {

  /** As the current task reads its part of it from a disk, or elsewhere. */
  def open(
      bytes: Array[Byte],
      start: Long,
      end: Long,
      broken: Int = Int.MaxValue,
      exact: Boolean = false,
      place: String = "disk:slow"
  ): FSDataInputStream =
    ObservedInput.of(
      new FSDataInputStream(new SlowFile(bytes, broken)),
      new Source(place, None, _ => place, (_, _) => Option.when(exact)(place)),
      Some(Split(start, end))
    )
}
