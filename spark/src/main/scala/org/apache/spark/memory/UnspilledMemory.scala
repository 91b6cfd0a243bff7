package org.apache.spark.memory

import org.apache.spark.pellucid.Fields

/** Execution memory that a task has beside its operators'. None of these spills for it, as for what is asked of [[TaskMemoryManager]]: a spill that
  * fails, on a full disk, is theirs to tell.
  */
final class UnspilledMemory(manager: MemoryManager, taskAttempt: Long) {
  private var held = 0L

  /** Bytes. */
  def used: Long = held

  /** Returns how many there were, up to so many. Nobody is given memory between the question how many may be taken and this: it would wait for it. */
  def acquire(most: => Long): Long = manager.synchronized {
    val bytes = most
    val got = if (bytes > 0) manager.acquireExecutionMemory(bytes, taskAttempt, MemoryMode.ON_HEAP) else 0L
    held += got
    got
  }

  /** Spark's memory manager wakes whoever waits for memory, whatever it is given back: nothing needs no call. */
  def release(bytes: Long): Unit = if (bytes > 0) {
    held -= bytes
    manager.releaseExecutionMemory(bytes, taskAttempt, MemoryMode.ON_HEAP)
  }
}

object UnspilledMemory {
  private lazy val pool = Fields.of(classOf[MemoryManager], "onHeapExecutionMemoryPool")
  private lazy val (manager, attempt) =
    (Fields.of(classOf[TaskMemoryManager], "memoryManager"), Fields.of(classOf[TaskMemoryManager], "taskAttemptId"))

  /** Bytes of the heap that the task has, of its operators and beside them. */
  def ofHeap(task: TaskMemoryManager): Long =
    pool.get(manager.get(task)).asInstanceOf[ExecutionMemoryPool].getMemoryUsageForTask(attempt.getLong(task))
}
