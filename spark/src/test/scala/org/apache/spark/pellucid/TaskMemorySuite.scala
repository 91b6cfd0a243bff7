package org.apache.spark.pellucid

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

import pellucid.{Jobs, SparkSuite}

class TaskMemorySuite extends SparkSuite {
  private val beside = Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> "64m")

  folder.test(
    "where operators have their memory beside the heap, that is what is plenty or short, and chunks of the heap are not"
  ) {
    folder =>
      val ran = Jobs.run(folder, conf = beside) { spark =>
        spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
          val context = TaskContext.get()
          def state() = {
            val own = new TaskMemory(context, 2)
            val chunk = own.array(1 << 20).length
            own.end()
            (TaskMemory.isPlenty, TaskMemory.isShort, chunk)
          }
          val operator = new MemoryConsumer(context.taskMemoryManager(), MemoryMode.OFF_HEAP) {
            override def spill(size: Long, trigger: MemoryConsumer): Long = 0
          }
          def has(megabytes: Long) = { operator.acquireMemory((megabytes << 20) - operator.getUsed); state() }
          val states = Seq(state(), has(40), has(60))
          operator.freeMemory(operator.getUsed)
          states
        }.collect().head
      }
      // 64 MB: 24 and 4 left; a chunk of 1 MB is of the heap
      assertEquals(ran.answer, Seq((true, false, 1 << 20), (false, false, 1 << 20), (false, true, 1 << 20)))
  }

  folder.test(
    "while an application starts, whose memory manager comes after its environment, nothing is given out or short"
  ) {
    folder =>
      val ran = Jobs.run(folder, plugin = false) { _ =>
        val env = SparkEnv.get
        val manager = env.memoryManager
        def set(value: AnyRef) = Fields.replace(classOf[SparkEnv], env, value, "_memoryManager")
        set(null)
        try (TaskMemory.managed, TaskMemory.isShort)
        finally set(manager)
      }
      assertEquals(ran.answer, (0L, false))
  }
}
