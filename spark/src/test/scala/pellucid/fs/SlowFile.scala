package pellucid.fs

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream}

/** A file of a slow disk: each read takes a millisecond and returns 64 KB at most. */
final class SlowFile(bytes: Array[Byte]) extends FSInputStream {
  private var at = 0

  override def read(b: Array[Byte], off: Int, len: Int): Int =
    if (at >= bytes.length) -1
    else {
      Thread.sleep(1)
      val n = Math.min(Math.min(len, 64 << 10), bytes.length - at)
      System.arraycopy(bytes, at, b, off, n)
      at += n
      n
    }
  override def read(): Int = { val one = new Array[Byte](1); if (read(one, 0, 1) < 0) -1 else one(0) & 0xff }
  override def seek(position: Long): Unit = at = position.toInt
  override def available(): Int = bytes.length - at
  override def getPos: Long = at.toLong
  override def seekToNewSource(position: Long): Boolean = false
}

object SlowFile {

  /** As the current task reads its part of it from a disk. */
  def open(bytes: Array[Byte], start: Long, end: Long): FSDataInputStream =
    ObservedInput.of(
      new FSDataInputStream(new SlowFile(bytes)),
      new Source("disk:slow", None, _ => "disk:slow"),
      Some(Split(start, end))
    )
}
