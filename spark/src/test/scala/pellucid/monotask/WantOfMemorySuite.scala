package pellucid.monotask

import org.apache.spark.{ExceptionFailure, FetchFailed, TaskFailedReason}

class WantOfMemorySuite extends munit.FunSuite {
  private def thrown(name: String, text: String): TaskFailedReason =
    ExceptionFailure(name, text, Array.empty, s"$name: $text\n\tat here", None)

  test("tasks that failed for want of memory, and others") {
    val spark = "org.apache.spark.memory.SparkOutOfMemoryError"
    assert(WantOfMemory.of(thrown("java.lang.OutOfMemoryError", "Java heap space")))
    assert(WantOfMemory.of(thrown(spark, "[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 65536 bytes")))
    assert(WantOfMemory.of(thrown("org.apache.spark.SparkException", "Python worker exited unexpectedly (crashed)")))
    assert(!WantOfMemory.of(thrown(
      spark,
      "[SPILL_OUT_OF_MEMORY] Error while calling spill(): No space left on device"
    )))
    assert(!WantOfMemory.of(thrown("java.lang.IllegalStateException", "of the job's own")))
    assert(!WantOfMemory.of(new FetchFailed(null, 0, 0L, 0, 0, "java.lang.OutOfMemoryError: Direct buffer memory")))
  }

  test("executors that their container killed for their memory") {
    for (
      reason <- Seq(
        "Container killed by YARN for exceeding physical memory limits. 1.1 GB of 1 GB physical memory used.",
        "The executor with id 2 exited with exit code 137(SIGKILL, possible container OOM).",
        "termination reason: OOMKilled"
      )
    ) assert(WantOfMemory.lost(reason), reason)
    for (
      reason <- Seq(
        "worker lost: mushroom-7.example.org",
        "Command exited with code 137",
        "Executor killed by driver."
      )
    ) assert(!WantOfMemory.lost(reason), reason)
  }
}
