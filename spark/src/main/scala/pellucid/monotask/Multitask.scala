package pellucid.monotask

import org.apache.spark.TaskContext
import org.apache.spark.pellucid.TaskMemory

import pellucid.observe.CpuClock
import pellucid.sched.MonotaskPhase

/** A Spark task as a row of monotasks (thesis section 5.3.2). Its thread always holds a place at one resource: a core while it computes,
  * and while it waits for a large request a disk or the network instead, or what runs ahead of it has that.
  *
  * @param tasks that may run at once
  * @param mostText of its monotasks, in characters
  */
final class Multitask private[monotask] (
    val number: Long,
    private[monotask] val resources: Resources,
    val tasks: Int,
    mostText: Long
) {
  private[monotask] val thread: Thread = Thread.currentThread
  @volatile private var computing = false
  private var current: Clock = _

  /** Of Spark's. */
  private[pellucid] val attempt: Long = TaskContext.get().taskAttemptId()

  /** For what waits between two monotasks. */
  val memory = new TaskMemory(TaskContext.get(), tasks)

  private var ended = System.nanoTime()
  private val done = new MonotaskText(ended)

  /** The monotasks that have ended (docs/observed.md); None where those of all tasks of the stage might fill what the driver takes of results. */
  def text: Option[String] = Some(done.toString).filter(_.length <= mostText)

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

  /** What other threads do for it until it comes to that: before it has done anything itself but compute, and since. */
  private var early: Option[Ahead] = None
  private var ahead = List.empty[Ahead]
  @volatile private var hasBegun = false
  private var asked = false // by the watch, the only one who asks

  /** The first time, where it has not come to its first monotask but computes. */
  private[monotask] def mayHaveEarly: Boolean = !asked && !hasBegun && { asked = true; true }

  /** False: it has begun by itself. */
  def beginsEarly(first: Ahead): Boolean = synchronized(!hasBegun && { early = Some(first); true })
  def begins(next: Ahead): Unit = synchronized(ahead ::= next)

  /** Its own thread computes, and nobody waits for its core or for what else it would use. */
  def mayGoAhead(place: String, phase: MonotaskPhase): Boolean =
    hasCore && !coreIsWanted && !isWanted(place, phase)

  /** How many monotasks of all tasks a disk has for each that it runs at once. */
  def loadOf(disk: String): Double = {
    val gate = resources.of(disk, MonotaskPhase.ShuffleWrite)
    gate.busy.toDouble / gate.slots
  }

  /** A disk that loses no time where its requests are of several places. */
  def servesSeveral(disk: String): Boolean = resources.of(disk, MonotaskPhase.InputRead).slots > 1

  /** A disk that does. */
  def hasOneHead(place: String): Boolean = Resources.isDisk(place) && !servesSeveral(place)

  /** It has come to its first request: what has begun for it by now is what there may be. */
  def opens(): Option[Ahead] = synchronized { hasBegun = true; early }

  private def withoutEarly(): Unit = opens().foreach(drops)

  /** What was done for it is its own from now on: how long its own thread waited for that, by its record. None where nothing was, or it was taken
    * before. It waits for a monotask that is running.
    */
  def takes(done: Ahead): Option[Long] =
    if (!claims(done)) None
    else if (!done.isThere) { done.off(); None }
    else if (hasCore) takesInTurn(done)
    else Option.when(take(done).nonEmpty)(0L)

  private def takesInTurn(done: Ahead): Option[Long] = withoutCore {
    val came = ended
    val all = take(done)
    all.foreach(write)
    Option.when(all.nonEmpty)(ended - came)
  }

  private def take(done: Ahead): Seq[Ahead.One] = {
    var all = Seq.empty[Ahead.One]
    try { all = done.take(); all }
    finally if (all.isEmpty) done.off()
  }

  def drops(done: Ahead): Unit = if (claims(done)) done.off()

  private def claims(done: Ahead): Boolean = synchronized {
    val has = early.contains(done) || ahead.contains(done)
    early = early.filterNot(_ eq done)
    ahead = ahead.filterNot(_ eq done)
    has
  }

  private def write(one: Ahead.One): Unit = {
    val late = Some(one.ended / 1000 - ended / 1000)
    add(one.resource, one.phase, one.moved, one.queued, one.started, one.ended, one.cpu, late)
    ended = math.max(ended, one.ended)
  }

  private var hasPlace = false

  /** Until it is one of those that may be at once. */
  private[monotask] def waitForPlace(): Unit = hasPlace = enter(resources.tasks, MonotaskPhase.Compute)

  private[monotask] def begin(): Unit = compute()

  private[monotask] def end(): Unit = {
    try {
      release()
      withoutEarly()
      synchronized(ahead).foreach(drops)
      memory.end()
    } finally if (hasPlace) resources.tasks.leave()
  }

  /** Runs `io`, a request by the task's own thread that returns how many bytes it moved, as a monotask.
    *
    * @param queues false where it takes the other side some time but hardly uses the resource
    */
  def at(place: String, phase: MonotaskPhase, queues: Boolean = true)(io: => Int): Int =
    if (hasCore) requesting(monotask(resources.of(place, phase), phase, queues)(io)) else io

  /** The same; then, whatever came of `io`, what the other side still has to do for the task, in nobody's way: a monotask of no bytes in no queue, before
    * the task waits for a core again.
    */
  def at(place: String, phase: MonotaskPhase, io: => Int, rest: => Unit): Unit =
    if (hasCore) requesting {
      val gate = resources.of(place, phase)
      try monotask(gate, phase, queues = true)(io)
      finally monotask(gate, phase, queues = false) { rest; 0 }
    }
    else
      try io
      finally rest

  /** The same of a few bytes, which wait in no queue. Where a disk's only head goes there, this takes it from what has its turn: a task more would, too. */
  def beside(place: String, phase: MonotaskPhase)(io: => Int): Int =
    if (hasCore && hasOneHead(place)) inLine(place, phase)(io) else io

  /** It waits for what a resource's slots do not bound: a task more would, too. */
  def inLine[A](place: String, phase: MonotaskPhase)(wait: => A): A = inLine(resources.of(place, phase), phase)(wait)

  private def inLine[A](gate: Gate, phase: MonotaskPhase)(wait: => A): A = {
    waits = Some(gate -> phase)
    try wait
    finally waits = None
  }

  /** What it has come to is its own request: what is not asked for by now is not begun early. */
  private def requesting[A](request: => A): A = {
    if (early.nonEmpty || !hasBegun) withoutEarly()
    withoutCore(request)
  }

  private def monotask(gate: Gate, phase: MonotaskPhase, queues: Boolean)(io: => Int): Int = {
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
  }

  /** What it waits for has come in part, and its core would idle: nobody waits for one, nor for what the rest uses. */
  def mayGoOn(place: String, phase: MonotaskPhase): Boolean =
    (Thread.currentThread eq thread) && resources.cpu.isFree && !isWanted(place, phase)

  private def isWanted(place: String, phase: MonotaskPhase) = resources.of(place, phase).waits > 0

  /** Comes back to what others do for it since it went on without that: waits for it, without its core. Also of what is cut short `came` tells how many
    * bytes that moved, and until when.
    */
  def rejoins(place: String, phase: MonotaskPhase, since: Long)(wait: => Unit)(came: => (Int, Long)): Unit =
    if (!hasCore) wait
    else withoutCore {
      val cpu = CpuClock.nanos()
      try wait
      finally write(rest(place, phase, since, came, CpuClock.nanos() - cpu))
    }

  /** The same of what has come by now: it waits for nothing, and keeps its core. */
  def adds(place: String, phase: MonotaskPhase, since: Long)(came: => (Int, Long)): Unit = if (hasCore) {
    current.stops()
    current.write(resources.cpu, MonotaskPhase.Compute, 0)
    write(rest(place, phase, since, came, cpu = 0))
    current = new Clock
    current.starts()
  }

  private def rest(place: String, phase: MonotaskPhase, since: Long, came: (Int, Long), cpu: Long) =
    new Ahead.One(resources.of(place, phase).resource, phase, came._1, since, since, came._2, cpu)

  /** Its own thread computes. */
  private def hasCore = (Thread.currentThread eq thread) && computing

  /** What it does while others may have its core. */
  private def withoutCore[A](work: => A): A = {
    release()
    try work
    finally compute()
  }

  private def compute(): Unit = {
    current = new Clock
    computing = enter(resources.cpu, MonotaskPhase.Compute)
    current.starts()
    seenAt = System.nanoTime()
  }

  private def enter(gate: Gate, phase: MonotaskPhase): Boolean =
    inLine(gate, phase)(gate.enter(new Turn(number, phase)))

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

    def write(gate: Gate, phase: MonotaskPhase, bytes: Int): Unit =
      add(gate.resource, phase, bytes, queued, started, ended, cpu)
  }

  /** Differences of whole microseconds add up to the moments again. */
  private def add(
      name: String,
      phase: MonotaskPhase,
      bytes: Int,
      queued: Long,
      from: Long,
      to: Long,
      cpu: Long,
      late: Option[Long] = None
  ): Unit =
    done.add(name, phase, bytes, from / 1000 - queued / 1000, to / 1000 - from / 1000, cpu / 1000, late)
}

private object Multitask {
  private final val StuckNanos = 10000000000L
}
