package pellucid.monotask

import scala.collection.mutable

import org.apache.spark.scheduler._

import pellucid.plugin.Guard

/** Tells how many tasks of all stages that run no executor has yet, and which executors are gone.
  *
  * @param gone is also told whether the executor's container killed it for its memory: it cannot have said so itself
  */
private[pellucid] final class TasksLeft(remain: Long => Unit, gone: (String, Boolean) => Unit) extends SparkListener {
  private type Stage = (Int, Int)
  private val guard = new Guard("spreading tasks over executors")
  private val left = mutable.HashMap.empty[Stage, Int] // by stage and attempt
  private var all = 0L

  override def onStageSubmitted(event: SparkListenerStageSubmitted): Unit =
    leaves(of(event.stageInfo), event.stageInfo.numTasks)

  /** What is launched again, or beside another, has been counted. */
  override def onTaskStart(event: SparkListenerTaskStart): Unit = {
    val stage = (event.stageId, event.stageAttemptId)
    if (event.taskInfo.attemptNumber == 0) leaves(stage, left.getOrElse(stage, 0) - 1)
  }

  override def onStageCompleted(event: SparkListenerStageCompleted): Unit = leaves(of(event.stageInfo), 0)

  override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = {
    guard(gone(event.executorId, WantOfMemory.lost(event.reason)))
    ()
  }

  private def of(stage: StageInfo): Stage = (stage.stageId, stage.attemptNumber())

  private def leaves(stage: Stage, tasks: Int): Unit = {
    val before = if (tasks > 0) left.put(stage, tasks) else left.remove(stage)
    all += math.max(0, tasks) - before.getOrElse(0)
    guard(remain(all))
    ()
  }
}
