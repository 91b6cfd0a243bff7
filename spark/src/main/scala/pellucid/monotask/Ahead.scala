package pellucid.monotask

import scala.collection.mutable.ArrayBuffer

import pellucid.observe.CpuClock
import pellucid.sched.MonotaskPhase

/** Monotasks of a task that another thread runs, one after the other, until the task comes to them: they need nothing of what its own thread
  * computes or waits for meanwhile (thesis section 5.3.2: monotasks depend on each other only as far as one needs what another has).
  */
private[pellucid] abstract class Ahead(task: Multitask, place: String, phase: MonotaskPhase) {
  import Ahead._
  private val gate = task.resources.of(place, phase)
  private val ended = ArrayBuffer.empty[One]
  private var runs = false
  private var over, unwanted = false // no other one begins; and nobody wants what was done

  /** The next one's work; returns how many bytes it moved, none where it went wrong. */
  protected def io(): Int

  /** All is done that may be. */
  protected def isComplete: Boolean

  /** What was done is for nobody. Once, on either thread. */
  protected def discard(): Unit

  /** On the other thread. */
  final def run(): Unit = while (goesOn && next() && !isComplete) ()

  private def goesOn = synchronized(!over)

  private def next(): Boolean = {
    val queued = System.nanoTime()
    gate.enter(new Turn(task.number, phase)) &&
    (try begins() && one(queued)
    finally gate.leave())
  }

  private def begins() = synchronized { if (!over) runs = true; runs }

  /** Whatever goes wrong, the task is told that it is over. */
  private def one(queued: Long): Boolean = {
    var done: Option[One] = None
    try {
      val (started, cpu) = (System.nanoTime(), CpuClock.nanos())
      val moved = io()
      if (moved > 0)
        done = Some(new One(gate.resource, phase, moved, queued, started, System.nanoTime(), CpuClock.nanos() - cpu))
    } finally ends(done)
    done.nonEmpty
  }

  private def ends(one: Option[One]): Unit = {
    val isForNobody = synchronized {
      runs = false
      notifyAll()
      one.fold { over = true }(ended += _)
      unwanted
    }
    if (isForNobody) discard()
  }

  /** The task has come so far: whether one has ended, or is running; no other one begins. */
  private[monotask] def isThere: Boolean = synchronized { over = true; runs || ended.nonEmpty }

  /** Those that have ended, once none is running. What they did is the task's from now on. */
  private[monotask] def take(): Seq[One] = synchronized {
    while (runs) wait()
    ended.toSeq
  }

  /** The task takes nothing. */
  private[monotask] def off(): Unit = {
    val isOver = synchronized {
      over = true
      unwanted = true
      !runs
    }
    if (isOver) discard()
  }
}

private object Ahead {

  /** A monotask that has ended, its moments by `System.nanoTime`. */
  final class One(
      val resource: String,
      val phase: MonotaskPhase,
      val moved: Int,
      val queued: Long,
      val started: Long,
      val ended: Long,
      val cpu: Long
  )
}
