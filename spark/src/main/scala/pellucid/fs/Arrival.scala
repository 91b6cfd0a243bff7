package pellucid.fs

import java.io.{IOException, InterruptedIOException}
import java.lang.reflect.InvocationTargetException

import org.apache.hadoop.fs.FSDataOutputStream

import pellucid.plugin.{Guard, Interrupted}

/** When HDFS' datanodes have what a task has written. Before its file is closed they move the block to where it stays, and may wait a second and more for
  * a disk that has the folder of blocks on its way behind other files. That needs neither the network nor a place among those that write.
  */
private[fs] object Arrival {
  private val guard = new Guard("noticing when HDFS has what was written")

  private lazy val lastQueued = method("getLastQueuedSeqno")
  private lazy val waitForAcked = method("waitForAckedSeqno", java.lang.Long.TYPE)

  private def method(name: String, parameters: Class[_]*) = {
    val found = HdfsStreamer.ofClass.getDeclaredMethod(name, parameters: _*)
    found.setAccessible(true)
    found
  }

  /** Waits for what `stock` has sent: all but its last packet, which comes with its close. */
  def of(stock: FSDataOutputStream): Option[() => Unit] =
    guard(HdfsStreamer.of(stock)).flatten.map(streamer => () => { guard(await(streamer)); () })

  private def await(streamer: AnyRef): Unit =
    try { waitForAcked.invoke(streamer, lastQueued.invoke(streamer)); () }
    catch {
      case e: InvocationTargetException =>
        e.getCause match {
          case _: InterruptedIOException => Interrupted.again()
          case _: IOException => // close comes to the same
          case other => throw other
        }
    }
}
