package org.apache.spark.pellucid

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

object ExecutionMemory {

  /** Bytes that this JVM's tasks have now. */
  def used: Long = SparkEnv.get.memoryManager.executionMemoryUsed

  /** Of so many bytes, how many this task gets; it has them while `what` is done. */
  def granted(bytes: Long)(what: => Unit = ()): Long = {
    val operator = new Operator
    val granted = operator.acquireMemory(bytes)
    try what
    finally operator.freeMemory(granted)
    granted
  }

  /** Of so many bytes for each of this task's operators, one after the other, how many these get, and how often one of them is asked to spill. */
  def granted(bytes: Seq[Long]): (Seq[Long], Int) = {
    val operators = bytes.map(_ => new Operator)
    val granted = operators.zip(bytes).map { case (operator, wanted) => operator.acquireMemory(wanted) }
    operators.foreach(operator => operator.freeMemory(operator.getUsed))
    (granted, operators.map(_.asked).sum)
  }

  private final class Operator extends MemoryConsumer(TaskContext.get().taskMemoryManager(), MemoryMode.ON_HEAP) {
    var asked = 0
    override def spill(size: Long, trigger: MemoryConsumer): Long = { asked += 1; 0 }
  }
}
