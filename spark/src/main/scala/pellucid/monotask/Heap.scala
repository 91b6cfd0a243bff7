package pellucid.monotask

import java.lang.management.{ManagementFactory, MemoryType, MemoryUsage}

import scala.jdk.CollectionConverters._

import org.apache.spark.pellucid.TaskMemory

/** This JVM's heap. Tasks have much in it that Spark's memory manager does not know of: a row of megabytes, a library's buffers. */
private[monotask] object Heap {
  private val max = Runtime.getRuntime.maxMemory

  /** The pools of old and of very large objects: where a collector has but one pool, that. */
  private val (pools, generations) = {
    val all = ManagementFactory.getMemoryPoolMXBeans.asScala.toSeq.filter(_.getType == MemoryType.HEAP)
    val (old, young) = all.partition(_.isUsageThresholdSupported)
    if (young.isEmpty) (all, false) else (old, true)
  }
  private val live = new LiveObjects

  private def sum(usages: Seq[MemoryUsage]) = usages.iterator.filter(_ != null).map(_.getUsed).sum

  /** By the last collection that looked there. */
  private def left: Long = sum(pools.map(_.getCollectionUsage))

  /** Now; with the garbage of young objects it says nothing. */
  private def used: Long = if (generations) sum(pools.map(_.getUsage)) else left

  /** Of what is in use, without what Spark's memory manager gave out. */
  private def unmanaged(used: Long, managed: Long): Long = synchronized {
    live.bytes(math.max(0L, used - managed), math.max(0L, left - managed), System.nanoTime())
  }

  /** There is room for more tasks. */
  def isPlenty: Boolean = {
    val managed = TaskMemory.managed
    unmanaged(used, managed) + managed < max / 2
  }

  private var short = false
  private var shortAt = System.nanoTime() - EveryNanos

  /** What tasks have there beside what Spark's memory manager knows of leaves less room than it takes. The JVM takes longer
    * to say what is there than all else of a look at tasks takes: it is asked seldom.
    */
  def isShort: Boolean = synchronized {
    val now = System.nanoTime()
    if (now - shortAt >= EveryNanos) {
      shortAt = now
      val (all, managed) = (used, TaskMemory.managed)
      short = unmanaged(all, managed) > (max - managed) / 2 || all > max / 4 * 3
    }
    short
  }

  private final val EveryNanos = 100000000L
}
