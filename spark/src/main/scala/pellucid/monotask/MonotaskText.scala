package pellucid.monotask

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import pellucid.observe.WallClock
import pellucid.sched.{Monotask, MonotaskPhase}

/** A task's monotasks as its end event carries them: one begins to queue where the last of those before it ends, or ran ahead of its task.
  *
  * `MICROS;RESOURCE RESOURCE ...;MONOTASK;MONOTASK;...` with the moment at which the first was queued, and of each monotask
  * `PHASE RESOURCE,BYTES,QUEUED,SERVICE,CPU` without the space: the phase as a letter, the resource by its place in the list, times in microseconds;
  * of one that ran ahead also `,LATE`, how much later than the last of those before it it ended, less than nothing where the task did not wait for it.
  * A resource is `NAME=SLOTS`.
  */
private[monotask] final class MonotaskText(beganNanos: Long) {
  import MonotaskText._
  private val resources = ArrayBuffer.empty[String]

  /** Text only once it is asked for: of most short tasks nobody asks. */
  private val oneByOne = ArrayBuffer.empty[One]

  /** Beyond [[Monotask.OneByOne]], by resource and phase, and whether they ran ahead. */
  private lazy val others = mutable.LinkedHashMap.empty[(MonotaskPhase, Int, Boolean), Array[Long]]

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
    val numbers = Array(bytes.toLong, queuedMicros, serviceMicros, math.max(0, cpuMicros))
    if (oneByOne.size < Monotask.OneByOne)
      oneByOne += new One(phase, place, if (lateMicros.isEmpty) numbers else numbers ++ lateMicros)
    else {
      val all = numbers ++ lateMicros.map(math.max(0L, _))
      val sums = others.getOrElseUpdate((phase, place, lateMicros.isDefined), new Array(all.length))
      for (i <- all.indices) sums(i) += all(i)
    }
  }

  override def toString: String = {
    val out = new StringBuilder
    out ++= WallClock.micros(beganNanos).toString += ';' ++= resources.mkString(" ")
    oneByOne.foreach(_.write(out))
    if (oneByOne.size == Monotask.OneByOne)
      others.foreach { case ((phase, place, _), sums) => new One(phase, place, sums).write(out) }
    out.toString
  }
}

private object MonotaskText {

  private final class One(phase: MonotaskPhase, place: Int, numbers: Array[Long]) {
    def write(out: StringBuilder): Unit = {
      out += ';' += phase.letter ++= place.toString
      numbers.foreach(n => out += ',' ++= n.toString)
    }
  }
}
