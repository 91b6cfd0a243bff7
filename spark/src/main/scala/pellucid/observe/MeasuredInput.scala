package pellucid.observe

import java.io.{FilterInputStream, InputStream}

/** A file that a codec reads; single bytes are not measured. */
final class MeasuredInput(stock: InputStream, requests: Requests) extends FilterInputStream(stock) {
  override def read(b: Array[Byte], off: Int, len: Int): Int = {
    val cpu = requests.cpuBefore(len)
    val wall = System.nanoTime()
    var moved = 0
    try { moved = stock.read(b, off, len); moved }
    finally requests.ended(moved, wall, cpu)
  }
}
