package org.apache.spark.scheduler

import java.util.Properties

import org.apache.spark.SparkContext
import org.apache.spark.pellucid.Fields

import pellucid.plugin.Guard
import pellucid.sched.LocalTasks

/** In which order a machine gets the tasks whose input it has: first those that [[LocalTasks]] assigns to it, then the others, each in Spark's order. Which
  * slots get tasks, and how long they wait for local ones, is Spark's affair.
  */
object InputLocality {

  /** Is told a stage, its attempt, and the host of each of its tasks, if that is assigned to one. */
  type Assigned = (Int, Int, Array[Option[String]]) => Unit

  /** For all stages to come.
    *
    * @param slots of each host, of executors with this resource profile
    */
  def choose(sc: SparkContext, slots: Int => Map[String, Int], assigned: Assigned, guard: Guard): Unit =
    sc.taskScheduler match {
      case scheduler: TaskSchedulerImpl =>
        val stock =
          Fields.get(classOf[TaskSchedulerImpl], scheduler, "schedulableBuilder").asInstanceOf[SchedulableBuilder]
        Fields.replace(
          classOf[TaskSchedulerImpl],
          scheduler,
          new Ordering(stock, slots, assigned, guard),
          "schedulableBuilder"
        )
      case _ =>
    }

  private final class Ordering(
      stock: SchedulableBuilder,
      slots: Int => Map[String, Int],
      assigned: Assigned,
      guard: Guard
  ) extends SchedulableBuilder {
    def rootPool: Pool = stock.rootPool
    def buildPools(): Unit = stock.buildPools()

    def addTaskSetManager(manager: Schedulable, properties: Properties): Unit = {
      manager match {
        case tasks: TaskSetManager => guard(order(tasks, slots, assigned))
        case _ =>
      }
      stock.addTaskSetManager(manager, properties)
    }
  }

  /** Tasks that prefer an executor, as for a cached partition, stay in Spark's order. The next one of a list is its last. */
  private def order(tasks: TaskSetManager, slots: Int => Map[String, Int], assigned: Assigned): Unit = {
    val lists = tasks.pendingTasks.forHost
    if (tasks.pendingTasks.forExecutor.isEmpty && lists.size > 1) {
      val hosts = lists.keys.toArray
      val known = slots(tasks.taskSet.resourceProfileId)
      if (hosts.count(known.contains) > 1) {
        val machines = Array.fill(tasks.numTasks)(List.empty[Int])
        for ((host, machine) <- hosts.zipWithIndex; task <- lists(host)) machines(task) ::= machine
        val machineOf = LocalTasks.machineOf(hosts.map(known.getOrElse(_, 0)), machines)
        lists ++= hosts.zipWithIndex.map { case (host, machine) =>
          val (own, others) = lists(host).partition(machineOf(_).contains(machine))
          host -> (others ++= own)
        }
        assigned(tasks.taskSet.stageId, tasks.taskSet.stageAttemptId, machineOf.map(_.map(hosts)))
      }
    }
  }
}
