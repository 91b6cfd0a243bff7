package org.apache.spark.pellucid

import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.scheduler.cluster.{CoarseGrainedSchedulerBackend, OneCore}
import org.apache.spark.{SparkConf, SparkContext, SparkException}

import pellucid.SparkSuite

class SlotsSuite extends SparkSuite {
  private def cluster(use: (SparkContext, CoarseGrainedSchedulerBackend, OneCore) => Unit): Unit = {
    val sc =
      new SparkContext(new SparkConf().setMaster("local[1]").setAppName("slots").set("spark.ui.enabled", "false"))
    try {
      val backend = new CoarseGrainedSchedulerBackend(sc.taskScheduler.asInstanceOf[TaskSchedulerImpl], sc.env.rpcEnv)
      Fields.replace(classOf[SparkContext], sc, backend, "_schedulerBackend")
      use(sc, backend, new OneCore(backend))
    } finally {
      sc.stopped.set(false)
      sc.stop()
    }
  }

  test("an executor gets what it wants, one with a resource profile of its own and one that is gone do not") {
    cluster { (sc, _, executors) =>
      for ((executor, profile) <- Seq("profile" -> 1, "default" -> 0)) executors.add(executor, profile)
      val slots = new Slots(sc)
      val cores = for (executor <- Seq("gone", "profile", "default")) yield {
        val cores = slots.begins(executor)
        slots.wants(executor, 3)
        cores
      }
      val deadline = System.nanoTime() + 10000000000L
      while (executors.free("default") < 3 && System.nanoTime() < deadline) Thread.sleep(1)
      assertEquals(Seq("default", "profile").map(executors.free), Seq(3, 1)) // messages come in their order
      assertEquals(cores, Seq(0, 1, 1))
    }
  }

  test("where the application ends, its scheduler is gone before the plugin, and that is no error") {
    cluster { (sc, backend, executors) =>
      executors.add("0", 0)
      val slots = new Slots(sc)
      slots.begins("0")
      sc.env.rpcEnv.stop(backend.driverEndpoint)
      intercept[SparkException](slots.wants("0", 2))
      sc.stopped.set(true) // as the first step of stop()
      slots.wants("0", 3)
    }
  }
}
