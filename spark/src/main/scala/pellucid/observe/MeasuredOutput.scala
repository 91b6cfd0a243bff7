package pellucid.observe

import java.io.OutputStream

/** Measures writes. Small ones (a text file has one per row) are collected into requests that are worth a look at the clock. */
class MeasuredOutput(stock: OutputStream, requests: Requests) extends OutputStream {
  private lazy val buffer = new Array[Byte](MeasuredOutput.BufferBytes)
  private var held = 0
  private var closed = false

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

  override def write(b: Int): Unit =
    if (closed) stock.write(b) // which says what a stream that is closed says
    else {
      if (held == MeasuredOutput.BufferBytes) drain()
      buffer(held) = b.toByte
      held += 1
    }

  override def write(b: Array[Byte], off: Int, len: Int): Unit =
    if (closed) stock.write(b, off, len)
    else {
      if (len > MeasuredOutput.BufferBytes - held) drain()
      if (len >= MeasuredOutput.BufferBytes) measured(len)(stock.write(b, off, len))
      else {
        System.arraycopy(b, off, buffer, held, len)
        held += len
      }
    }

  override def flush(): Unit = { drain(); measured(0)(stock.flush()) }

  /** `stock` is closed even where the last bytes could not be written. */
  override def close(): Unit = {
    closed = true
    try drain()
    finally measured(0)(stock.close())
  }
}

private object MeasuredOutput {
  private final val BufferBytes = 32 << 10
}
