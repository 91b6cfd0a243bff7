package pellucid.fs

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.concurrent.{CyclicBarrier, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.FSDataOutputStream

/** A file on other machines: a write takes a millisecond, a flush ten, and closing it ten or until `together` files are closed at once. */
final class FarFile(together: Int = 1) extends OutputStream {
  private val bytes = new ByteArrayOutputStream
  override def write(b: Int): Unit = write(Array(b.toByte))
  override def write(b: Array[Byte], off: Int, len: Int): Unit = { Thread.sleep(1); bytes.write(b, off, len) }
  override def flush(): Unit = Thread.sleep(10)
  override def close(): Unit = if (together == 1) Thread.sleep(10) else FarFile.meet(together)
  def content: Array[Byte] = bytes.toByteArray
}

object FarFile {
  private val closing = new AtomicReference(new CyclicBarrier(1))

  private def meet(parties: Int): Unit = {
    closing.updateAndGet(barrier => if (barrier.getParties == parties) barrier else new CyclicBarrier(parties))
    closing.get.await(60, TimeUnit.SECONDS)
    ()
  }

  /** As the current task writes it. */
  def create(file: FarFile): FSDataOutputStream = ObservedOutput.of(new FSDataOutputStream(file, null))("far")
}
