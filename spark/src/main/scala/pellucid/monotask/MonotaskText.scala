package pellucid.monotask

import scala.collection.mutable.ArrayBuffer

import pellucid.sched.MonotaskPhase

/** A task's monotasks as its end event carries them: one begins to queue where the one before it ends.
  *
  * `MICROS;RESOURCE RESOURCE ...;MONOTASK;MONOTASK;...` with the moment at which the first was queued, and of each monotask
  * `PHASE RESOURCE,BYTES,QUEUED,SERVICE,CPU` without the space: the phase as a letter, the resource by its place in the list, times in microseconds.
  */
private[monotask] final class MonotaskText {
  private val began = {
    val now = java.time.Instant.now()
    now.getEpochSecond * 1000000 + now.getNano / 1000
  }
  private val resources = ArrayBuffer.empty[String]
  private val out = new StringBuilder

  def add(
      resource: String,
      phase: MonotaskPhase,
      bytes: Int,
      queuedNanos: Long,
      serviceNanos: Long,
      cpuNanos: Long
  ): Unit = {
    var place = resources.indexOf(resource)
    if (place < 0) { place = resources.size; resources += resource }
    out += ';' += phase.letter ++= place.toString
    for (n <- Seq(bytes.toLong, queuedNanos / 1000, serviceNanos / 1000, math.max(0, cpuNanos / 1000))) out += ',' ++=
      n.toString
  }

  override def toString: String = s"$began;${resources.mkString(" ")}$out"
}
