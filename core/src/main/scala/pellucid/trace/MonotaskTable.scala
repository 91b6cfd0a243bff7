package pellucid.trace

import scala.collection.mutable

/** The monotasks of an application's tasks, in columns. Those of one task follow each other as they ran: each was queued when the
  * last of those before it ended, but one that ran ahead of its task, which stands where the task came to it.
  *
  * @param most of which there is room: of tasks beyond it they are counted only
  */
final class MonotaskTable(most: Int = Int.MaxValue) {
  private var n = 0
  private val names = mutable.ArrayBuffer.empty[String]

  /** Row of its task in the task columns. */
  val task = new IntColumn

  /** Of the machine that the task ran on, see [[resources]]. */
  val resource = new IntColumn

  /** In `MonotaskPhase.all`. */
  val phase = new IntColumn
  val bytes = new LongColumn

  /** When it was queued, microseconds since 1970 by the executor's clock. */
  val queuedMicros = new LongColumn

  /** How long it waited for its resource, and then used it; CPU time of its thread in the latter. */
  val waitMicros, serviceMicros, cpuMicros = new LongColumn

  /** When it began to use its resource, and ended. */
  def beginMicros(row: Int): Long = queuedMicros(row) + waitMicros(row)
  def endMicros(row: Int): Long = beginMicros(row) + serviceMicros(row)

  /** 1 if it ran ahead of the task, by others, and how long the task waited for its end. */
  val ahead = new IntColumn
  val awaitedMicros = new LongColumn

  /** How many monotasks an executor (its row) runs at once of a resource. */
  val slots = mutable.Map.empty[(Int, Int), Int]

  def size: Int = n

  /** Those of no task of their executor. */
  val served = mutable.ArrayBuffer.empty[ServedMonotask]

  /** `cpu`, `network`, `network:hdfs`, `store:SCHEME` and names of disks, by number. */
  def resources: IndexedSeq[String] = names.toIndexedSeq

  def resourceNumber(name: String): Int = {
    val known = names.indexOf(name)
    if (known >= 0) known else { names += name; names.size - 1 }
  }

  var leftOut = 0L

  /** Whether there is room for so many. */
  def isRoomFor(more: Int): Boolean = more <= most - all

  /** How many there are of both kinds. */
  def all: Int = n + served.size

  def append(): Int = { n += 1; n - 1 }

  /** A table that goes on unchanged when this one does not. */
  def copy(): MonotaskTable = {
    val out = new MonotaskTable
    out.n = n
    out.names ++= names
    out.slots ++= slots
    out.served ++= served
    out.ints.zip(ints).foreach { case (to, from) => to.copyFrom(from) }
    out.longs.zip(longs).foreach { case (to, from) => to.copyFrom(from) }
    out
  }

  /** Those of the given task rows, which are ascending and are the only ones there, and what was served between two moments. */
  def select(tasks: Array[Int], fromMillis: Long, toMillis: Long): MonotaskTable = {
    val out = new MonotaskTable
    out.names ++= names
    out.slots ++= slots
    out.served ++= served.iterator.filter(m => m.queuedMicros / 1000 < toMillis && m.endMicros / 1000 > fromMillis)
    out.n = moved(tasks, out)
    out
  }

  /** Leaves only these, and what was served since a moment. */
  def keepOnly(tasks: Array[Int], sinceMillis: Long): Unit = {
    served.filterInPlace(_.endMicros / 1000 > sinceMillis)
    n = moved(tasks, this)
    ints.foreach(_.truncate(n))
    longs.foreach(_.truncate(n))
  }

  /** Returns how many there are. */
  private def moved(tasks: Array[Int], to: MonotaskTable): Int = {
    var kept = 0
    for (row <- 0 until n) {
      val ofTask = java.util.Arrays.binarySearch(tasks, task(row))
      if (ofTask >= 0) {
        ints.indices.foreach(i => to.ints(i)(kept) = ints(i)(row))
        longs.indices.foreach(i => to.longs(i)(kept) = longs(i)(row))
        to.task(kept) = ofTask
        kept += 1
      }
    }
    kept
  }

  private val ints = IndexedSeq(task, resource, phase, ahead)
  private val longs = IndexedSeq(bytes, queuedMicros, waitMicros, serviceMicros, cpuMicros, awaitedMicros)
}
