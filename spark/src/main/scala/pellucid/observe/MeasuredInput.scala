package pellucid.observe

import java.io.{FilterInputStream, InputStream}

/** A file that a codec reads: every read is a call of the system. */
final class MeasuredInput(stock: InputStream, requests: Requests) extends FilterInputStream(stock) {
  override def read(): Int = {
    val wall = System.nanoTime()
    var byte = -1
    try { byte = stock.read(); byte }
    finally requests.ended(if (byte < 0) 0 else 1, wall, -1)
  }

  override def read(b: Array[Byte], off: Int, len: Int): Int = {
    val cpu = requests.cpuBefore(len)
    val wall = System.nanoTime()
    var moved = 0
    try { moved = stock.read(b, off, len); moved }
    finally requests.ended(moved, wall, cpu)
  }
}
