package pellucid.monotask

import scala.collection.mutable

import org.apache.spark.scheduler._

import pellucid.plugin.Guard

/** Tells how many tasks of all stages that run no executor has yet, which machines they are assigned to, and which executors are gone.
  *
  * @param remain is also told the machines that these tasks are assigned to, if each is
  * @param gone is also told whether the executor's container killed it for its memory: it cannot have said so itself
  */
private[pellucid] final class TasksLeft(remain: (Long, Option[Set[String]]) => Unit, gone: (String, Boolean) => Unit)
    extends SparkListener {
  private type Stage = (Int, Int)
  private val guard = new Guard("spreading tasks over executors")
  private val left = mutable.HashMap.empty[Stage, Int] // by stage and attempt
  private val machines = mutable.HashMap.empty[Stage, Array[Option[String]]] // None of a task that began
  private val own = mutable.HashMap.empty[String, Int] // tasks of each machine that are left
  private var owners = Set.empty[String] // its keys
  private var all, owned = 0L

  /** Before any task of the stage begins, which machine each one is assigned to. On any thread. */
  def assigned(stage: Int, attempt: Int, machineOf: Array[Option[String]]): Unit = synchronized {
    machines((stage, attempt)) = machineOf
    machineOf.flatten.foreach(owns(_, 1))
  }

  override def onStageSubmitted(event: SparkListenerStageSubmitted): Unit =
    leaves(of(event.stageInfo), event.stageInfo.numTasks)

  /** What is launched again, or beside another, has been counted. */
  override def onTaskStart(event: SparkListenerTaskStart): Unit = synchronized {
    val stage = (event.stageId, event.stageAttemptId)
    if (event.taskInfo.attemptNumber == 0) {
      val task = event.taskInfo.index
      for (machineOf <- machines.get(stage); machine <- machineOf(task)) {
        machineOf(task) = None
        owns(machine, -1)
      }
      leaves(stage, left.getOrElse(stage, 0) - 1)
    }
  }

  override def onStageCompleted(event: SparkListenerStageCompleted): Unit = synchronized {
    machines.remove(of(event.stageInfo)).foreach(_.flatten.foreach(owns(_, -1)))
    leaves(of(event.stageInfo), 0)
  }

  override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = {
    guard(gone(event.executorId, WantOfMemory.lost(event.reason)))
    ()
  }

  private def of(stage: StageInfo): Stage = (stage.stageId, stage.attemptNumber())

  private def owns(machine: String, more: Int): Unit = {
    val tasks = own.getOrElse(machine, 0) + more
    own(machine) = tasks
    owned += more
    if (tasks == 0) { own -= machine; owners -= machine }
    else if (!owners(machine)) owners += machine
  }

  private def leaves(stage: Stage, tasks: Int): Unit = synchronized {
    val before = if (tasks > 0) left.put(stage, tasks) else left.remove(stage)
    all += math.max(0, tasks) - before.getOrElse(0)
    guard(remain(all, Option.when(all > 0 && all == owned)(owners)))
    ()
  }
}
