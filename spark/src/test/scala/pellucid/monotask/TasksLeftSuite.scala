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
    val reasons = Seq(
      "Container killed by YARN for exceeding physical memory limits. 1.1 GB of 1 GB physical memory used.",
      "The executor with id 2 exited with exit code 137(SIGKILL, possible container OOM).",
      "termination reason: OOMKilled",
      "worker lost: mushroom-7.example.org",
      "Command exited with code 137",
      "Executor killed by driver."
    )
    for ((reason, i) <- reasons.zipWithIndex) listener.onExecutorRemoved(SparkListenerExecutorRemoved(0, s"$i", reason))
    assertEquals(gone.toSeq, Seq("0" -> true, "1" -> true, "2" -> true, "3" -> false, "4" -> false, "5" -> false))
  }
}
