package org.apache.spark.pellucid

import org.apache.spark.SparkEnv

object ExecutionMemory {

  /** Bytes that this JVM's tasks have now. */
  def used: Long = SparkEnv.get.memoryManager.executionMemoryUsed
}
