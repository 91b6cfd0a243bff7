package pellucid.fs

import java.nio.file.Path

import org.apache.hadoop.hdfs.HdfsConfiguration

import pellucid.{Jobs, SparkSuite}

class CompletionSuite extends SparkSuite {
  private val delay = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms"
  private val cap = "dfs.client.block.write.locateFollowingBlock.max.delay.ms"
  private val retries = "dfs.client.block.write.locateFollowingBlock.retries"
  private val stock = (400, 60000, 5)

  /** What the client of a job's file systems goes by. */
  private def client(folder: Path, conf: (String, String)*): (Int, Int, Int) =
    Jobs.run(folder, conf = conf.toMap) { spark =>
      val hadoop = spark.sessionState.newHadoopConf()
      (hadoop.getInt(delay, stock._1), hadoop.getInt(cap, stock._2), hadoop.getInt(retries, stock._3))
    }.answer

  /** The sum of sleeps, each twice the one before. */
  private def sleeps(client: (Int, Int, Int)): Int = client match {
    case (first, most, times) => Iterator.iterate(first)(d => math.min(most, 2 * d)).take(times).sum
  }

  folder.test("as monotasks HDFS' client asks soon whether a file is complete, and for as long as it did") { folder =>
    val sooner = client(folder, "spark.pellucid.monotasks" -> "true")
    assert(sooner._1 < 400 && sooner._2 <= 400, sooner)
    assert(sleeps(sooner) >= sleeps(stock) && sleeps(sooner) < sleeps(stock) + 1000, sooner)
    assertEquals(client(folder), stock)
  }

  folder.test("what the user has chosen stays") { folder =>
    val on = "spark.pellucid.monotasks" -> "true"
    assertEquals(client(folder, on, s"spark.hadoop.$delay" -> "300"), stock.copy(_1 = 300))
    assertEquals(client(folder, on, s"spark.hadoop.$cap" -> "300"), stock.copy(_2 = 300))
    assertEquals(client(folder, on, s"spark.hadoop.$retries" -> "2"), stock.copy(_3 = 2))
  }

  test("what Hadoop's own defaults say nobody has chosen") {
    val conf = new HdfsConfiguration(true)
    Completion.askSooner(conf)
    assertEquals((conf.get(delay), conf.get(cap), conf.get(retries)), ("25", "400", "35"))
  }
}
