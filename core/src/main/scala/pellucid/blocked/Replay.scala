package pellucid.blocked

import java.util.BitSet

import scala.collection.mutable.ArrayBuffer

import pellucid.trace.Lanes

/** Runs a recorded application again with other task durations: on the slots it had as they came and went, with its stage
  * dependencies, its concurrent jobs and its driver's delays (thesis section 3.3.2).
  *
  * A free slot takes the next task that its executor ran in the recording, and when those are gone the next of another
  * executor, unless that one had waited for its own; a stage uses no executor that it did not use.
  * Among the stages that have tasks to run the earliest job's goes first (Spark's FIFO), with FAIR that of the pool with the fewest running tasks.
  */
final class Replay(val schedule: Schedule) {
  import schedule._
  private val taskRows = trace.tasks.size

  // ids of events; smaller ids go first among those of one moment
  private val Slots = taskRows + Progress.events(schedule)
  private val Release = Slots + slotChanges.length

  private val slotsOfAnchor: Map[Int, Array[Int]] = slotChanges.indices.toArray.groupBy(slotChanges(_).anchor)

  /** @param duration microseconds by task row
    * @param anywhere task rows that wait for no executor of their own
    */
  def run(duration: Array[Long], anywhere: BitSet): Simulated = new Run(duration, anywhere).result()

  /** The state of one replay, and what each event does to it. */
  private final class Run(duration: Array[Long], anywhere: BitSet) {
    private val events = new EventQueue
    private var now = 0L
    private val progress = new Progress(schedule, events, taskRows, schedule.awaitedOfStage) {
      override protected def jobBegins(job: Int): Unit = slotsFollow(job)
      override protected def stageBegins(stage: Int): Unit = {
        slotsFollow(jobs + stage)
        pending += left(stage)
        if (left(stage) > 0) becomeReady(stage)
      }
    }
    private val running = new Array[Int](stages) // in each pool, of which there are no more

    /** Stages with tasks to launch, and how many tasks they have. */
    private val ready = ArrayBuffer.empty[Int]
    private var pending = 0
    private val left = queued.map(_.length) // tasks not yet launched
    private val shared = // those that any executor may take
      if (anywhere.isEmpty) unbound
      else queued.map(_.filter(row => !trace.lanes.bound.get(row) || anywhere.get(row)))
    private val next = new Array[Int](stages) // in `shared`, past those launched
    private val nextOn = stageExecutors.map(e => new Array[Int](e.length)) // the same in `queuedOn`
    private val released = new Array[java.util.ArrayDeque[Integer]](stages) // retries and copies whose time has come
    private val launched = new Array[Boolean](taskRows)
    private val ranOn = new Array[Int](taskRows)
    private val began = new Array[Long](taskRows)
    private val lastBegan = new Array[Long](trace.executors.size) // the task whose slot an executor had free last

    private val free = new Array[Int](trace.executors.size) // slots; negative while a lost executor's tasks still run
    private var idle = new Array[Int](64) // executors that look for work at this moment
    private var idleCount = 0
    private var firstWave = false // a stage has just become ready: each executor takes its own tasks before any other's

    def result(): Simulated = {
      slotsFollow(-1)
      progress.begin()
      val out = progress.out
      while (!events.isEmpty || pending > 0) {
        if (events.isEmpty) extendExecutor()
        else {
          now = math.max(now, events.time)
          while (!events.isEmpty && events.time <= now) {
            val id = events.id
            events.remove()
            if (id < Slots) out.end = now // executors come and go, and retries may begin, with nothing left to do
            happens(id)
          }
        }
        launchTasks()
      }
      out.end = math.max(out.end, progress.recordedEnd)
      out
    }

    private def happens(id: Int): Unit =
      if (id < taskRows) taskEnds(id)
      else if (id < Slots) progress.happens(id, now)
      else if (id < Release) slotsChange(slotChanges(id - Slots))
      else release(id - Release)

    private def taskEnds(row: Int): Unit = {
      val stage = trace.tasks.stage(row)
      free(ranOn(row)) += 1
      lastBegan(ranOn(row)) = began(row)
      lookForWork(ranOn(row))
      running(pool(stage)) -= 1
      if (awaited(row)) progress.taskEnded(stage, now)
      following(row).foreach(f => if (f.afterEnd) events.add(now + f.delay, Release + f.row))
    }

    private def slotsFollow(anchor: Int): Unit =
      slotsOfAnchor.getOrElse(anchor, Array.emptyIntArray).foreach(i =>
        events.add(now + slotChanges(i).delay, Slots + i)
      )

    private def slotsChange(change: SlotChange): Unit = {
      free(change.executor) += change.slots
      lookForWork(change.executor)
    }

    private def following(row: Int): List[Follower] =
      if (followers.isEmpty) Nil else followers.getOrElse(row.toLong, Nil)

    private def release(row: Int): Unit = {
      val stage = trace.tasks.stage(row)
      if (released(stage) == null) released(stage) = new java.util.ArrayDeque[Integer]
      released(stage).add(row)
      pending += 1
      becomeReady(stage)
    }

    private def becomeReady(stage: Int): Unit = {
      if (!ready.contains(stage)) ready += stage
      firstWave = true
      stageExecutors(stage).foreach(lookForWork)
    }

    private def lookForWork(executor: Int): Unit = {
      if (idleCount == idle.length) idle = java.util.Arrays.copyOf(idle, idleCount * 2)
      idle(idleCount) = executor
      idleCount += 1
    }

    /** All executors are gone and work is left: the replay is slower than the recording, and a slot stays for it. */
    private def extendExecutor(): Unit = {
      val stage = ready(0)
      val row = if (hasReleased(stage)) released(stage).peek.intValue else queued(stage).find(!launched(_)).get
      val executor = trace.tasks.executor(row)
      free(executor) = math.max(free(executor), 0) + 1
      lookForWork(executor)
    }

    private def launchTasks(): Unit = {
      var i = 0
      if (firstWave) while (i < idleCount) { fill(idle(i), others = false); i += 1 }
      firstWave = false
      i = 0
      while (i < idleCount) { fill(idle(i), others = true); i += 1 }
      idleCount = 0
    }

    private def fill(executor: Int, others: Boolean): Unit = {
      var stage = if (free(executor) > 0) choose(executor, others) else -1
      while (stage >= 0) {
        launch(stage, executor, offer(stage, executor, others))
        stage = if (free(executor) > 0) choose(executor, others) else -1
      }
    }

    /** The stage whose task the executor takes next, or -1. */
    private def choose(executor: Int, others: Boolean): Int = {
      var best = -1
      var i = 0
      while (i < ready.length) {
        val s = ready(i)
        if ((best < 0 || goesBefore(s, best, running)) && offer(s, executor, others) >= 0) best = s
        i += 1
      }
      best
    }

    /** The task of the stage that the executor would run next, or -1; `others`: also one that another executor ran. */
    private def offer(stage: Int, executor: Int, others: Boolean): Int =
      if (hasReleased(stage)) released(stage).peek.intValue
      else if (left(stage) == 0) -1
      else {
        val own = java.util.Arrays.binarySearch(stageExecutors(stage), executor)
        if (own < 0) -1
        else {
          val row = firstLeft(queuedOn(stage)(own), nextOn(stage), own)
          if (row >= 0 || !others) row else firstLeft(shared(stage), next, stage)
        }
      }

    private def firstLeft(rows: Array[Int], from: Array[Int], at: Int): Int = {
      var i = from(at)
      while (i < rows.length && launched(rows(i))) i += 1
      from(at) = i
      if (i < rows.length) rows(i) else -1
    }

    private def hasReleased(stage: Int): Boolean = released(stage) != null && !released(stage).isEmpty

    private def delay(row: Int): Long =
      if (anywhere.get(row)) math.min(taskDelay(row), Lanes.BoundMillis * Schedule.Micros) else taskDelay(row)

    private def launch(stage: Int, executor: Int, row: Int): Unit = {
      if (hasReleased(stage)) released(stage).poll() else left(stage) -= 1
      launched(row) = true
      if (left(stage) == 0 && !hasReleased(stage)) ready -= stage
      pending -= 1
      free(executor) -= 1
      running(pool(stage)) += 1
      ranOn(row) = executor
      // a task that overlapped the one before it in its slot began no sooner than that or its stage
      val start =
        math.max(now + delay(row), math.min(now, math.max(progress.out.stageStart(stage), lastBegan(executor))))
      began(row) = start
      events.add(math.max(now, start + duration(row)), row)
      following(row).foreach { copy => // which does not come later than the end of what it copies
        if (!copy.afterEnd)
          events.add(math.max(now, start + math.min(copy.delay, duration(row))), Release + copy.row)
      }
    }
  }
}

object Replay {

  /** Every task waits for what it waited for. */
  val NoTask = new BitSet
}

/** Simulated moments, in microseconds from the start of the trace. */
final class Simulated(jobs: Int, stages: Int) {
  val jobStart, jobEnd = new Array[Long](jobs)
  val stageStart, stageEnd = new Array[Long](stages)
  var end = 0L

  def jobMicros(j: Int): Long = jobEnd(j) - jobStart(j)
  def stageMicros(s: Int): Long = stageEnd(s) - stageStart(s)
}

object Simulated {

  /** Of each moment. */
  def mean(all: Seq[Simulated]): Simulated = all match {
    case Seq(one) => one
    case _ =>
      val out = new Simulated(all.head.jobStart.length, all.head.stageStart.length)
      def set(of: Simulated => Array[Long]): Unit =
        for (i <- of(out).indices) of(out)(i) = all.iterator.map(of(_)(i)).sum / all.size
      Seq[Simulated => Array[Long]](_.jobStart, _.jobEnd, _.stageStart, _.stageEnd).foreach(set)
      out.end = all.iterator.map(_.end).sum / all.size
      out
  }
}
