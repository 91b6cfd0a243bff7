package pellucid.monotask

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import pellucid.sched.{Monotask, MonotaskPhase}

/** A task's monotasks as its end event carries them: one begins to queue where the last of those before it ends, or ran ahead of its task.
  *
  * `MICROS;RESOURCE RESOURCE ...;MONOTASK;MONOTASK;...` with the moment at which the first was queued, and of each monotask
  * `PHASE RESOURCE,BYTES,QUEUED,SERVICE,CPU` without the space: the phase as a letter, the resource by its place in the list, times in microseconds;
  * of one that ran ahead also `,LATE`, how much later than the last of those before it it ended, less than nothing where the task did not wait for it.
  * A resource is `NAME=SLOTS`.
  */
private[monotask] final class MonotaskText(beganNanos: Long) {
  private val resources = ArrayBuffer.empty[String]
  private val out = new StringBuilder
  private var written = 0

  /** Beyond [[Monotask.OneByOne]], by resource and phase, and whether they ran ahead. */
  private val others = mutable.LinkedHashMap.empty[(String, Boolean), Array[Long]]

  def add(
      resource: String,
      phase: MonotaskPhase,
      bytes: Int,
      queuedMicros: Long,
      serviceMicros: Long,
      cpuMicros: Long,
      lateMicros: Option[Long] = None
  ): Unit = {
    var place = resources.indexOf(resource)
    if (place < 0) { place = resources.size; resources += resource }
    val name = s"${phase.letter}$place"
    val numbers = Array(bytes.toLong, queuedMicros, serviceMicros, math.max(0, cpuMicros))
    written += 1
    if (written <= Monotask.OneByOne) write(name, numbers ++ lateMicros, out)
    else {
      val all = numbers ++ lateMicros.map(math.max(0L, _))
      val sums = others.getOrElseUpdate((name, lateMicros.isDefined), new Array(all.length))
      for (i <- all.indices) sums(i) += all(i)
    }
  }

  private def write(name: String, numbers: Array[Long], to: StringBuilder): Unit = {
    to += ';' ++= name
    numbers.foreach(n => to += ',' ++= n.toString)
  }

  override def toString: String = {
    val rest = new StringBuilder
    others.foreach { case ((name, _), sums) => write(name, sums, rest) }
    s"${beganNanos / 1000 + MonotaskText.EpochMicros};${resources.mkString(" ")}$out$rest"
  }
}

private object MonotaskText {

  /** When `System.nanoTime` was zero: one clock for all tasks of this JVM. */
  private val EpochMicros = {
    val now = java.time.Instant.now()
    now.getEpochSecond * 1000000 + now.getNano / 1000 - System.nanoTime() / 1000
  }
}
