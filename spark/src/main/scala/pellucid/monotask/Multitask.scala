package pellucid.monotask

import org.apache.spark.TaskContext
import org.apache.spark.pellucid.TaskMemory

import pellucid.observe.CpuClock
import pellucid.sched.MonotaskPhase

/** A Spark task as a row of monotasks (thesis section 5.3.2). Its thread always holds a place at one resource: a core while it computes,
  * and while it waits for a large request a disk or the network instead.
  *
  * @param tasks that may run at once
  */
final class Multitask private[monotask] (val number: Long, private[monotask] val resources: Resources, val tasks: Int) {
  private[monotask] val thread: Thread = Thread.currentThread
  @volatile private var computing = false
  private var current: Clock = _

  /** For what waits between two monotasks. */
  val memory = new TaskMemory(TaskContext.get(), tasks)

  private var ended = System.nanoTime()
  private val done = new MonotaskText(ended)

  /** The monotasks that have ended (docs/observed.md). */
  def text: String = done.toString

  def computes: Boolean = computing

  /** In whose queue it has a place, and for what. */
  @volatile private[monotask] var waits: Option[(Gate, MonotaskPhase)] = None

  /** Others wait for the core it has. */
  def coreIsWanted: Boolean = resources.cpu.waits > 0

  private var cpuSeen = 0L
  @volatile private var seenAt = System.nanoTime()

  /** Its thread has used no CPU for so long that others go on: whatever it waits for may be one of them. For one thread to ask. */
  private[monotask] def isStuck: Boolean = {
    val now = System.nanoTime()
    if (now - seenAt > Multitask.StuckNanos / 10) {
      val cpu = CpuClock.nanosOf(thread)
      if (cpu < 0 || cpu - cpuSeen > Multitask.StuckNanos / 10000) { cpuSeen = cpu; seenAt = now }
    }
    now - seenAt > Multitask.StuckNanos
  }

  private[monotask] def begin(): Unit = compute()

  private[monotask] def end(): Unit = {
    release()
    memory.end()
  }

  /** Runs `io`, a request by the task's own thread that returns how many bytes it moved, as a monotask.
    *
    * @param queues false where it takes the other side some time but hardly uses the resource
    */
  def at(place: String, phase: MonotaskPhase, queues: Boolean = true)(io: => Int): Int =
    if ((Thread.currentThread ne thread) || !computing) io
    else {
      val gate = resources.of(place, phase)
      release()
      try {
        val clock = new Clock
        val entered = queues && enter(gate, phase)
        clock.starts()
        var moved = 0
        try { moved = io; moved }
        finally {
          clock.stops()
          if (entered) gate.leave()
          clock.write(gate, phase, math.max(0, moved)) // fewer are of a stream's end
        }
      } finally compute()
    }

  private def compute(): Unit = {
    current = new Clock
    computing = enter(resources.cpu, MonotaskPhase.Compute)
    current.starts()
    seenAt = System.nanoTime()
  }

  private def enter(gate: Gate, phase: MonotaskPhase): Boolean = {
    waits = Some(gate -> phase)
    try gate.enter(new Turn(number, phase))
    finally waits = None
  }

  private def release(): Unit = {
    current.stops()
    if (computing) {
      computing = false
      resources.cpu.leave()
    }
    current.write(resources.cpu, MonotaskPhase.Compute, 0)
  }

  /** A monotask's moments: it is queued when the one before it has ended. */
  private final class Clock {
    private val queued = ended
    private var started, cpu = 0L
    def starts(): Unit = { started = System.nanoTime(); cpu = CpuClock.nanos() }
    def stops(): Unit = { cpu = CpuClock.nanos() - cpu; ended = System.nanoTime() }

    /** Differences of whole microseconds add up to the moments again. */
    def write(gate: Gate, phase: MonotaskPhase, bytes: Int): Unit =
      done.add(gate.resource, phase, bytes, started / 1000 - queued / 1000, ended / 1000 - started / 1000, cpu / 1000)
  }
}

private object Multitask {
  private final val StuckNanos = 10000000000L
}
