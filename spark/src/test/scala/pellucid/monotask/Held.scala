package pellucid.monotask

import org.apache.spark.pellucid.ExecutionMemory
import org.apache.spark.sql.SparkSession

import pellucid.observe.TaskRecord

/** What tasks of this JVM hold: places at resources, and bytes of memory. */
final case class Held(places: Int, memory: Long)

object Held {

  /** But for the task that looks, which has a core. */
  val Nothing: Held = Held(0, 0)

  /** When tasks that were killed have had time to end. */
  def now(spark: SparkSession): Held =
    spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
      val resources = TaskRecord.current.multitask.get.resources
      def held = Held(resources.busy - 2, ExecutionMemory.used)
      val end = System.nanoTime() + 10000000000L
      while (held != Nothing && System.nanoTime() < end) Thread.sleep(10)
      held
    }.collect().head
}
