package org.apache.spark.pellucid

import org.apache.spark.ShuffleDependency
import org.apache.spark.shuffle.checksum.RowBasedChecksum

/** Since Spark 4.1 a shuffle can have checksums of each partition's rows, by which the driver sees whether another attempt had others. */
private[pellucid] final class RowChecksums(sums: Array[RowBasedChecksum]) {
  def update(partition: Int, key: Any, value: Any): Unit = sums(partition).update(key, value)

  /** Of all partitions. */
  def value: Long = RowBasedChecksum.getAggregatedChecksumValue(sums)
}

private[pellucid] object RowChecksums {
  private lazy val known = classOf[ShuffleDependency[_, _, _]].getMethods.exists(_.getName == "rowBasedChecksums")

  /** None where the driver wants none. */
  def of(dependency: ShuffleDependency[_, _, _]): Option[RowChecksums] =
    if (!known) None else Option(dependency.rowBasedChecksums).filter(_.nonEmpty).map(new RowChecksums(_))
}
