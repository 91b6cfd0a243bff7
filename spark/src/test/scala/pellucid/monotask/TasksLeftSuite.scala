package pellucid.monotask

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.scheduler._

class TasksLeftSuite extends munit.FunSuite {
  private def stage(id: Int, tasks: Int) =
    new StageInfo(id, 0, s"stage $id", tasks, Nil, Nil, "", resourceProfileId = 0)
  private def started(stage: Int, index: Int = 0, attempt: Int = 0) = SparkListenerTaskStart(
    stage,
    0,
    new TaskInfo(1, index, attempt, 0, 0, "1", "h", TaskLocality.ANY, attempt > 0)
  )

  test("tasks that no executor has yet, of all stages that run") {
    val left = ArrayBuffer.empty[Long]
    val listener = new TasksLeft((tasks, _) => left += tasks, (_, _) => ())
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(0, 3)))
    listener.onTaskStart(started(0))
    listener.onTaskStart(started(0, attempt = 1)) // it failed, or another is begun beside it
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(1, 4)))
    listener.onStageCompleted(SparkListenerStageCompleted(stage(0, 3)))
    listener.onTaskStart(started(0)) // too late
    listener.onTaskStart(started(1))
    assertEquals(left.toSeq, Seq[Long](3, 2, 6, 4, 4, 3))
  }

  test("the machines that what is left is assigned to, where each task is to one") {
    val owners = ArrayBuffer.empty[Option[Set[String]]]
    val listener = new TasksLeft((_, machines) => owners += machines, (_, _) => ())
    listener.assigned(0, 0, Array(Some("a"), Some("b"), Some("a")))
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(0, 3)))
    listener.onTaskStart(started(0, index = 1))
    listener.onTaskStart(started(0, index = 0, attempt = 1)) // it is left no less than before
    listener.onTaskStart(started(0, index = 2))
    assertEquals(owners.toSeq, Seq(Some(Set("a", "b")), Some(Set("a")), Some(Set("a"))))
    owners.clear()
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(1, 1))) // whose task no machine has the input of
    listener.onTaskStart(started(1))
    listener.onStageSubmitted(SparkListenerStageSubmitted(stage(2, 2)))
    listener.assigned(2, 0, Array(Some("c"), None))
    listener.onTaskStart(started(2, index = 1))
    listener.onStageCompleted(SparkListenerStageCompleted(stage(0, 3))) // with one that never began
    listener.onStageCompleted(SparkListenerStageCompleted(stage(2, 2)))
    assertEquals(owners.toSeq, Seq(None, Some(Set("a")), None, Some(Set("a", "c")), Some(Set("c")), None))
  }

  test("an executor that is gone, and whether its container killed it for its memory") {
    val gone = ArrayBuffer.empty[(String, Boolean)]
    val listener = new TasksLeft((_, _) => (), (executor, forMemory) => gone += executor -> forMemory)
    for (reason <- Seq("termination reason: OOMKilled", "Executor killed by driver."))
      listener.onExecutorRemoved(SparkListenerExecutorRemoved(0, "1", reason))
    assertEquals(gone.toSeq, Seq("1" -> true, "1" -> false))
  }
}
