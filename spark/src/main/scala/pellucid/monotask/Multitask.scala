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

  /** Of Spark's. */
  private[pellucid] val attempt: Long = TaskContext.get().taskAttemptId()

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

  /** What another thread does for it, before it has done anything itself but compute. */
  private var early: Option[Early] = None
  @volatile private var hasBegun = false
  private var asked = false // by the watch, the only one who asks

  /** The first time, where it has not come to its first monotask but computes. */
  private[monotask] def mayHaveEarly: Boolean = !asked && !hasBegun && { asked = true; true }

  private[monotask] def begins(first: Early): Boolean = synchronized {
    !hasBegun && { early = Some(first); true }
  }

  /** It opens a file: what has begun for it by now is what there may be. */
  def opens(): Option[Early] = synchronized { hasBegun = true; early }

  private def withoutEarly(): Unit = synchronized {
    hasBegun = true
    early.foreach(_.off())
    early = None
  }

  /** What was done for it is its own from now on: how long that took, by its record, where they stand beside what it computed before and after. None where nothing was, or it was
    * taken before. It waits for one that is running.
    */
  def takes(first: Early): Option[Long] =
    if (!claims(first) || !first.isThere) None
    else {
      val inTurn = (Thread.currentThread eq thread) && computing
      val all = if (inTurn) takeInTurn(first) else first.take()
      Option.when(all.nonEmpty)(if (inTurn) all.map(one => one.ended - one.started).sum else 0L)
    }

  private def claims(first: Early) = synchronized {
    val is = early.contains(first)
    if (is) early = None
    is
  }

  private def takeInTurn(first: Early): Seq[Early.One] = {
    leaveCore()
    var all = Seq.empty[Early.One]
    try { all = first.take(); all }
    finally { current.write(all); compute() }
  }

  private[monotask] def begin(): Unit = compute()

  private[monotask] def end(): Unit = {
    release()
    withoutEarly()
    memory.end()
  }

  /** Runs `io`, a request by the task's own thread that returns how many bytes it moved, as a monotask.
    *
    * @param queues false where it takes the other side some time but hardly uses the resource
    */
  def at(place: String, phase: MonotaskPhase, queues: Boolean = true)(io: => Int): Int =
    if ((Thread.currentThread ne thread) || !computing) io
    else {
      if (early.nonEmpty || !hasBegun) withoutEarly()
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

  private def release(): Unit = { leaveCore(); current.write(resources.cpu, MonotaskPhase.Compute, 0) }

  private def leaveCore(): Unit = {
    current.stops()
    if (computing) {
      computing = false
      resources.cpu.leave()
    }
  }

  /** A monotask's moments: it is queued when the one before it has ended. */
  private final class Clock {
    private val queued = ended
    private var started, cpu = 0L
    def starts(): Unit = { started = System.nanoTime(); cpu = CpuClock.nanos() }
    def stops(): Unit = { cpu = CpuClock.nanos() - cpu; ended = System.nanoTime() }

    def write(gate: Gate, phase: MonotaskPhase, bytes: Int): Unit =
      add(gate.resource, phase, bytes, queued, started, ended, cpu)

    /** It computed, and `others` ended meanwhile or just after: from the first one's start on the time is theirs. Its own is what was before and after, and its CPU time in
      * proportion to that.
      */
    def write(others: Seq[Early.One]): Unit = {
      val (from, to) = if (others.isEmpty) (ended, ended) else (others.head.started, others.last.ended)
      val until = math.max(to, ended)
      val whole = (from - started) + (until - to)
      val before = if (whole > 0) (cpu.toDouble * (from - started) / whole).toLong else cpu
      compute(queued, started, from, before)
      others.foldLeft(from) { (queued, one) =>
        add(one.resource, one.phase, one.moved, queued, one.started, one.ended, one.cpu)
        one.ended
      }
      if (others.nonEmpty) compute(to, to, until, cpu - before)
      ended = until
    }

    private def compute(queued: Long, from: Long, to: Long, cpu: Long): Unit =
      add(resources.cpu.resource, MonotaskPhase.Compute, 0, queued, from, to, cpu)

    /** Differences of whole microseconds add up to the moments again. */
    private def add(
        name: String,
        phase: MonotaskPhase,
        bytes: Int,
        queued: Long,
        from: Long,
        to: Long,
        cpu: Long
    ): Unit =
      done.add(name, phase, bytes, from / 1000 - queued / 1000, to / 1000 - from / 1000, cpu / 1000)
  }
}

private object Multitask {
  private final val StuckNanos = 10000000000L
}
