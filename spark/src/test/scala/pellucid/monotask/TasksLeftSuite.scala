package pellucid.monotask

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.scheduler._

class TasksLeftSuite extends munit.FunSuite {
  private def stage(id: Int, tasks: Int) =
    new StageInfo(id, 0, s"stage $id", tasks, Nil, Nil, "", resourceProfileId = 0)
  private def started(stage: Int, attempt: Int = 0) = SparkListenerTaskStart(
    stage,
    0,
    new TaskInfo(1, 0, attempt, 0, 0, "1", "h", TaskLocality.ANY, attempt > 0)
  )

  test("tasks that no executor has yet, of all stages that run") {
    val left = ArrayBuffer.empty[Long]
    val listener = new TasksLeft(left += _, (_, _) => ())
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(0, 3)))
    listener.onTaskStart(started(0))
    listener.onTaskStart(started(0, attempt = 1)) // it failed, or another is begun beside it
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(1, 4)))
    listener.onStageCompleted(SparkListenerStageCompleted(stage(0, 3)))
    listener.onTaskStart(started(0)) // too late
    listener.onTaskStart(started(1))
    assertEquals(left.toSeq, Seq[Long](3, 2, 6, 4, 4, 3))
  }

  test("an executor that is gone, and whether its container killed it for its memory") {
    val gone = ArrayBuffer.empty[(String, Boolean)]
    val listener = new TasksLeft(_ => (), (executor, forMemory) => gone += executor -> forMemory)
    for (reason <- Seq("termination reason: OOMKilled", "Executor killed by driver."))
      listener.onExecutorRemoved(SparkListenerExecutorRemoved(0, "1", reason))
    assertEquals(gone.toSeq, Seq("1" -> true, "1" -> false))
  }
}
