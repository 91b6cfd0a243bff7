package org.apache.spark.pellucid

import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend
import org.apache.spark.{SparkConf, SparkContext, SparkException}

import pellucid.SparkSuite

class SlotsSuite extends SparkSuite {
  test("where the application ends, its scheduler is gone before the plugin, and that is no error") {
    val sc =
      new SparkContext(new SparkConf().setMaster("local[1]").setAppName("slots").set("spark.ui.enabled", "false"))
    try {
      val cluster = new CoarseGrainedSchedulerBackend(sc.taskScheduler.asInstanceOf[TaskSchedulerImpl], sc.env.rpcEnv)
      Fields.replace(classOf[SparkContext], sc, cluster, "_schedulerBackend")
      val slots = new Slots(sc)
      slots.begins("0", 1)
      sc.env.rpcEnv.stop(cluster.driverEndpoint)
      intercept[SparkException](slots.wants("0", 2))
      sc.stopped.set(true) // as the first step of stop()
      slots.wants("0", 3)
    } finally {
      sc.stopped.set(false)
      sc.stop()
    }
  }
}
