package pellucid.monotask

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.{BarrierTaskContext, SparkConf, TaskContext}

import pellucid.plugin.Guard

/** An executor's tasks as monotasks: the resources, the tasks that use them, and a watch over both.
  *
  * @param cores that Spark gave the executor
  * @param moreTasks asks the driver for so many tasks at once beyond those that there were
  */
private[pellucid] final class Monotasks(cores: Int, conf: SparkConf, moreTasks: Int => Unit) {
  import Monotasks._
  private val diskSlots = conf.getInt("spark.pellucid.monotasks.diskSlots", 1)
  private val networkSlots = conf.getInt("spark.pellucid.monotasks.networkSlots", 4)
  private val resources = new Resources(cores, diskSlots, networkSlots)
  private val running = ConcurrentHashMap.newKeySet[Multitask]
  private val begun = new AtomicLong

  /** Tasks at once: enough for each resource to be in use, and one more (thesis section 5.3.4). */
  private val most = cores + diskSlots + networkSlots + 1
  private var tasks = cores
  private var idleLooks = 0

  private val watch = new Thread(() => watching(), "pellucid-monotasks")
  watch.setDaemon(true)
  watch.start()

  /** On a task's thread, which waits for a core. None of tasks that stock Spark runs side by side for a reason: those of barrier
    * stages wait for each other, and those that were given several cores use more than their thread.
    */
  def begin(): Option[Multitask] = {
    val task = TaskContext.get()
    Option.when(task.cpus() == 1 && !task.isInstanceOf[BarrierTaskContext]) {
      val multitask = new Multitask(begun.getAndIncrement(), resources)
      running.add(multitask)
      multitask.begin()
      multitask
    }
  }

  def end(multitask: Multitask): Unit = { running.remove(multitask); multitask.end() }

  def stop(): Unit = watch.interrupt()

  private def watching(): Unit =
    try
      while (true) {
        Thread.sleep(if (resources.cpu.waits > 0) BusyMillis else IdleMillis)
        guard(look())
      }
    catch { case _: InterruptedException => () }

  private def look(): Unit = {
    val blocked = running.stream.filter(m => m.computes && (isBlocked(m.thread) || m.isStuck)).count()
    while (resources.cpu.waits > 0 && resources.cpu.runs < cores + blocked) resources.cpu.overdraw()
    val idle = resources.cpu.waits == 0 && resources.cpu.runs < cores + blocked && running.size >= tasks
    idleLooks = if (idle) idleLooks + 1 else 0
    if (idleLooks >= LooksBeforeMore && tasks < most) {
      idleLooks = 0
      tasks += 1
      moreTasks(1)
    }
  }
}

private object Monotasks {
  private final val BusyMillis = 2L
  private final val IdleMillis = 5L
  private final val LooksBeforeMore = 2
  private val guard = new Guard("watching monotasks")

  /** It waits for another thread: for fetched blocks, a lock, a broadcast variable, and uses no core meanwhile. */
  private def isBlocked(thread: Thread): Boolean = thread.getState match {
    case Thread.State.RUNNABLE | Thread.State.NEW => false
    case _ => true
  }
}
