package org.apache.spark.pellucid

import org.apache.spark.{MapOutputTrackerMaster, SparkConf, SparkEnv}

/** Which executors a reducer waits for (`spark.locality.wait`, 3 s): in Spark those that have a fifth of its input. Of few executors some have just that
  * and others just not, and these idle, though what a reducer reads of its own machine is about the same on all.
  */
object ReduceLocality {
  private final val Setting = "spark.shuffle.reduceLocality.enabled"

  /** A reducer waits for an executor that has all of its input only, unless the user has chosen. */
  def whole(conf: SparkConf): Unit = SparkEnv.get.mapOutputTracker match {
    case tracker: MapOutputTrackerMaster if !conf.contains(Setting) =>
      Fields.replace(classOf[MapOutputTrackerMaster], tracker, Double.box(1), "REDUCER_PREF_LOCS_FRACTION")
    case _ =>
  }
}
