package org.apache.spark.pellucid

import java.util.{List => JList}

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.scheduler.AccumulableInfo
import org.apache.spark.util.{AccumulatorContext, AccumulatorV2, CollectionAccumulator}

/** The driver's end of what executors measure: every task's update goes into its end event, and nothing is kept. */
final class TaskObservations extends CollectionAccumulator[String] {
  override def merge(other: AccumulatorV2[String, JList[String]]): Unit = ()

  /** As SQL's own metrics, so that Spark's UI neither shows nor keeps it. */
  override private[spark] def toInfo(update: Option[Any], value: Option[Any]): AccumulableInfo =
    AccumulableInfo(
      id,
      name,
      update,
      None,
      internal = false,
      countFailedValues,
      Some(AccumulatorContext.SQL_ACCUM_IDENTIFIER)
    )
}

object TaskObservations {
  final val Name = "pellucid.task"

  /** Of failed tasks too. */
  def register(sc: SparkContext): TaskObservations = {
    val made = new TaskObservations
    made.register(sc, Some(Name), countFailedValues = true)
    made
  }

  private lazy val atDriver = Fields.of(classOf[AccumulatorV2[_, _]], "atDriverSide")

  /** One more of an executor's, with which the current thread's task ends. A task's own accumulators do the same when they are deserialized, which for a
    * task of a millisecond takes too long.
    */
  def joins(told: CollectionAccumulator[String]): CollectionAccumulator[String] = {
    val made = new CollectionAccumulator[String]
    made.metadata = told.metadata
    atDriver.setBoolean(made, false)
    TaskContext.get().registerAccumulator(made)
    made
  }
}
