package pellucid.sched

import java.util.PriorityQueue

/** The monotasks that wait for one resource. Phases take turns, so that a burst of one (output writes, say) does not keep the
  * others' multitasks from going on (thesis section 5.3.3); within a phase the oldest multitask's comes first, and of one multitask's
  * the one that came first.
  */
final class PhaseQueue[M <: Monotask] {
  private final class Place(val monotask: M, val number: Long)

  private val places = MonotaskPhase.all.map(_ =>
    new PriorityQueue[Place]((a: Place, b: Place) => {
      val older = java.lang.Long.compare(a.monotask.multitask, b.monotask.multitask)
      if (older != 0) older else java.lang.Long.compare(a.number, b.number)
    })
  )
  private var added = 0L
  private var last = 0 // the phase that had its turn
  private var waiting = 0

  def size: Int = waiting

  def add(monotask: M): Unit = {
    of(monotask.phase).add(new Place(monotask, added))
    added += 1
    waiting += 1
  }

  /** The next one, which no longer waits.
    *
    * @param freeingFirst memory is short: what moves data out of memory goes before what brings more
    * @param youngest multitasks after this one have to wait
    */
  def next(freeingFirst: Boolean = false, youngest: Long = Long.MaxValue): Option[M] = {
    val turns = (1 to places.length).iterator.map(i => (last + i) % places.length).filter { phase =>
      val first = places(phase).peek()
      first != null && first.monotask.multitask <= youngest
    }.toArray
    (if (freeingFirst) turns.find(MonotaskPhase.all(_).frees) else None).orElse(turns.headOption).map { turn =>
      last = turn
      waiting -= 1
      places(turn).remove().monotask
    }
  }

  /** Whether `monotask` waited; it no longer does. */
  def withdraw(monotask: M): Boolean = {
    val waited = of(monotask.phase).removeIf(_.monotask eq monotask)
    if (waited) waiting -= 1
    waited
  }

  private def of(phase: MonotaskPhase) = places(MonotaskPhase.all.indexOf(phase))
}
