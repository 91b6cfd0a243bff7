package pellucid.monotask

import java.io.IOException
import java.lang.ref.Reference
import java.nio.ByteBuffer
import java.util.Arrays
import java.util.concurrent.CountDownLatch

import org.apache.spark.SparkEnv
import org.apache.spark.pellucid.{ExecutionMemory, KeptOutput}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.storage.StorageLevel

import pellucid.{Jobs, SparkSuite}
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** Map output that stays in memory. */
class KeptMapOutputSuite extends SparkSuite {
  private val on = Map("spark.pellucid.monotasks" -> "true")

  private def files(kind: String): Seq[String] = Pairs.files.map(_.getFileName.toString).filter(_.endsWith(kind))

  private def sum(pairs: RDD[(Int, Array[Byte])]): Double = pairs.map { case (k, v) =>
    k * 31.0 + Arrays.hashCode(v)
  }.sum()

  /** In ten seconds or more of an executor without tasks. */
  private def eventually(what: => Boolean): Boolean =
    Iterator.continually { Thread.sleep(50); what }.take(1000).contains(true)

  private def written = files(".data").size == 3

  for (
    (name, conf, reducers) <- Seq(
      ("lz4", Map.empty[String, String], Pairs.Few),
      ("no compression", Map("spark.shuffle.compress" -> "false"), Pairs.Few),
      ("no checksums", Map("spark.shuffle.checksum.enabled" -> "false"), Pairs.Few),
      ("sorted", Map.empty[String, String], Pairs.Many)
    )
  ) folder.test(
    s"nothing is written while there are tasks, then stock Spark's files, and answers are the same: $name"
  ) { folder =>
    def use(plugin: Boolean)(spark: SparkSession) = {
      val shuffled = Pairs.shuffled(spark, reducers)
      val first = sum(shuffled)
      if (plugin) {
        for (_ <- 1 to 200) assertEquals(spark.sparkContext.parallelize(Seq(0), 1).count(), 1L) // no rest between them
        assertEquals(files(".data"), Seq.empty[String])
        assertEquals(files(".index").size, 3)
        assert(SparkEnv.get.memoryManager.storageMemoryUsed > 35000000)
        assert(eventually(written))
      }
      (first, sum(shuffled), Pairs.contents)
    }
    val ran = Jobs.run(folder, conf = on ++ conf)(use(plugin = true))
    assertEquals(ran.answer, Jobs.run(folder, plugin = false, conf = conf)(use(plugin = false)).answer)
    val table = ran.trace.monotasks
    assert(!(0 until table.size).exists(row => MonotaskPhase.all(table.phase(row)) == MonotaskPhase.ShuffleWrite))
  }

  folder.test("SQL: joins and aggregates, of few rows and many") { folder =>
    def use(spark: SparkSession): Seq[String] = {
      val rows =
        spark.range(0, 200000, 1, 4).selectExpr("id % 1000 AS k", "id", "repeat('x', CAST(id % 90 AS INT)) AS s")
      val names = rows.groupBy("k").agg(Map("s" -> "max")).withColumnRenamed("max(s)", "name")
      rows.join(names.hint("merge"), "k").groupBy("name").count().orderBy("name").collect().map(_.toString).toSeq
    }
    assertEquals(Jobs.run(folder, conf = on)(use).answer, Jobs.run(folder, plugin = false)(use).answer)
  }

  folder.test("it goes with its shuffle, from memory and from disk") { folder =>
    Jobs.run(folder, conf = on) { spark =>
      def left = (files("").size, SparkEnv.get.memoryManager.storageMemoryUsed < 1000000)
      val first = Pairs.shuffled(spark)
      sum(first)
      assertNotEquals(left, (0, true))
      SparkEnv.get.shuffleManager.unregisterShuffle(0)
      assertEquals(left, (0, true))
      val second = Pairs.shuffled(spark)
      sum(second)
      assert(eventually(written))
      SparkEnv.get.shuffleManager.unregisterShuffle(1)
      assertEquals(left, (0, true))
      Seq(first, second).foreach(Reference.reachabilityFence(_)) // Spark's cleaner has not had them until now
    }
  }

  /** 200 MB, of which 80 MB may be kept: all 39 MB of pairs. */
  private val memory = Map("spark.testing.memory" -> "334000000", "spark.testing.reservedMemory" -> "1000000")
  private val much = on ++ memory + ("spark.pellucid.monotasks.shuffleMemory" -> "0.4")

  folder.test("cached blocks take its memory before others go, and it is written") { folder =>
    val exactly = "spark.storage.unrollMemoryGrowthFactor" ->
      "1" // of up to eight at once each would take half as much again
    Jobs.run(folder, conf = much + exactly) { spark =>
      def cached(blocks: Int) = {
        val made = spark.sparkContext.parallelize(0 until blocks, blocks).map(i => Array.fill(10000000)(i.toByte))
          .persist(StorageLevel.MEMORY_ONLY)
        assertEquals(made.map(_.length.toLong).sum(), blocks * 1e7)
        made
      }
      val older = cached(2)
      val shuffled = Pairs.shuffled(spark)
      val first = sum(shuffled)
      assertEquals(files(".data"), Seq.empty[String])
      val newer = cached(15)
      assertEquals(Seq(older, newer).map(KeptOutput.cached), Seq(2, 15))
      assert(files(".data").nonEmpty)
      assertEquals(sum(shuffled), first)
    }
  }

  /** What one task gets of almost all. */
  private def granted(spark: SparkSession) =
    spark.sparkContext.parallelize(Seq(190000000L), 1).map(ExecutionMemory.granted(_)()).collect().toSeq

  for (
    (what, before) <- Seq[(String, SparkSession => Unit)](
      "" -> (_ => ()),
      " that is not observed" -> (_.sparkContext.setLocalProperty("spark.pellucid.observe", "false")),
      " after nothing more could be kept" -> { spark =>
        Guard.sabotage("keeping map output in memory")
        val written = Pairs.shuffled(spark)
        assert(sum(written) > 0)
        assertEquals(files(".data").count(_.startsWith("shuffle_1_")), 3)
        Reference.reachabilityFence(written) // or Spark's cleaner may delete the files
      }
    )
  ) folder.test(s"a task$what gets the memory that it gets on stock Spark, and it is written") { folder =>
    Jobs.run(folder, conf = much) { spark =>
      val shuffled = Pairs.shuffled(spark)
      val first = sum(shuffled)
      assertEquals(files(".data"), Seq.empty[String])
      before(spark)
      assertEquals(granted(spark), Seq(190000000L))
      assert(files(".data").nonEmpty)
      assertEquals(sum(shuffled), first)
    }
  }

  folder.test("it goes before any of a task's operators spills") { folder =>
    Jobs.run(folder, conf = much) { spark =>
      val shuffled = Pairs.shuffled(spark)
      assert(sum(shuffled) > 0)
      // of 200 MB all but 39 MB of pairs is the task's: the last one lacks 3 MB, of which the second has enough
      val wanted = Seq(130000000L, 20000000L, 14000000L)
      val (granted, asked) =
        spark.sparkContext.parallelize(Seq(0), 1).map(_ => ExecutionMemory.granted(wanted)).collect().head
      assertEquals((granted, asked), (wanted, 0))
      assertEquals(files(".data").size, 1)
      Reference.reachabilityFence(shuffled)
    }
  }

  folder.test("it stays where a task has its share, and would get no more without it") { folder =>
    Jobs.run(folder, conf = much + ("spark.memory.storageFraction" -> "0.45")) { spark =>
      val shuffled = Pairs.shuffled(spark)
      assert(sum(shuffled) > 0)
      val cached = spark.sparkContext.parallelize(0 until 10, 10).map(i => Array.fill(10000000)(i.toByte))
        .persist(StorageLevel.MEMORY_ONLY)
      assertEquals(cached.map(_.length.toLong).sum(), 1e8)
      assertEquals(KeptOutput.cached(cached), 10)
      // 100 MB of blocks are more than the 90 that are theirs, so tasks have 110 MB, of which two have half each
      val granted = spark.sparkContext.parallelize(0 until 2, 2).map(i => TwoTasks.granted(i, 60000000L)).collect().last
      assert(granted > 54000000 && granted < 56000000, granted)
      assertEquals(files(".data"), Seq.empty[String])
      Reference.reachabilityFence(shuffled)
    }
  }

  folder.test("of a block that is in no memory any more, nor in its file, it is the reading that fails") { folder =>
    Jobs.run(folder, conf = much) { spark =>
      val shuffled = Pairs.shuffled(spark)
      assert(sum(shuffled) > 0)
      val output = KeptOutput.first
      val block = KeptOutput.block(output)
      assertEquals(block.createInputStream().readAllBytes().length.toLong, block.size)
      assertEquals(granted(spark), Seq(190000000L))
      assertEquals(block.createInputStream().readAllBytes().length.toLong, block.size)
      KeptOutput.delete(output)
      val in = block.createInputStream()
      intercept[IOException](in.read(new Array[Byte](10)))
      Reference.reachabilityFence(shuffled)
    }
  }

  folder.test("there is no more of it than the setting says, nor any where others read the files") { folder =>
    def kept(conf: Map[String, String]): Long =
      Jobs.run(folder, conf = on ++ conf) { spark =>
        val shuffled = Pairs.shuffled(spark)
        val first = sum(shuffled)
        val bytes = SparkEnv.get.memoryManager.storageMemoryUsed
        assertEquals(sum(shuffled), first)
        bytes
      }.answer
    val one = kept(memory + ("spark.pellucid.monotasks.shuffleMemory" -> "0.1")) // of 200 MB 20, and each task has 13
    assert(one > 12000000 && one < 20500000, one)
    assert(kept(Map("spark.pellucid.monotasks.shuffleMemory" -> "0")) < 1000000)
    for (setting <- Seq("spark.decommission.enabled", "spark.shuffle.useOldFetchProtocol", "spark.shuffle.sync"))
      assert(kept(Map(setting -> "true")) < 1000000)
    assert(kept(Map("spark.io.encryption.enabled" -> "true", "spark.authenticate" -> "true")) < 1000000)
  }

  test("slices of chunks") {
    val chunks =
      Array(Array[Byte](0, 1, 2), Array.emptyByteArray, Array[Byte](3), Array[Byte](4, 5, 6, 7)).map(ByteBuffer.wrap)
    for (from <- 0 to 8; until <- from to 8)
      assertEquals(KeptOutput.slice(chunks, from.toLong, (until - from).toLong), (from until until).map(_.toByte))
  }
}

/** The first one has 1 MB while the second one asks. */
private object TwoTasks {
  private val has, asked = new CountDownLatch(1)
  def granted(task: Int, bytes: Long): Long =
    if (task == 0) ExecutionMemory.granted(1000000) { has.countDown(); asked.await() }
    else {
      has.await()
      try ExecutionMemory.granted(bytes)()
      finally asked.countDown()
    }
}
