package pellucid.model

import pellucid.blocked.EventQueue
import pellucid.sched.{Monotask, MonotaskPhase, ResourceScheduler}

/** One resource of a simulated machine: the executor's own scheduler, in simulated time.
  *
  * @param event  its id in `events`: at that moment [[happens]] may find that a step has ended
  * @param units  that serve one step each; more steps share them
  * @param ended  is told of each task whose step has ended
  */
private[model] final class Device(
    events: EventQueue,
    event: Int,
    slots: Int,
    units: Double,
    ended: Int => Unit
) {
  private val scheduler = new ResourceScheduler[Step](slots)

  /** What a step that was there from the beginning would have had by `since`; those that run, and at how much of it they end. */
  private var had = 0.0
  private var since = 0L
  private var running = new Array[Step](4)
  private var ends = new Array[Double](4)
  private var n = 0

  def submit(step: Step, now: Long): Unit = { advance(now); start(scheduler.submit(step)); plan() }

  def happens(now: Long): Unit = {
    advance(now)
    var i = 0
    var over = List.empty[Step]
    while (i < n)
      if (ends(i) <= had + Device.Rounding) {
        over = running(i) :: over
        n -= 1
        running(i) = running(n)
        ends(i) = ends(n)
        running(n) = null
      } else i += 1
    over.foreach(_ => start(scheduler.finish()))
    plan()
    over.foreach(step => ended(step.task))
  }

  private def advance(now: Long): Unit = {
    had += (now - since) / sharers
    since = now
  }

  /** Of each unit. */
  private def sharers: Double = math.max(1.0, n / units)

  private def start(steps: Seq[Step]): Unit = steps.foreach { step =>
    if (n == running.length) {
      running = java.util.Arrays.copyOf(running, 2 * n)
      ends = java.util.Arrays.copyOf(ends, 2 * n)
    }
    running(n) = step
    ends(n) = had + step.micros
    n += 1
  }

  /** Wakes when the next one ends, if nothing changes until then. */
  private def plan(): Unit = if (n > 0) {
    var least = ends(0)
    var i = 1
    while (i < n) { if (ends(i) < least) least = ends(i); i += 1 }
    events.add(since + math.max(0L, math.ceil((least - had) * sharers).toLong), event)
  }
}

private object Device {

  /** Moments are whole microseconds. */
  private final val Rounding = 1e-3
}

/** @param micros what it needs of its resource alone */
private[model] final class Step(val task: Int, val multitask: Long, val phase: MonotaskPhase, val micros: Double)
    extends Monotask
