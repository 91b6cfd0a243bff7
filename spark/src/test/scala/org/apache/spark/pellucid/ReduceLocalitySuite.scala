package org.apache.spark.pellucid

import java.nio.file.Path

import org.apache.spark.{HashPartitioner, MapOutputTrackerMaster, ShuffleDependency, SparkEnv}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.storage.BlockManagerId

import pellucid.{Jobs, SparkSuite}

class ReduceLocalitySuite extends SparkSuite {
  private val monotasks = Map("spark.pellucid.monotasks" -> "true")

  /** Executors for which a reducer waits that gets so many bytes from each of two. */
  private def preferred(folder: Path, conf: Map[String, String], bytes: Long*): Seq[String] =
    Jobs.run(folder, conf = conf) { spark =>
      val pairs = spark.sparkContext.parallelize(1 to 2, 2).map(i => (i, i))
      val shuffle = new ShuffleDependency[Int, Int, Int](pairs, new HashPartitioner(1))
      val tracker = SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]
      tracker.registerShuffle(shuffle.shuffleId, 2, 1)
      for ((size, map) <- bytes.zipWithIndex) {
        val status = MapStatus(BlockManagerId(s"$map", s"host$map", 1), Array(size), map.toLong)
        tracker.registerMapOutput(shuffle.shuffleId, map, status)
      }
      tracker.getPreferredLocationsForShuffle(shuffle, 0)
    }.answer

  folder.test("a reducer waits for an executor that has a fifth of its input: Spark's own rule") { folder =>
    assertEquals(preferred(folder, Map(), 3000000, 7000000).sorted, Seq("host0", "host1"))
    assertEquals(preferred(folder, Map(), 1000000, 9000000), Seq("host1"))
  }

  folder.test("as monotasks only for one that has all of it, unless the user has chosen, or there are none") { folder =>
    assertEquals(preferred(folder, monotasks, 1000000, 9000000), Nil)
    assertEquals(preferred(folder, monotasks, 0, 9000000), Seq("host1"))
    val chosen = monotasks + ("spark.shuffle.reduceLocality.enabled" -> "true")
    assertEquals(preferred(folder, chosen, 1000000, 9000000), Seq("host1"))
    val unobserved = monotasks + ("spark.pellucid.observe" -> "false")
    assertEquals(preferred(folder, unobserved, 1000000, 9000000), Seq("host1"))
  }
}
