package pellucid.model

import scala.collection.mutable

import pellucid.blocked.EventQueue
import pellucid.sched.{Monotask, MonotaskPhase, ResourceScheduler}

/** One resource of a simulated machine: the executor's own scheduler, in simulated time.
  *
  * @param event  its id in `events`: at that moment [[happens]] may find that a step has ended
  * @param units  that serve one step each; more steps share them
  * @param changes is called when other steps run than before
  * @param ended  is told of each task whose step has ended
  */
private[model] final class Device(
    events: EventQueue,
    event: Int,
    slots: Int,
    units: Double,
    changes: Device => Unit,
    ended: Int => Unit
) {
  private val scheduler = new ResourceScheduler[Step](slots)

  /** What a step that was there from the beginning would have had by `since`; those that run, and at how much of it they end. */
  private var had = 0.0
  private var since = 0L
  private var steps = new Array[Step](4)
  private var ends = new Array[Double](4)
  private var n = 0
  private var speed = 1.0

  /** What is left of the work beside all steps: it has the share of one of them while there is some. */
  private var beside = 0.0

  /** Those that have had what they need, and go on at a moment to come: until then they keep their slots. */
  private val kept = mutable.PriorityQueue.empty[(Long, Step)](Ordering.by(-_._1))

  /** The next moment at which it looks, of which `events` know: it needs no other one before that. */
  private var looks = Long.MaxValue

  /** How many tasks wait here themselves, not what is read ahead of them: counted by who has it. */
  var waitingTasks = 0

  /** How many run. */
  def running: Int = n

  /** How many wait, and that one more would not. */
  def waits: Int = scheduler.waits
  def isFree: Boolean = scheduler.isFree

  def submit(step: Step, now: Long): Unit = {
    advance(now)
    start(if (step.queues) scheduler.submit(step) else Seq(step))
    changes(this)
    plan()
  }

  /** More of the work beside all steps, which takes their time. */
  def doesBeside(micros: Double, now: Long): Unit = if (micros > 0) { advance(now); beside += micros; plan() }

  /** When that could be done, if it came before all steps. */
  def besideUntil(now: Long): Double = { advance(now); now + beside / math.min(1, units) }

  /** All its steps together have this part of its speed from now on. */
  def goesAt(part: Double, now: Long): Unit = if (part != speed) { advance(now); speed = part; plan() }

  def happens(now: Long): Unit = {
    if (now >= looks) looks = Long.MaxValue
    advance(now)
    var i = 0
    var over = List.empty[Step]
    while (i < n)
      if (ends(i) <= had + Device.Rounding) {
        over = steps(i) :: over
        n -= 1
        steps(i) = steps(n)
        ends(i) = ends(n)
        steps(n) = null
      } else i += 1
    val (go, wait) = over.map(step => (step.goesOn(now), step)).partition(_._1 <= now)
    wait.foreach { case (moment, step) => kept.enqueue((moment, step)); events.add(moment, event) }
    var gone = go.map(_._2)
    while (kept.headOption.exists(_._1 <= now)) gone = kept.dequeue()._2 :: gone
    val (again, done) = gone.partition(_.hasMore)
    start(again)
    done.foreach(step => if (step.queues) start(scheduler.finish()))
    if (over.nonEmpty || gone.nonEmpty) changes(this)
    plan()
    done.foreach(step => ended(step.task))
  }

  private def advance(now: Long): Unit = {
    val share = (now - since) * speed / sharers
    had += share
    beside = if (beside <= share + Device.Rounding) 0 else beside - share
    since = now
  }

  /** Of each unit. */
  private def sharers: Double = math.max(1.0, (if (beside > 0) n + 1 else n) / units)

  private def start(begun: Seq[Step]): Unit = begun.foreach { step =>
    if (n == steps.length) {
      steps = java.util.Arrays.copyOf(steps, 2 * n)
      ends = java.util.Arrays.copyOf(ends, 2 * n)
    }
    steps(n) = step
    ends(n) = had + step.begins()
    n += 1
  }

  /** Looks when the next one ends, if nothing changes until then. */
  private def plan(): Unit = if ((n > 0 || beside > 0) && speed > 0) {
    var least = if (beside > 0) had + beside else Double.MaxValue
    var i = 0
    while (i < n) { if (ends(i) < least) least = ends(i); i += 1 }
    val moment = since + math.max(0L, math.ceil((least - had) * sharers / speed).toLong)
    if (moment < looks) { looks = moment; events.add(moment, event) }
  }
}

private object Device {

  /** Moments are whole microseconds. */
  private final val Rounding = 1e-3
}

/** @param micros what it needs of its resource alone */
private[model] class Step(val task: Int, val multitask: Long, val phase: MonotaskPhase, micros: Double)
    extends Monotask {

  /** Whether it waits for a slot of the resource. */
  def queues: Boolean = true

  /** Returns what it needs. */
  def begins(): Double = micros

  /** When it has had that; returns the moment at which its task goes on, or itself if it has more to do. */
  def goesOn(now: Long): Long = now

  /** Whether it begins again then, in its slot. */
  def hasMore: Boolean = false
}
