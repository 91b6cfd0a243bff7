package pellucid.log

import pellucid.sched.MonotaskPhase
import pellucid.trace.{MonotaskTable, ServedMonotask}

/** The monotasks by which an executor served its shuffle files, as they stand after a batch of its machine's counters (docs/observed.md):
  *
  * `RESOURCE=SLOTS RESOURCE=SLOTS ...;MONOTASK;MONOTASK;...` with monotasks `PhaseResource,BYTES,WAIT,SERVICE,CPU,QUEUED`, queued so
  * many microseconds after the batch's start, and `,MAP-TASK` where that is known
  *
  * Throws IllegalArgumentException where it is not written like that.
  */
private[log] final class ServedText(text: String, startMillis: Long) {
  import ObservedTask.natural
  private val fields = text.split(";", -1)
  private val resources = fields(0).split(' ').map(MonotaskText.resource)
  private val monotasks = fields.drop(1).map(one) // of no executor yet, and their resources by place in this list

  private def one(text: String): ServedMonotask = {
    val f = text.split(",", -1)
    require(f.length == 6 || f.length == 7)
    val (phase, resource) = MonotaskText.phaseAndResource(f(0), resources.length)
    require(phase == MonotaskPhase.ShuffleServe)
    ServedMonotask(
      -1,
      resource,
      f.lift(6).map(natural),
      natural(f(1)),
      startMillis * 1000 + f(5).toLong,
      natural(f(2)),
      natural(f(3)),
      natural(f(4))
    )
  }

  def addTo(table: MonotaskTable, executor: Int): Unit = {
    val numbers = MonotaskText.numbered(resources, table, executor)
    if (table.isRoomFor(monotasks.length))
      table.served ++= monotasks.map(m => m.copy(executor = executor, resource = numbers(m.resource)))
    else table.leftOut += monotasks.length
  }
}
