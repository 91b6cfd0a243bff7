package org.apache.spark.pellucid

import java.util.{Set => JSet}

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.internal.config.MEMORY_STORAGE_FRACTION
import org.apache.spark.memory.{MemoryConsumer, MemoryManager, MemoryMode, TaskMemoryManager, UnspilledMemory}

import pellucid.monotask.Arrays
import pellucid.plugin.Guard

/** Memory of a task that Spark's memory manager knows of.
  *
  * @param tasks that may run at once
  */
final class TaskMemory(context: TaskContext, tasks: Int) {
  import TaskMemory._
  private val manager = context.taskMemoryManager()
  private val own = new UnspilledMemory(SparkEnv.get.memoryManager, context.taskAttemptId())
  private var ended = false

  /** As many bytes, up to `size` (in whole megabytes, of those), as there is room for: a small part of what nobody uses, and less than the task's share, so that nobody
    * has to spill and no cached block has to go for it. Who is done with it calls [[release]].
    */
  def array(size: Int): Array[Byte] = {
    val granted = guard(acquire(Arrays.rounded(size).toLong)).getOrElse(0L)
    try if (granted > 0) Arrays.take(granted.toInt) else Array.emptyByteArray
    catch {
      case _: OutOfMemoryError => release(granted); Array.emptyByteArray
    } // the heap has more in it than Spark knows of
  }

  private def acquire(bytes: Long): Long = synchronized {
    if (ended) 0L else own.acquire(Seq(bytes, spare(manager, tasks, Parts), MostBytes - own.used).min)
  }

  def release(bytes: Long): Unit = synchronized(if (!ended) own.release(bytes))

  /** The task ends, and with it what its open streams hold. */
  def end(): Unit = synchronized { ended = true; own.release(own.used) }
}

object TaskMemory {
  private final val Parts = 16
  private final val MostBytes = 32L << 20
  private val guard = new Guard("taking memory for monotasks")

  /** None where a task outlives its application, nor while the next one starts, whose environment is there before its memory manager. */
  private def manager: Option[MemoryManager] = Option(SparkEnv.get).flatMap(env => Option(env.memoryManager))

  /** Bytes of the heap for tasks' operators that nobody uses, and with those that are used. */
  private def room: (Long, Long) = manager.fold((0L, 0L)) { manager =>
    val unused = manager.maxOnHeapStorageMemory - manager.onHeapStorageMemoryUsed
    (unused, unused + manager.onHeapExecutionMemoryUsed)
  }

  /** And of the memory beside the heap, where operators have theirs there. */
  private def rooms: Seq[(Long, Long)] = room +:
    manager.filter(_.tungstenMemoryMode == MemoryMode.OFF_HEAP).map { manager =>
      val unused = manager.maxOffHeapStorageMemory - manager.offHeapStorageMemoryUsed
      (unused, unused + manager.offHeapExecutionMemoryUsed)
    }.toSeq

  /** Bytes that a task may take at once so that nothing is spilled and no cached block goes for them: one of `parts` of what nobody uses, and
    * with what it has not more than its share.
    *
    * @param tasks that may run at once
    */
  def spare(task: TaskMemoryManager, tasks: Int, parts: Int): Long = {
    val (unused, all) = room
    math.min(unused / parts, all / tasks - UnspilledMemory.ofHeap(task))
  }

  /** Bytes of the heap that Spark's memory manager has given out: to tasks, and for cached blocks. */
  def managed: Long = manager.fold(0L)(m => m.onHeapStorageMemoryUsed + m.onHeapExecutionMemoryUsed)

  private lazy val consumers = Fields.of(classOf[TaskMemoryManager], "consumers")

  /** Has the task ask `givers` for what it has not, before it spills, though these have taken nothing. */
  def ask(task: TaskContext, givers: Iterable[MemoryConsumer]): Unit = {
    val manager = task.taskMemoryManager()
    manager.synchronized {
      val all = consumers.get(manager).asInstanceOf[JSet[MemoryConsumer]]
      givers.foreach(all.add)
    }
  }

  /** Whether a quarter of it stays unused when so many bytes are stored. */
  def isLeft(more: Long): Boolean = { val (unused, all) = room; unused - more > (all - more) / 4 }

  /** Whether tasks could have more without these bytes that are stored. Not where as much else is stored as no task may take (`spark.memory.storageFraction`): of
    * what is beyond that they have their share as it is.
    */
  def growsWithout(stored: Long): Boolean = manager.exists { manager =>
    val (_, all) = room
    manager.onHeapStorageMemoryUsed - stored < all * SparkEnv.get.conf.get(MEMORY_STORAGE_FRACTION)
  }

  /** Whether more tasks could run without taking memory from those that do. */
  def isPlenty: Boolean = rooms.forall { case (unused, all) => unused > all / 2 }

  /** Whether those that run may soon have to wait for it, or spill. */
  def isShort: Boolean = rooms.exists { case (unused, all) => unused < all / 8 }
}
