package org.apache.spark.pellucid

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

object ExecutionMemory {

  /** Bytes that this JVM's tasks have now. */
  def used: Long = SparkEnv.get.memoryManager.executionMemoryUsed

  /** Of so many bytes, how many this task gets. */
  def granted(bytes: Long): Long = {
    val consumer = new MemoryConsumer(TaskContext.get().taskMemoryManager(), MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0
    }
    val granted = consumer.acquireMemory(bytes)
    consumer.freeMemory(granted)
    granted
  }
}
