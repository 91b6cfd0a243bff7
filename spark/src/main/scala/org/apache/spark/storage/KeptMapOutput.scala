package org.apache.spark.storage

import java.io.IOException
import java.lang.invoke.MethodHandles
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.locks.LockSupport

import scala.collection.mutable
import scala.reflect.ClassTag

import org.apache.spark.{SparkConf, SparkContext, SparkEnv, TaskContext}
import org.apache.spark.internal.config._
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.pellucid.{MonotaskShuffle, TaskMemory}
import org.apache.spark.shuffle.IndexShuffleBlockResolver
import org.apache.spark.storage.memory.MemoryStore
import org.apache.spark.util.io.ChunkedByteBuffer

import pellucid.observe.Daemons
import pellucid.plugin.{Guard, Interrupted}

/** Map output that stays in memory: blocks of Spark's own store, each named as the file that it would be, which it becomes when its memory is
  * wanted: before a cached block goes, and before a task spills. While the executor has no task all of it is written, and then goes without a write.
  *
  * @param most bytes
  */
final class KeptMapOutput private[storage] (env: SparkEnv, most: Long) {
  import KeptMapOutput._
  private val blocks = env.blockManager

  /** In memory, or were when last looked at; the oldest first. Whoever holds its lock asks for no other. */
  private val kept = mutable.LinkedHashMap.empty[ShuffleDataBlockId, Output]
  @volatile private var bytes = 0L // of those, and of what is about to be kept
  @volatile private var idle, closed, stopped = false
  @volatile private var failedAt = System.nanoTime() - RetryNanos
  @volatile private var fullAt = System.nanoTime() - FullNanos // when nothing could go for more
  private val writer = new Daemons("pellucid-map-output").newThread { () =>
    while (!stopped && giving(work()).isDefined)
      LockSupport.parkNanos(this, if (closed && bytes > 0) RetryNanos else Long.MaxValue)
  }
  env.memoryManager.setMemoryStore(new Asked(blocks.memoryStore))
  writer.start()

  /** A map task's output of at most `size` bytes, for which `index` writes the file by which it is found. False where there is no room, or it
    * went wrong: then it is to be written as ever. Nothing is kept that could not be given back.
    */
  private[spark] def keep(id: ShuffleDataBlockId, size: Long)(index: => Unit)(output: => ChunkedByteBuffer): Boolean =
    giving.isOn && keeping(reserve(size)).contains(true) && {
      var done = false
      try done = keeping {
          try { index; put(id, size, output) }
          catch {
            case _: IOException | _: OutOfMemoryError => false
          } // a full disk, a task that was killed, a full heap
        }.contains(true)
      finally if (!done) release(size)
      done
    }

  /** What has a file goes for it. */
  private def reserve(size: Long): Boolean = {
    if (bytes + size > most && System.nanoTime() - fullAt >= FullNanos) {
      for ((id, output) <- all if bytes + size > most && (output.written || get(id).isEmpty)) drop(id, output)
      if (bytes + size > most) fullAt = System.nanoTime()
    }
    val fits = !closed && TaskMemory.isLeft(size)
    fits && synchronized { val has = bytes + size <= most; if (has) bytes += size; has }
  }

  private def release(size: Long): Unit = synchronized(bytes -= size)

  /** With no room after all Spark writes it. */
  private def put(id: ShuffleDataBlockId, size: Long, output: ChunkedByteBuffer): Boolean = {
    val done = PutBytes(blocks, id, output)
    if (done) synchronized(kept(id) = new Output(size))
    done
  }

  /** None where it is in its file. */
  private[spark] def get(id: ShuffleDataBlockId): Option[ChunkedByteBuffer] = blocks.memoryStore.getBytes(id)

  /** Nobody will ask for its output any more, in memory or on disk. */
  def remove(shuffleId: Int): Unit =
    for ((id @ ShuffleDataBlockId(`shuffleId`, _, _), _) <- blocks.blockInfoManager.entries) {
      forget(id)
      blocks.removeBlock(id, tellMaster = false)
    }

  /** A task begins, on its own thread: rather than that it spills, or has less memory than in stock Spark, what is kept goes. */
  def begins(task: TaskContext): Unit = {
    idle = false
    giving(TaskMemory.ask(task, Sizes.map(new Giver(task, _))))
    ()
  }

  /** Seems to have `size` bytes: of those that have enough, a task asks the one with the least. */
  private final class Giver(task: TaskContext, size: Long)
      extends MemoryConsumer(task.taskMemoryManager(), MemoryMode.ON_HEAP) {
    override def getUsed: Long = math.min(bytes, size)
    override def spill(size: Long, trigger: MemoryConsumer): Long =
      if (TaskMemory.growsWithout(bytes)) giveBack(size) else 0
  }

  /** Whether the executor has had no task for a while. */
  def rests(idle: Boolean): Unit = {
    this.idle = idle
    if (idle && bytes > 0) LockSupport.unpark(writer)
  }

  /** Tasks fail for want of memory: what is kept goes, and nothing is kept from now on. */
  def close(): Unit = { closed = true; LockSupport.unpark(writer) }

  /** Before Spark deletes its folders: waits for the file that is just being written. */
  def stop(): Unit = {
    stopped = true
    LockSupport.unpark(writer)
    try writer.join(StopMillis)
    catch { case _: InterruptedException => Interrupted.again() }
  }

  private def work(): Unit = for ((id, output) <- all if !stopped)
    if (closed) drop(id, output)
    else if (idle && !output.written) { whole(id)(write(id, output)); () }

  private def all = synchronized(kept.toSeq)

  /** The oldest goes first, until so many bytes are free; returns how many are. Also under the memory manager's lock. */
  private def giveBack(space: Long): Long =
    all.foldLeft(0L) { case (freed, (id, output)) => if (freed < space) freed + drop(id, output) else freed }

  /** Returns how many bytes are free for it. */
  private def drop(id: ShuffleDataBlockId, output: Output): Long = whole(id) {
    val data = get(id)
    for (there <- data)
      blocks.dropFromMemory(id, () => Right(there))(ClassTag.Any) // which writes it where it has no file
    forget(id)
    data.fold(0L)(_.size)
  }

  private def write(id: ShuffleDataBlockId, output: Output): Long = {
    for (data <- get(id) if !blocks.diskStore.contains(id)) blocks.diskStore.putBytes(id, data)
    output.written = true
    0
  }

  private def forget(id: ShuffleDataBlockId): Unit = synchronized(kept.remove(id).foreach(bytes -= _.size))

  /** What Spark is just writing, or removing, it does without this. What cannot be written, on a full disk or with a full heap, stays, and is tried again
    * later.
    */
  private def whole(id: ShuffleDataBlockId)(part: => Long): Long = giving {
    if (System.nanoTime() - failedAt < RetryNanos) 0L
    else if (blocks.blockInfoManager.lockForWriting(id, blocking = false).isEmpty) {
      if (blocks.blockInfoManager.get(id).isEmpty) forget(id) // it went while it was put
      0L
    } else
      try part
      catch {
        case _: ClosedByInterruptException => 0L // the thread's own affair
        case _: IOException | _: OutOfMemoryError => failedAt = System.nanoTime(); 0L
      } finally blocks.blockInfoManager.unlock(id)
  }.getOrElse(0L)

  /** While what is kept could not be written a moment ago, `evict` passes over it: who wants memory is not to fail for that. */
  private def aside(evict: => Long): Long = {
    val stays =
      if (System.nanoTime() - failedAt >= RetryNanos) Nil
      else all.map(_._1).filter(blocks.blockInfoManager.lockForReading(_, blocking = false).isDefined)
    try evict
    finally stays.foreach(blocks.blockInfoManager.unlock(_))
  }

  /** What Spark's memory manager asks for room: in place of `stock`, which is asked for what is missing then. */
  private final class Asked(stock: MemoryStore)
      extends MemoryStore(env.conf, blocks.blockInfoManager, env.serializerManager, env.memoryManager, blocks) {
    private[spark] override def evictBlocksToFreeSpace(
        blockId: Option[BlockId],
        space: Long,
        mode: MemoryMode
    ): Long = {
      val freed = if (mode == MemoryMode.ON_HEAP) giveBack(space) else 0L
      if (freed >= space) freed else freed + aside(stock.evictBlocksToFreeSpace(blockId, space - freed, mode))
    }
  }
}

object KeptMapOutput {
  private val keeping = new Guard("keeping map output in memory")
  private val giving = new Guard("giving back the memory of map output")
  private final val StopMillis = 10000L
  private final val RetryNanos = 10000000000L
  private final val FullNanos = 1000000000L

  /** Of what a task wants, if that is 1 MB to 1 GB, one is less than twice; then all. */
  private val Sizes = (20 to 30).map(1L << _) :+ Long.MaxValue

  private final class Output(val size: Long) { @volatile var written = false }

  /** Of Spark's memory, at most. */
  private def part(conf: SparkConf): Double = {
    val part = conf.getDouble("spark.pellucid.monotasks.shuffleMemory", 0.25)
    require(part >= 0 && part <= 0.5, s"spark.pellucid.monotasks.shuffleMemory is from 0 to 0.5, not $part")
    part
  }

  /** Not where somebody else has the files of map output, or reads them: an external shuffle service, executors that are to have them before this one
    * goes; nor where Spark's store would encrypt once more what is encrypted already.
    */
  private def isWanted(conf: SparkConf): Boolean = part(conf) > 0 &&
    Seq(SHUFFLE_SERVICE_ENABLED, DECOMMISSION_ENABLED, IO_ENCRYPTION_ENABLED).forall(!conf.get(_)) &&
    MonotaskShuffle.writesFiles(conf)

  /** On the driver, before there are executors: those of one host fetch each other's map output, unless the user has them read the files. */
  def fetchFromHost(sc: SparkContext): Unit =
    if (isWanted(sc.conf) && !sc.isLocal && !sc.conf.contains(SHUFFLE_HOST_LOCAL_DISK_READING_ENABLED)) {
      sc.conf.set(SHUFFLE_HOST_LOCAL_DISK_READING_ENABLED, false)
      ()
    }

  /** Of this executor; None where others of its host read the files. */
  private[spark] def of(env: SparkEnv): Option[KeptMapOutput] = keeping {
    PutBytes.check()
    val alone = env.executorId == SparkContext.DRIVER_IDENTIFIER ||
      !env.conf.get(SHUFFLE_HOST_LOCAL_DISK_READING_ENABLED)
    Option.when(isWanted(env.conf) && alone)(new KeptMapOutput(
      env,
      (part(env.conf) * env.memoryManager.maxOnHeapStorageMemory).toLong
    ))
  }.flatten

  /** Whether the executor's block manager, which others ask, asks `resolver`. */
  private[spark] def isAsked(env: SparkEnv, resolver: IndexShuffleBlockResolver): Boolean =
    env.blockManager.migratableResolver eq resolver
}

/** `BlockManager.putBytes`, which has more parameters since Spark 4.3, with defaults: in memory, or on disk where there is no room after all. */
private object PutBytes {
  private lazy val method = classOf[BlockManager].getMethods.filter(_.getName == "putBytes").head
  private lazy val handle = MethodHandles.lookup.unreflect(method)
  private lazy val defaults = (5 until method.getParameterCount).map(i =>
    classOf[BlockManager].getMethod(s"putBytes$$default$$$i")
  )

  def check(): Unit = { handle; defaults; () }

  def apply(blocks: BlockManager, id: BlockId, bytes: ChunkedByteBuffer): Boolean = {
    val arguments = Seq[AnyRef](blocks, id, bytes, StorageLevel.MEMORY_AND_DISK_SER, Boolean.box(false)) ++
      defaults.map(_.invoke(blocks)) :+ ClassTag.Any
    handle.invokeWithArguments(arguments: _*).asInstanceOf[Boolean]
  }
}
