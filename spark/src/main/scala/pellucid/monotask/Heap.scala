package pellucid.monotask

import java.lang.management.{ManagementFactory, MemoryType, MemoryUsage}

import scala.jdk.CollectionConverters._

import org.apache.spark.pellucid.TaskMemory

/** This JVM's heap. Tasks have much in it that Spark's memory manager does not know of: a row of megabytes, a library's buffers. */
private[monotask] object Heap {
  private val max = Runtime.getRuntime.maxMemory

  /** What is known of what is in use, without the garbage of young objects: the pools of old and of very large objects as they are now, or
    * where a collector has but one pool what its last collection left there.
    */
  private val usages: Seq[() => MemoryUsage] = {
    val pools = ManagementFactory.getMemoryPoolMXBeans.asScala.toSeq.filter(_.getType == MemoryType.HEAP)
    val (old, young) = pools.partition(_.isUsageThresholdSupported)
    if (young.isEmpty) pools.map(pool => () => pool.getCollectionUsage) else old.map(pool => () => pool.getUsage)
  }

  private def inUse: Long = usages.flatMap(usage => Option(usage())).map(_.getUsed).sum

  /** There is room for more tasks. */
  def isPlenty: Boolean = inUse < max / 2

  /** What tasks have there beside what Spark's memory manager knows of leaves less room than it takes. */
  def isShort: Boolean = {
    val used = inUse
    val managed = TaskMemory.managed
    used - managed > (max - managed) / 2 || used > max / 4 * 3
  }
}
