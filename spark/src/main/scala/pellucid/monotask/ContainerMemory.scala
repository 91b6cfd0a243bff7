package pellucid.monotask

import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf

import pellucid.observe.Machine

/** Memory of this executor's container beyond its heap: of Python workers, and of what libraries take, neither the JVM nor Spark's memory manager knows. A
  * container with more than its limit is killed, and with it all of its tasks.
  *
  * @param limit in bytes; None where there is none, and the whole machine's is what there is
  */
private[monotask] final class ContainerMemory(limit: Option[Long]) {
  import ContainerMemory._
  private var askAgainNanos = System.nanoTime()
  private var answer = true

  /** There is room for one more task with as much as each of `tasks` has in its processes, twice. */
  def isPlenty(tasks: Int): Boolean = {
    val now = System.nanoTime()
    if (now - askAgainNanos >= 0) {
      val used = processes
      val heap = ManagementFactory.getMemoryMXBean.getHeapMemoryUsage
      def own = math.max(0, resident(ProcessHandle.current()) - heap.getCommitted)
      answer = limit.forall(bytes => leaves(bytes - heap.getMax - own, used, tasks)) &&
        Machine.availableBytes.forall(unused => leaves(unused + used, used, tasks))
      // all processes of the machine are looked at: where there are thousands, not for more than a hundredth of the time
      askAgainNanos = System.nanoTime() + math.max(EveryNanos, 100 * (System.nanoTime() - now))
    }
    answer
  }
}

private[monotask] object ContainerMemory {
  private final val EveryNanos = TimeUnit.MILLISECONDS.toNanos(500)

  /** @param beside what the JVM may have, and of which `processes` have some */
  def leaves(beside: Long, processes: Long, tasks: Int): Boolean = {
    val left = beside - processes
    left >= 2 * processes / math.max(1, tasks)
  }

  /** Bytes that processes have which this JVM started, and theirs. */
  def processes: Long = ProcessHandle.current().descendants().iterator.asScala.map(resident).sum

  private def resident(process: ProcessHandle): Long = Machine.residentBytes(process.pid)

  /** By which the executor's container is killed: the kernel's, and YARN's own, which it asks the container's processes for. */
  def of(conf: SparkConf): ContainerMemory = new ContainerMemory((Machine.memoryLimit ++ ofYarn(conf)).minOption)

  /** What Spark asks YARN for, which gives it no less. */
  def ofYarn(conf: SparkConf): Option[Long] = Option.when(conf.get("spark.master", "").startsWith("yarn")) {
    def megabytes(name: String, default: String) = conf.getSizeAsMb(s"spark.executor.$name", default)
    val heap = megabytes("memory", "1g")
    val part = (heap * conf.getDouble("spark.executor.memoryOverheadFactor", 0.1)).toLong
    val least = math.max(part, megabytes("minMemoryOverhead", "384m"))
    val beside = if (conf.getBoolean("spark.memory.offHeap.enabled", false))
      conf.getSizeAsMb("spark.memory.offHeap.size", "0")
    else 0
    (heap + megabytes("memoryOverhead", s"${least}m") + megabytes("pyspark.memory", "0") + beside) << 20
  }
}
