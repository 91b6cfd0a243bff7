package org.apache.spark

import org.junit.runner.RunWith
import org.scalatest.{Args, Status}
import org.scalatestplus.junit.JUnitRunner

import org.apache.spark.network.util.IOMode

/** Spark's own suites of its shuffle, with jobs that run as monotasks. Map output stays in memory, but where the suite or a test looks for its files. */
trait AsMonotasks { this: ShuffleSuite =>
  protected def asMonotasks(): Unit = {
    conf.set("spark.plugins", "pellucid.PellucidPlugin")
    conf.set("spark.pellucid.monotasks", "true")
    conf.set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
    ()
  }

  test("after all of these, jobs still run as monotasks") {
    sc = new SparkContext("local", "test", conf)
    assert(sc.parallelize(1 to 1000, 2).map(i => (i % 7, i)).groupByKey(3).count() === 7)
    assert(SparkEnv.get.shuffleManager.getClass.getSimpleName === "MonotaskShuffle")
  }
}

@RunWith(classOf[JUnitRunner])
class MonotaskSortShuffleSuite extends SortShuffleSuite with AsMonotasks {
  override def beforeAll(): Unit = {
    super.beforeAll()
    asMonotasks()
    conf.set("spark.pellucid.monotasks.shuffleMemory", "0")
    ()
  }
}

@RunWith(classOf[JUnitRunner])
class MonotaskShuffleNettySuite extends ShuffleNettySuite with AsMonotasks {
  private val ofFiles = Seq("local shuffle file", "disk corruption")
  override def ioMode: IOMode = IOMode.NIO
  override def beforeAll(): Unit = { super.beforeAll(); asMonotasks() }
  override protected def runTest(name: String, args: Args): Status = {
    conf.set("spark.pellucid.monotasks.shuffleMemory", if (ofFiles.exists(name.contains(_))) "0" else "0.25")
    super.runTest(name, args)
  }
}

@RunWith(classOf[JUnitRunner])
class MonotaskExternalShuffleServiceSuite extends ExternalShuffleServiceSuite with AsMonotasks {
  override def beforeAll(): Unit = { super.beforeAll(); asMonotasks() }
}
