package pellucid.observe

import java.io.OutputStream

/** Measures writes. Small ones (a text file has one per row) are collected into requests that are worth a look at the clock. */
class MeasuredOutput(stock: OutputStream, requests: Requests) extends OutputStream {
  private val buffer = new Array[Byte](MeasuredOutput.BufferBytes)
  private var held = 0

  protected final def measured(size: Int)(write: => Unit): Unit = {
    val cpu = requests.cpuBefore(size)
    val wall = System.nanoTime()
    try write
    finally requests.ended(size, wall, cpu)
  }

  protected final def drain(): Unit = if (held > 0) {
    val size = held
    held = 0
    measured(size)(stock.write(buffer, 0, size))
  }

  protected final def forget(): Unit = held = 0

  override def write(b: Int): Unit = {
    if (held == buffer.length) drain()
    buffer(held) = b.toByte
    held += 1
  }

  override def write(b: Array[Byte], off: Int, len: Int): Unit =
    if (len <= buffer.length - held) {
      System.arraycopy(b, off, buffer, held, len)
      held += len
    } else {
      drain()
      if (len < buffer.length) write(b, off, len) else measured(len)(stock.write(b, off, len))
    }

  override def flush(): Unit = { drain(); measured(0)(stock.flush()) }

  /** `stock` is closed even where the last bytes could not be written. */
  override def close(): Unit =
    try drain()
    finally measured(0)(stock.close())
}

private object MeasuredOutput {
  private final val BufferBytes = 32 << 10
}
