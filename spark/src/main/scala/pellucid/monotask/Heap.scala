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

  private var short = false
  private var askedAt = System.nanoTime() - EveryNanos
  private var grantedAt = System.nanoTime() - TakesNanos

  /** Returns how much there is that stays. */
  private def ask(): Long = {
    askedAt = System.nanoTime()
    val (all, managed) = (used, TaskMemory.managed)
    val others = live.bytes(math.max(0L, all - managed), math.max(0L, left - managed), askedAt)
    short = others > (max - managed) / 2 || all > max / 4 * 3
    others + managed
  }

  /** There is room for one more task, which is about to be asked for, of `most` that there may be: the one before it may just have taken what there
    * was. Where so many would have little heap each, that one first has half a second to take what it wants.
    */
  def isPlenty(most: Int): Boolean = synchronized {
    val yes = ask() < max / 2 && (max / most >= Little || askedAt - grantedAt >= TakesNanos)
    if (yes) grantedAt = askedAt
    yes
  }

  /** What tasks have there beside what Spark's memory manager knows of leaves less room than it takes. Each look wants to know, and the JVM takes
    * longer to say it than all else of a look takes: it is asked seldom.
    */
  def isShort: Boolean = synchronized {
    if (System.nanoTime() - askedAt >= EveryNanos) ask()
    short
  }

  private final val Little = 80L << 20
  private final val TakesNanos = 500000000L
  private final val EveryNanos = 100000000L
}
