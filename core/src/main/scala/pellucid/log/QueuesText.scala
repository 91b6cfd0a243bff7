package pellucid.log

import pellucid.trace.{MonotaskTable, QueueSample}

/** The queues of an executor's monotasks at the end of each second, as they stand at the end of a batch of its machine's counters (docs/observed.md):
  *
  * `RESOURCE=SLOTS RESOURCE=SLOTS ...;SECOND;SECOND;...` with `RUNNING,WAITING,OVERDRAWN` of each resource in a second
  *
  * Throws IllegalArgumentException where it is not written like that.
  */
private[log] final class QueuesText(text: String, seconds: Int) {
  import ObservedTask.natural
  private val fields = text.split(";", -1)
  private val resources = fields(0).split(' ').map(MonotaskText.resource)
  private val each = fields.drop(1).map(_.split(",", -1).map(natural))
  require(each.length == seconds && each.forall(_.length == 3 * resources.length))

  /** Of each second. */
  def numbered(table: MonotaskTable, executor: Int): Array[IndexedSeq[QueueSample]] = {
    val numbers = MonotaskText.numbered(resources, table, executor)
    each.map { levels =>
      numbers.indices.map(i =>
        QueueSample(numbers(i), levels(3 * i).toDouble, levels(3 * i + 1).toDouble, levels(3 * i + 2))
      )
    }
  }
}
