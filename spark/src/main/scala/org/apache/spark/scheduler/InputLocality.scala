package org.apache.spark.scheduler

import java.util.Properties

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkContext
import org.apache.spark.pellucid.Fields

import pellucid.plugin.Guard
import pellucid.sched.LocalTasks

/** In which order a stage's tasks go to the machines that have their input ([[LocalTasks]]), where several machines have it. Which cores get tasks and how long
  * they wait for local ones is Spark's affair.
  */
object InputLocality {
  private val guard = new Guard("choosing machines for input")

  /** For all stages to come.
    *
    * @param cores of all executors' hosts
    */
  def choose(sc: SparkContext, cores: () => Map[String, Int]): Unit = {
    guard {
      sc.taskScheduler match {
        case scheduler: TaskSchedulerImpl =>
          val stock =
            Fields.get(classOf[TaskSchedulerImpl], scheduler, "schedulableBuilder").asInstanceOf[SchedulableBuilder]
          Fields.replace(classOf[TaskSchedulerImpl], scheduler, new Ordering(stock, cores), "schedulableBuilder")
        case _ =>
      }
    }
    ()
  }

  private final class Ordering(stock: SchedulableBuilder, cores: () => Map[String, Int]) extends SchedulableBuilder {
    def rootPool: Pool = stock.rootPool
    def buildPools(): Unit = stock.buildPools()

    def addTaskSetManager(manager: Schedulable, properties: Properties): Unit = {
      manager match {
        case tasks: TaskSetManager => guard(order(tasks.pendingTasks, tasks.tasks.length, cores()))
        case _ =>
      }
      stock.addTaskSetManager(manager, properties)
    }
  }

  /** Tasks that prefer an executor, as for a cached partition, stay in Spark's order. A machine's next one is the last in its list. */
  private[scheduler] def order(pending: PendingTasksByLocality, tasks: Int, cores: Map[String, Int]): Unit =
    if (pending.forExecutor.isEmpty && pending.forHost.keys.count(cores.contains) > 1) {
      val hosts = pending.forHost.keys.toArray
      val machines = Array.fill(tasks)(ArrayBuffer.empty[Int])
      for ((host, machine) <- hosts.zipWithIndex; task <- pending.forHost(host)) machines(task) += machine
      val orders = LocalTasks.orders(hosts.map(cores.getOrElse(_, 0)), machines.map(_.toArray))
      for ((host, order) <- hosts.zip(orders)) {
        val list = pending.forHost(host)
        list.clear()
        list ++= order.reverseIterator
      }
    }
}
