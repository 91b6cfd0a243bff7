package pellucid.sched

import java.util.PriorityQueue

import scala.annotation.tailrec

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

  /** One of this phase has its turn without having waited here. */
  def passes(phase: MonotaskPhase): Unit = last = phase.place

  /** The next one, which no longer waits.
    *
    * @param freeingFirst memory is short: what moves data out of memory goes before what brings more
    * @param youngest multitasks after this one have to wait
    */
  def next(freeingFirst: Boolean = false, youngest: Long = Long.MaxValue): Option[M] = {
    val freeing = if (freeingFirst) turn(youngest, _.frees) else -1
    val next = if (freeing >= 0) freeing else turn(youngest, _ => true)
    if (next < 0) None
    else {
      last = next
      waiting -= 1
      Some(places(next).remove().monotask)
    }
  }

  /** The place of the phase whose turn it is among `some` of them, after the last one that had it; -1 where none may. */
  private def turn(youngest: Long, some: MonotaskPhase => Boolean): Int = {
    @tailrec def from(i: Int): Int = {
      val place = (last + i) % places.length
      if (i > places.length) -1
      else if (begins(places(place).peek(), youngest) && some(MonotaskPhase.all(place))) place
      else from(i + 1)
    }
    if (waiting == 0) -1 else from(1)
  }

  private def begins(first: Place, youngest: Long) = first != null && first.monotask.multitask <= youngest

  /** Whether `monotask` waited; it no longer does. */
  def withdraw(monotask: M): Boolean = {
    val waited = of(monotask.phase).removeIf(_.monotask eq monotask)
    if (waited) waiting -= 1
    waited
  }

  private def of(phase: MonotaskPhase) = places(phase.place)
}
