package pellucid.observe

import java.lang.management.ManagementFactory
import java.util.concurrent._
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Random

import pellucid.plugin.Guard

/** Looks ten times a second, while tasks run, at what their threads do, for what cannot be measured where it happens without a clock per
  * record: Python workers, decompression, decoding, locks. A task is charged the time since the look before. Where CPUs are slow
  * it looks less often, so that looking takes little of them.
  */
private[pellucid] final class Sampler {
  import Sampler._
  private val running = ConcurrentHashMap.newKeySet[TaskRecord]
  private val rests = new AtomicBoolean(true) // until a task starts
  private val threads = ManagementFactory.getThreadMXBean
  @volatile private var beforeNanos = 0L
  @volatile private var pauseNanos = LeastNanos
  private val thread = new ScheduledThreadPoolExecutor(
    1,
    new Daemons("pellucid-sampler"),
    new ThreadPoolExecutor.DiscardPolicy // after it has stopped nobody is looked at
  )

  private def lookIn(nanos: Long): Unit = {
    thread.schedule((() => { guard(look()); goOn() }): Runnable, nanos, TimeUnit.NANOSECONDS)
    ()
  }

  private def goOn(): Unit =
    if (!running.isEmpty) lookIn(pauseNanos)
    else {
      rests.set(true)
      if (!running.isEmpty) wake() // one that has just started
    }

  /** As if it had looked all the time: at any moment after a task's start, for what a pause takes. */
  private def wake(): Unit = if (rests.compareAndSet(true, false)) {
    val nanos = ThreadLocalRandom.current.nextLong(pauseNanos)
    beforeNanos = System.nanoTime() + nanos - pauseNanos
    lookIn(nanos)
  }

  def taskStarts(record: TaskRecord): Unit = { running.add(record); wake() }
  def taskEnds(record: TaskRecord): Unit = { running.remove(record); () }
  def stop(): Unit = { thread.shutdownNow(); () }

  private def look(): Unit = {
    val all =
      running.toArray(Array.empty[TaskRecord]).filter(_.multitask.forall(_.computes)) // at a resource it is no secret
    val (now, cpu) = (System.nanoTime(), CpuClock.nanos())
    val passed = math.min(now - beforeNanos, 4 * pauseNanos)
    beforeNanos = now
    if (all.nonEmpty) {
      // all threads stop while some are looked at: of many tasks a few stand for the others
      val records = if (all.length <= Most) all else Random.shuffle(all.toSeq).take(Most).toArray
      val charged = passed * all.length / records.length
      val infos = threads.getThreadInfo(records.map(_.thread.getId), Frames)
      for (i <- records.indices if infos(i) != null)
        Activity.of(infos(i).getStackTrace, infos(i).getThreadState).foreach { case (kind, path) =>
          records(i).sampled(kind, path, charged)
        }
    }
    val rest = (CpuClock.nanos() - cpu) * Share
    pauseNanos = math.max(LeastNanos, Seq(rest, 2 * pauseNanos, MostNanos).min) // the first look loads classes
  }
}

private object Sampler {
  private final val LeastNanos = 100000000L
  private final val MostNanos = 1000000000L

  /** Of a CPU's time its own thread's is one in so many, and the JVM's for stopping the others up to twice as much. */
  private final val Share = 800L
  private final val Frames = 64
  private final val Most = 16
  private val guard = new Guard("sampling what tasks do")
}
