package pellucid.trace

import scala.collection.mutable

/** The requests of one kind that the tasks of one stage attempt sent along one path from one executor.
  *
  * `micros`: time that tasks were blocked; of `shuffleFetch` the time between arrivals, in which the other side had something to
  * send. `sizes(b)` requests were of 2^b up to 2^(b+1) bytes.
  */
final case class PathUse(
    stage: Int,
    executor: Int,
    kind: String,
    path: String,
    requests: Long,
    bytes: Long,
    micros: Long,
    sizes: Array[Long]
) {

  /** Not requests, but looks at the stack of a task's thread; `path` is what it was seen at. */
  def sampled: Boolean = PathTable.SampledKinds(kind)

  /** A local disk, or the datanode of the task's own machine. What is written to HDFS (`hdfs`) goes to others too. */
  def onDiskOf(host: String): Boolean = onLocalDisk || path == s"hdfs:$host"
  def onLocalDisk: Boolean = path == "disk" || path.startsWith("disk:")

  /** An object store, which is on none of the machines. */
  def inStore: Boolean = path.startsWith(PathTable.Store)
}

/** Sums them while a log is read. Beyond `most` rows new ones are counted only. */
final class PathTable(most: Int) {
  private val rows = mutable.LinkedHashMap.empty[(Int, Int, String, String), PathUse]

  var leftOut = 0L

  def add(use: PathUse): Unit = {
    val key = (use.stage, use.executor, use.kind, use.path)
    rows.get(key) match {
      case None if rows.size >= most => leftOut += 1
      case None => rows(key) = use
      case Some(old) =>
        for (b <- use.sizes.indices) old.sizes(b) += use.sizes(b)
        rows(key) = old.copy(
          requests = old.requests + use.requests,
          bytes = old.bytes + use.bytes,
          micros = old.micros + use.micros
        )
    }
  }

  def result: IndexedSeq[PathUse] = rows.valuesIterator.map(use => use.copy(sizes = use.sizes.clone)).toIndexedSeq

  /** Leaves only the stages that have a new row, under that. */
  def keepOnly(newStage: Map[Int, Int]): Unit = {
    val kept = rows.valuesIterator.flatMap(use => newStage.get(use.stage).map(row => use.copy(stage = row))).toSeq
    rows.clear()
    kept.foreach(add)
  }
}

object PathTable {

  /** Begins the name of an object store, before its scheme. */
  final val Store = "store:"
  private[trace] val SampledKinds = Set("python", "spillWait", "driver", "wait", "io", "decompress", "deserialize")

  /** Sizes up to 2 TB, and beyond. */
  final val Buckets = 41
}
