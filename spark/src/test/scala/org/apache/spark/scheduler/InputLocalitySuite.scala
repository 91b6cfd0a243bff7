package org.apache.spark.scheduler

import java.nio.file.Path
import java.util.Properties

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.pellucid.Fields

import pellucid.plugin.Guard
import pellucid.{Jobs, SparkSuite, Warnings}

class InputLocalitySuite extends SparkSuite {

  /** Each host's list of tasks, whose last one is its next, of a stage whose tasks' input these hosts have. */
  private def lists(folder: Path, slots: => Map[String, Int], hosts: Seq[String]*): Map[String, Seq[Int]] =
    chosen(folder, slots, hosts)._1

  /** And which host each task was assigned to, of the stages that have any. */
  private def chosen(folder: Path, slots: => Map[String, Int], hosts: Seq[Seq[String]]) = {
    val seen = mutable.Map.empty[String, Seq[Int]]
    val assigned = mutable.Buffer.empty[Seq[Option[String]]]
    Jobs.run(folder, plugin = false, conf = Map("spark.locality.wait" -> "0")) { spark =>
      val sc = spark.sparkContext
      Fields.replace(classOf[TaskSchedulerImpl], sc.taskScheduler, new Seeing(builder(sc), seen), "schedulableBuilder")
      InputLocality.choose(sc, _ => slots, (_, _, machineOf) => assigned += machineOf.toSeq, new Guard("a test"))
      assertEquals(sc.makeRDD(hosts.zipWithIndex.map(_.swap)).collect().toSeq, hosts.indices)
    }
    (seen.toMap, assigned.toSeq)
  }

  private def builder(sc: SparkContext) =
    Fields.get(classOf[TaskSchedulerImpl], sc.taskScheduler, "schedulableBuilder").asInstanceOf[SchedulableBuilder]

  private final class Seeing(stock: SchedulableBuilder, seen: mutable.Map[String, Seq[Int]])
      extends SchedulableBuilder {
    def rootPool: Pool = stock.rootPool
    def buildPools(): Unit = stock.buildPools()
    def addTaskSetManager(manager: Schedulable, properties: Properties): Unit = {
      seen ++= manager.asInstanceOf[TaskSetManager].pendingTasks.forHost.view.mapValues(_.toSeq)
      stock.addTaskSetManager(manager, properties)
    }
  }

  private val each = Map("a" -> 1, "b" -> 1)
  private val inSparksOrder = Map("a" -> Seq(1, 0), "b" -> Seq(0))

  folder.test("a machine takes first what no other has, and leaves them what they have") { folder =>
    val (seen, assigned) = chosen(folder, each, Seq(Seq("a", "b"), Seq("a")))
    assertEquals(seen, Map("a" -> Seq(0, 1), "b" -> Seq(0)))
    assertEquals(assigned, Seq(Seq(Some("b"), Some("a"))))
  }

  folder.test("its own tasks and then those of others are each in Spark's order") { folder =>
    val both = Seq.fill(4)(Seq("a", "b"))
    val seen = lists(folder, each, both: _*)
    assertEquals(seen.values.toSet, Set(Seq(3, 2, 1, 0), Seq(1, 0, 3, 2))) // two of four alike are each one's own
  }

  folder.test("where slots are not known it is Spark's order") { folder =>
    for (known <- Seq(Map.empty[String, Int], Map("a" -> 1)))
      assertEquals(chosen(folder, known, Seq(Seq("a", "b"), Seq("a"))), (inSparksOrder, Nil))
  }

  folder.test("tasks that prefer an executor stay in Spark's order") { folder =>
    assertEquals(lists(folder, each, Seq("a", "b"), Seq("executor_a_1")), inSparksOrder)
  }

  folder.test("an exception is one warning, and Spark's order") { folder =>
    val warnings = Warnings.during {
      assertEquals(lists(folder, sys.error("on purpose"), Seq("a", "b"), Seq("a")), inSparksOrder)
    }
    assertEquals(warnings.size, 1, warnings)
  }

  folder.test("machines are chosen for tasks that run as monotasks, not for others") { folder =>
    def isSparks(conf: (String, String)*) =
      Jobs.run(folder, conf = conf.toMap)(spark =>
        builder(spark.sparkContext).isInstanceOf[FIFOSchedulableBuilder]
      ).answer
    assert(isSparks())
    assert(!isSparks("spark.pellucid.monotasks" -> "true"))
    assert(isSparks("spark.pellucid.monotasks" -> "true", "spark.pellucid.observe" -> "false"))
  }
}
