package pellucid.monotask

import java.util.concurrent.locks.LockSupport

import pellucid.observe.QueueLevel
import pellucid.sched.{Monotask, MonotaskPhase, ResourceScheduler}

/** One resource of this executor. Threads wait here until its scheduler lets their monotasks run. */
private[monotask] final class Gate(name: String, val slots: Int) {

  /** As the log has it. */
  val resource: String = s"$name=$slots"
  private val scheduler = new ResourceScheduler[Turn](slots)
  private var phases = Set.empty[MonotaskPhase] // that there have been
  private var movedAt = System.nanoTime() - Gate.AnewNanos // when one ended, or began to wait where none did
  private var anew = false // none has ended since they began, after so long without any
  private var overdrawn = 0 // since somebody asked

  /** On the thread that will run it, which waits until it may. False: that thread was interrupted, and it does not run. */
  def enter(turn: Turn): Boolean = {
    begin(synchronized {
      if (scheduler.runs == 0) anew = still(Gate.AnewNanos)
      if (scheduler.waits == 0) moved()
      phases += turn.phase
      scheduler.submit(turn)
    })
    turn.await() || !synchronized(scheduler.withdraw(turn))
  }

  def leave(): Unit = begin(synchronized { moved(); anew = false; scheduler.finish() })

  /** One of those that run is blocked: one more may. False: none may that waits. */
  def overdraw(): Boolean = beginSome(synchronized(scheduler.overdraw()))

  /** The same where nothing shows that it is blocked, which is counted. */
  def overdrawUnseen(): Boolean = beginSome(synchronized(counted(scheduler.overdraw())))

  /** Multitasks after this one wait. */
  def upTo(multitask: Long): Unit = begin(synchronized(scheduler.upTo(multitask)))

  /** One more may also where none of those that run has ended for so long, while others wait. False: none has begun. */
  def overdrawAfter(nanos: Long): Boolean = beginSome(synchronized {
    if (scheduler.waits == 0 || !still(nanos)) Nil
    else { moved(); counted(scheduler.overdraw()) }
  })

  private def counted(begun: Seq[Turn]): Seq[Turn] = { overdrawn += begun.size; begun }

  /** How many run and wait now, and how many more than it has slots began unseen, since the last call. */
  def level(): QueueLevel = synchronized {
    val level = QueueLevel(resource, scheduler.runs, scheduler.waits, overdrawn)
    overdrawn = 0
    level
  }

  /** Memory is short, or no longer: what moves data out of it goes first, or takes its turn. */
  def freeingFirst(short: Boolean): Unit = synchronized(scheduler.freeingFirst = short)

  def resize(slots: Int): Unit = begin(synchronized(scheduler.resize(slots)))

  /** Nobody waits here any more. */
  def open(): Unit = begin(synchronized(scheduler.upTo(Long.MaxValue) ++ scheduler.resize(Int.MaxValue)))

  private def moved(): Unit = movedAt = System.nanoTime()
  private def still(nanos: Long) = System.nanoTime() - movedAt >= nanos

  /** Those that run are the first ones after a second or more without any, and none has ended, nor begun a second ago. */
  def beginsAnew: Boolean = synchronized(anew && !still(Gate.AnewNanos))

  /** One more would have its turn at once. */
  def isFree: Boolean = synchronized(scheduler.isFree)

  /** One more of a phase that it serves would. */
  def isFreeFor(phase: MonotaskPhase): Boolean = synchronized(phases(phase) && scheduler.isFree)

  def waits: Int = synchronized(scheduler.waits)
  def runs: Int = synchronized(scheduler.runs)

  /** Monotasks that run or wait. */
  def busy: Int = synchronized(scheduler.runs + scheduler.waits)

  private def begin(turns: Seq[Turn]): Unit = turns.foreach(_.begin())
  private def beginSome(turns: Seq[Turn]): Boolean = { begin(turns); turns.nonEmpty }
}

private object Gate {
  private final val AnewNanos = 1000000000L
}

/** A monotask of the current thread. */
private[monotask] final class Turn(val multitask: Long, val phase: MonotaskPhase) extends Monotask {
  private val thread = Thread.currentThread
  @volatile private var begun = false

  private[monotask] def begin(): Unit = { begun = true; if (thread ne Thread.currentThread) LockSupport.unpark(thread) }

  /** False: the thread was interrupted before it began; it stays interrupted. */
  private[monotask] def await(): Boolean = {
    while (!begun && !thread.isInterrupted) LockSupport.park(this)
    begun
  }
}
