package pellucid.observe

import java.lang.management.ManagementFactory
import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

import scala.util.Random

import pellucid.plugin.Guard

/** Looks ten times a second at what the threads of tasks do, for what cannot be measured where it happens without a clock per
  * record: Python workers, decompression, decoding, locks. A task is charged the time since the look before.
  */
private[pellucid] final class Sampler {
  import Sampler._
  private val running = ConcurrentHashMap.newKeySet[TaskRecord]
  private val threads = ManagementFactory.getThreadMXBean
  private var beforeNanos = System.nanoTime()
  private val thread = Executors.newSingleThreadScheduledExecutor { (work: Runnable) =>
    val made = new Thread(work, "pellucid-sampler")
    made.setDaemon(true)
    made
  }
  thread.scheduleWithFixedDelay(() => { guard(look()); () }, EveryMillis, EveryMillis, TimeUnit.MILLISECONDS)

  def taskStarts(record: TaskRecord): Unit = { running.add(record); () }
  def taskEnds(record: TaskRecord): Unit = { running.remove(record); () }
  def stop(): Unit = { thread.shutdownNow(); () }

  private def look(): Unit = {
    val all =
      running.toArray(Array.empty[TaskRecord]).filter(_.multitask.forall(_.computes)) // at a resource it is no secret
    val now = System.nanoTime()
    val passed = math.min(now - beforeNanos, 4 * EveryMillis * 1000000)
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
  }
}

private object Sampler {
  private final val EveryMillis = 100L
  private final val Frames = 64
  private final val Most = 16
  private val guard = new Guard("sampling what tasks do")
}
