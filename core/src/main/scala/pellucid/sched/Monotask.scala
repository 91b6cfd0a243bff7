package pellucid.sched

/** A unit of work that uses exactly one resource (thesis section 5.3.1): a stretch of computing, one bulk read or write, or one
  * multitask's requests over the network.
  */
trait Monotask {

  /** Of the task it is part of: larger ones began later. */
  def multitask: Long

  def phase: MonotaskPhase
}

object Monotask {

  /** Of a task that the log has one by one, in their order; the others' sums come after them. */
  final val OneByOne = 1000

  /** Less than this a task writes to other machines without waiting in a queue, as when it closes a file. */
  final val FewBytes = 1L << 20

  /** How many a disk runs at once (thesis section 5.3.3): one where it rotates, so that it reads and writes in long sequences, and four of a flash
    * drive, whose channels work side by side.
    */
  def slotsOfDisk(rotates: Boolean): Int = if (rotates) 1 else 4

  /** How many write to other machines at once ([[Replicas]]) for each disk of a machine, where that has so many slots. Two at least: a file waits for the one
    * of its machines' disks that is the farthest behind, and another one goes to others meanwhile.
    */
  def slotsOfOutput(disk: Int): Int = math.max(2, disk)
}

/** What a monotask does for its multitask. The queue of a resource takes turns among these.
  *
  * @param letter in the log
  * @param frees it moves data out of memory rather than into it
  */
sealed abstract class MonotaskPhase(val name: String, val letter: Char, val frees: Boolean) {

  /** Among [[MonotaskPhase.all]]. */
  lazy val place: Int = MonotaskPhase.all.indexOf(this)
}

object MonotaskPhase {
  case object Compute extends MonotaskPhase("compute", 'c', frees = false)
  case object InputRead extends MonotaskPhase("inputRead", 'i', frees = false)
  case object ShuffleRead extends MonotaskPhase("shuffleRead", 'r', frees = false)
  case object ShuffleWrite extends MonotaskPhase("shuffleWrite", 'w', frees = true)
  case object OutputWrite extends MonotaskPhase("outputWrite", 'o', frees = true)

  /** Of no task of its executor, but for those that fetch from it. */
  case object ShuffleServe extends MonotaskPhase("shuffleServe", 's', frees = false)

  val all: IndexedSeq[MonotaskPhase] =
    IndexedSeq(Compute, InputRead, ShuffleRead, ShuffleWrite, OutputWrite, ShuffleServe)
}
