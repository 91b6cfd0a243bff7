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
final class Channel private (bytes: Array[Byte]) {
  private val env = SparkEnv.get // by the time that its last task ends the application may have none

  /** With the end of the current thread's task. As in Spark itself, an accumulator joins a task by being deserialized on its thread,
    * and by Spark's own stream: a second kind of stream would make all of the JVM's deserializing dearer, as its compiled calls then
    * have two receivers.
    */
  def send(measured: String): Unit =
    Channel.serializer(env).deserialize[CollectionAccumulator[String]](ByteBuffer.wrap(bytes)).add(measured)
}

object Channel {
  private val Accumulator = "accumulator"

  /** Its number: a setting of the application's environment then, which tells the log's reader which updates are ours. */
  private val Task = "task"

  /** Spark's own of tasks, which one thread uses at a time. */
  private def serializer(env: SparkEnv) = env.closureSerializer.newInstance()

  /** In the driver: what executors are to be told. */
  def toldBy(observations: TaskObservations): JMap[String, String] = {
    val bytes = Base64.getEncoder.encode(serializer(SparkEnv.get).serialize(observations))
    JMap.of(Accumulator, ISO_8859_1.decode(bytes).toString, Task, observations.id.toString)
  }

  /** In an executor; None where the driver observes nothing. */
  def ofExecutor(told: JMap[String, String]): Option[Channel] =
    Option(told.get(Accumulator)).map(text => new Channel(Base64.getDecoder.decode(text)))
}
