package pellucid.monotask

import java.lang.management.{ManagementFactory, MemoryType}

import scala.jdk.CollectionConverters._

import com.sun.management.GarbageCollectorMXBean

/** This JVM's heap. Tasks have much in it that Spark's memory manager does not know of: a row of megabytes, a library's buffers. */
private[monotask] object Heap {
  private val runtime = Runtime.getRuntime
  private val collectors =
    ManagementFactory.getGarbageCollectorMXBeans.asScala.collect { case c: GarbageCollectorMXBean => c }.toSeq
  private val pools =
    ManagementFactory.getMemoryPoolMXBeans.asScala.filter(_.getType == MemoryType.HEAP).map(_.getName).toSet
  private var collections, left = 0L

  /** Less than half of it is in use, or has been since the last collection. */
  def isPlenty: Boolean = runtime.totalMemory - runtime.freeMemory < runtime.maxMemory / 2

  /** The last collection has left more than three quarters of it in use. */
  def isShort: Boolean = leftByLast() > runtime.maxMemory / 4 * 3

  private def leftByLast(): Long = synchronized {
    val now = collectors.map(_.getCollectionCount).sum
    if (now != collections) {
      collections = now
      left = collectors.flatMap(c => Option(c.getLastGcInfo)).maxByOption(_.getEndTime).fold(0L) { last =>
        last.getMemoryUsageAfterGc.asScala.iterator.collect { case (pool, usage) if pools(pool) => usage.getUsed }.sum
      }
    }
    left
  }
}
