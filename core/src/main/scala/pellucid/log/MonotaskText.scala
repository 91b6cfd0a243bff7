package pellucid.log

import pellucid.log.ObservedTask.natural
import pellucid.sched.{Monotask, MonotaskPhase}
import pellucid.trace.{MonotaskTable, TraceBuilder}

/** The monotasks of a task, as they stand in what the plugin says of it (docs/observed.md):
  *
  * `QUEUED;RESOURCE=SLOTS RESOURCE=SLOTS ...;MONOTASK;MONOTASK;...` with monotasks `PhaseResource,BYTES,WAIT,SERVICE,CPU`, and `,LATE` of those that
  * ran ahead
  */
private[log] final class MonotaskText(builder: TraceBuilder) {
  import MonotaskText._
  private val table = builder.monotasks

  /** Throws IllegalArgumentException, and takes nothing, where it is not written like that. */
  def read(text: String, row: Int): Unit = {
    val fields = text.split(";", -1)
    require(fields.length >= 2)
    val resources = fields(1).split(' ').map(resource)
    val began = natural(fields(0))
    val monotasks = fields.drop(2).map(one(_, resources.length))
    val numbers = numbered(resources, table, builder.tasks.executor(row))
    if (table.isRoomFor(monotasks.length)) {
      var ended = began
      monotasks.zipWithIndex.foreach { case (m, i) =>
        ended = add(m, row, numbers, ended, isAlone = i < Monotask.OneByOne)
      }
    } else table.leftOut += monotasks.length
    monotasks.filter(_.late.isEmpty).foreach(blocked(_, row))
    // Spark's fetch wait ends when the task has its core again
    val inOrder = monotasks.take(Monotask.OneByOne).map(m => (m, MonotaskPhase.all(m.phase)))
    inOrder.zip(inOrder.drop(1)).foreach { case ((_, before), (m, phase)) =>
      if (before == MonotaskPhase.ShuffleRead && phase == MonotaskPhase.Compute)
        builder.tasks.fetchCpuQueueNanos(row) = builder.tasks.fetchCpuQueueNanos(row) + m.waited * 1000
    }
  }

  /** Returns when its task had it, which had what was before it at `ended`.
    *
    * @param isAlone and not a sum, of which no moment is known
    */
  private def add(m: One, row: Int, numbers: Array[Int], ended: Long, isAlone: Boolean): Long = {
    val at = table.append()
    table.task(at) = row
    table.resource(at) = numbers(m.resource)
    table.phase(at) = m.phase
    table.bytes(at) = m.bytes
    table.ahead(at) = if (m.late.isDefined) 1 else 0
    table.queuedMicros(at) = m.late.filter(_ => isAlone).fold(ended)(ended + _ - m.service - m.waited)
    val awaited = m.late.map(math.max(0L, _))
    table.awaitedMicros(at) = awaited.getOrElse(0L)
    table.waitMicros(at) = m.waited
    table.serviceMicros(at) = m.service
    table.cpuMicros(at) = m.cpu
    ended + awaited.getOrElse(m.waited + m.service)
  }

  /** A task that waits for a core is not blocked on a device, one that waits for a device's queue is. */
  private def blocked(m: One, row: Int): Unit = {
    val column = MonotaskPhase.all(m.phase) match {
      case MonotaskPhase.Compute => Some(builder.tasks.cpuQueueNanos)
      case MonotaskPhase.InputRead => Some(builder.tasks.inputBlockedNanos)
      case MonotaskPhase.OutputWrite => Some(builder.tasks.outputBlockedNanos)
      case MonotaskPhase.ShuffleWrite => Some(builder.tasks.shuffleWriteBlockedNanos)
      case _ => None // Spark's fetch wait has it
    }
    column.foreach(c => c(row) = c(row) + m.waited * 1000)
  }

  private def one(text: String, resources: Int): One = {
    val f = text.split(",", -1)
    require(f.length == 5 || f.length == 6)
    val (phase, resource) = phaseAndResource(f(0), resources)
    One(phase.place, resource, natural(f(1)), natural(f(2)), natural(f(3)), natural(f(4)), f.lift(5).map(_.toLong))
  }
}

private[log] object MonotaskText {

  /** `NAME=SLOTS` */
  def resource(text: String): (String, Int) = {
    val equals = text.lastIndexOf('=')
    require(equals > 0)
    val slots = natural(text.drop(equals + 1))
    require(slots > 0 && slots <= Int.MaxValue)
    (text.take(equals), slots.toInt)
  }

  /** `PhaseResource`, of so many resources. */
  def phaseAndResource(text: String, resources: Int): (MonotaskPhase, Int) = {
    val phase = MonotaskPhase.all.find(phase => text.headOption.contains(phase.letter))
    val resource = natural(text.drop(1))
    require(phase.isDefined && resource < resources)
    (phase.get, resource.toInt)
  }

  /** An executor has them: their numbers in the table. */
  def numbered(resources: Array[(String, Int)], table: MonotaskTable, executor: Int): Array[Int] =
    resources.map { case (name, slots) =>
      val number = table.resourceNumber(name)
      table.slots((executor, number)) = slots
      number
    }

  private final case class One(
      phase: Int,
      resource: Int,
      bytes: Long,
      waited: Long,
      service: Long,
      cpu: Long,
      late: Option[Long]
  )
}
