package pellucid.observe

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.{Base64, Map => JMap}

import org.apache.spark.SparkEnv
import org.apache.spark.pellucid.TaskObservations
import org.apache.spark.util.CollectionAccumulator

/** How what was measured of a task comes to the driver and into the event log: in the task's own end event, as the update of an
  * accumulator. It cannot be lost, needs no message of its own, and is gone from the driver's memory with the event.
  *
  * What travels is Spark's own `CollectionAccumulator`: no class of ours has to be found by whoever reads it.
  */
final class Channel private (told: CollectionAccumulator[String]) {

  /** With the end of the current thread's task. */
  def send(measured: String): Unit = TaskObservations.joins(told).add(measured)
}

object Channel {
  private val Accumulator = "accumulator"

  /** Its number: a setting of the application's environment then, which tells the log's reader which updates are ours. */
  private val Task = "task"

  /** Spark's own of tasks. A second kind of stream would make all of the JVM's deserializing dearer, as its compiled calls then have two receivers. */
  private def serializer = SparkEnv.get.closureSerializer.newInstance()

  /** In the driver: what executors are to be told. */
  def toldBy(observations: TaskObservations): JMap[String, String] = {
    val bytes = Base64.getEncoder.encode(serializer.serialize(observations))
    JMap.of(Accumulator, ISO_8859_1.decode(bytes).toString, Task, observations.id.toString)
  }

  /** In an executor; None where the driver observes nothing. */
  def ofExecutor(told: JMap[String, String]): Option[Channel] =
    Option(told.get(Accumulator)).map { text =>
      new Channel(
        serializer.deserialize[CollectionAccumulator[String]](ByteBuffer.wrap(Base64.getDecoder.decode(text)))
      )
    }
}
