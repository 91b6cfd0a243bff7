package pellucid.fs

import java.nio.file.Path

import org.apache.hadoop.hdfs.HdfsConfiguration

import pellucid.{Jobs, SparkSuite}

class CompletionSuite extends SparkSuite {
  private val delay = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms"
  private val retries = "dfs.client.block.write.locateFollowingBlock.retries"

  /** What the client of a job's file systems goes by. */
  private def client(folder: Path, conf: (String, String)*): (Int, Int) =
    Jobs.run(folder, conf = conf.toMap) { spark =>
      val hadoop = spark.sessionState.newHadoopConf()
      (hadoop.getInt(delay, 400), hadoop.getInt(retries, 5))
    }.answer

  folder.test("as monotasks HDFS' client asks soon whether a file is complete, and for as long as it did") { folder =>
    val (first, times) = client(folder, "spark.pellucid.monotasks" -> "true")
    assert(first < 400, first)
    assert(first * ((1 << times) - 1) >= 400 * ((1 << 5) - 1), (first, times)) // the sum of sleeps that double
    assertEquals(client(folder), (400, 5))
  }

  folder.test("what the user has chosen stays") { folder =>
    val on = "spark.pellucid.monotasks" -> "true"
    assertEquals(client(folder, on, s"spark.hadoop.$delay" -> "300"), (300, 5))
    assertEquals(client(folder, on, s"spark.hadoop.$retries" -> "2"), (400, 2))
  }

  test("what Hadoop's own defaults say nobody has chosen") {
    val conf = new HdfsConfiguration(true)
    Completion.askSooner(conf)
    assertEquals((conf.get(delay), conf.get(retries)), ("25", "9"))
  }
}
