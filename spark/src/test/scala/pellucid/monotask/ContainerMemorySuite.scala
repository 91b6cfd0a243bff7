package pellucid.monotask

import org.apache.spark.SparkConf

class ContainerMemorySuite extends munit.FunSuite {
  test(
    "one more task has room where twice as much is left as each has in its processes, and none where the JVM has it all"
  ) {
    // 400 of 1000 in the processes of four tasks: 100 each
    assert(ContainerMemory.leaves(beside = 1000, processes = 400, tasks = 4))
    assert(ContainerMemory.leaves(beside = 600, processes = 400, tasks = 4))
    assert(!ContainerMemory.leaves(beside = 599, processes = 400, tasks = 4))
    assert(ContainerMemory.leaves(beside = 0, processes = 0, tasks = 4))
    assert(!ContainerMemory.leaves(beside = -1, processes = 0, tasks = 4))
  }

  test("processes are those that this JVM started, and theirs") {
    val before = ContainerMemory.processes
    val shell = new ProcessBuilder("sh", "-c", "cat; true").start()
    try {
      val deadline = System.nanoTime() + 10000000000L
      while (shell.descendants().count() == 0 && System.nanoTime() < deadline) Thread.sleep(10)
      assert(ContainerMemory.processes >= before + (200 << 10), (before, ContainerMemory.processes))
    } finally { shell.getOutputStream.close(); shell.waitFor(); () }
  }

  test("YARN's limit is what Spark asks it for") {
    def megabytes(settings: (String, String)*) =
      ContainerMemory.ofYarn(new SparkConf(false).setAll(settings)).map(_ >> 20)
    val yarn = "spark.master" -> "yarn"
    assertEquals(megabytes("spark.master" -> "spark://m1:7077"), None)
    assertEquals(megabytes(yarn), Some(1024L + 384))
    assertEquals(megabytes(yarn, "spark.executor.memory" -> "8g"), Some(8192L + 819))
    assertEquals(
      megabytes(
        yarn,
        "spark.executor.memory" -> "8g",
        "spark.executor.memoryOverhead" -> "2g",
        "spark.executor.pyspark.memory" -> "1g",
        "spark.memory.offHeap.enabled" -> "true",
        "spark.memory.offHeap.size" -> "512m"
      ),
      Some(8192L + 2048 + 1024 + 512)
    )
  }
}
