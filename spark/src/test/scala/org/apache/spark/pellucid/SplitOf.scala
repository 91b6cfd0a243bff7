package org.apache.spark.pellucid

import org.apache.spark.rdd.InputFileBlockHolder

/** Says, as Spark's own readers do, which part of a file the current task reads. */
object SplitOf {
  def set(file: String, start: Long, length: Long): Unit = InputFileBlockHolder.set(file, start, length)
}
