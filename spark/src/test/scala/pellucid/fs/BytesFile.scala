package pellucid.fs

import java.io.EOFException

import org.apache.hadoop.fs.FSInputStream

/** A file whose content is `bytes`. */
abstract class BytesFile(bytes: Array[Byte]) extends FSInputStream {
  protected var at = 0

  override def read(): Int = { val one = new Array[Byte](1); if (read(one, 0, 1) < 0) -1 else one(0) & 0xff }
  override def seek(position: Long): Unit = {
    if (position < 0 || position > bytes.length) throw new EOFException(s"cannot seek to $position")
    at = position.toInt
  }
  override def available(): Int = bytes.length - at
  override def getPos: Long = at.toLong
  override def seekToNewSource(position: Long): Boolean = false
}
