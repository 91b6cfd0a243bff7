package org.apache.spark.memory

import java.io.IOException

import org.apache.spark.{SparkEnv, TaskContext}

import pellucid.{Jobs, SparkSuite}

class UnspilledMemorySuite extends SparkSuite {

  /** 100 MB for tasks. */
  private val memory = Map("spark.testing.memory" -> "167666667", "spark.testing.reservedMemory" -> "1000000")

  folder.test("what a task's operators have is not spilled for it, and what it gives back is there again") { folder =>
    def task(): Seq[Long] = {
      val task = TaskContext.get()
      val manager = SparkEnv.get.memoryManager
      val operator = new MemoryConsumer(task.taskMemoryManager(), MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = throw new IOException("on purpose")
      }
      val had = operator.acquireMemory(manager.maxOnHeapStorageMemory - 1000000)
      val left = manager.maxOnHeapStorageMemory - manager.onHeapStorageMemoryUsed // 1 MB without broadcast variables
      val own = new UnspilledMemory(manager, task.taskAttemptId())
      val got = own.acquire(5000000)
      val none = own.acquire(5000000)
      own.release(got)
      operator.freeMemory(had)
      Seq(left, got, none, own.used, manager.executionMemoryUsed)
    }
    val ran = Jobs.run(folder, plugin = false, conf = memory)(
      _.sparkContext.parallelize(Seq(0), 1).map(_ => task()).collect().head
    )
    val left = ran.answer.head
    assert(left > 900000 && left <= 1000000, left)
    assertEquals(ran.answer, Seq(left, left, 0L, 0L, 0L))
  }
}
