package org.apache.spark.pellucid

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

/** Memory of a task that Spark's memory manager knows of. */
final class TaskMemory(context: TaskContext) {
  private val consumer = new MemoryConsumer(context.taskMemoryManager(), MemoryMode.ON_HEAP) {
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0
  }
  private var ended = false

  /** As much of `bytes` as the task may have, and as is a small part of what nobody uses: nobody has to spill and no cached block has to
    * go for it.
    */
  def acquire(bytes: Long): Long = synchronized {
    val manager = SparkEnv.get.memoryManager
    val unused = manager.maxOnHeapStorageMemory - manager.onHeapStorageMemoryUsed
    val most = math.min(TaskMemory.MostBytes - consumer.getUsed, unused / TaskMemory.Parts)
    if (ended || most <= 0) 0 else consumer.acquireMemory(math.min(bytes, most))
  }

  def release(bytes: Long): Unit = synchronized(if (!ended) consumer.freeMemory(bytes))

  /** The task ends, and with it what its open streams hold. */
  def end(): Unit = synchronized { ended = true; consumer.freeMemory(consumer.getUsed) }
}

private object TaskMemory {
  private final val Parts = 16
  private final val MostBytes = 32L << 20
}
