package org.apache.spark.broadcast

/** A broadcast variable, or a task's code, that takes its time. */
object SlowCode {
  def comes(millis: Long): Unit = Thread.sleep(millis)
}
