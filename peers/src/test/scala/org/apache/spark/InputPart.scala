package org.apache.spark

import org.apache.spark.deploy.SparkHadoopUtil
import org.apache.spark.rdd.InputFileBlockHolder

/** Which part of a file the current thread's task reads, as Spark's readers say it. */
object InputPart {
  def during[A](file: String, start: Long, length: Long)(read: => A): A = {
    InputFileBlockHolder.set(file, start, length)
    try read
    finally InputFileBlockHolder.unset()
  }

  /** Bytes of memory that tasks of this JVM have. */
  def executionMemory: Long = SparkEnv.get.memoryManager.executionMemoryUsed

  /** Bytes that the current thread has read since now, as Spark counts them. */
  def counter(): () => Long = SparkHadoopUtil.get.getFSBytesReadOnThreadCallback()
}
