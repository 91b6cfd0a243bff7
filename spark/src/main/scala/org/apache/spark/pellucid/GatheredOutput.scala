package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.util.io.ChunkedByteBuffer

import pellucid.monotask.{ByteChunks, Multitask}
import pellucid.observe.TaskRecord

/** The output of a map task, which is gathered in memory before it is written (thesis section 5.3.2), while nothing else in the task wants that.
  *
  * @param unaccounted bytes that it may have besides those of Spark's memory manager, as Spark's own writer has
  */
private[pellucid] abstract class GatheredOutput(
    context: TaskContext,
    record: TaskRecord,
    task: Multitask,
    unaccounted: Long
) extends MemoryConsumer(context.taskMemoryManager(), MemoryMode.ON_HEAP) {
  import GatheredOutput._
  private var held = 0L // bytes of all chunks
  private var nanos = 0L
  private var complete = false

  /** Of a write for want of memory: what was to be written is lost, whoever asked for it. */
  private var failure: Option[Throwable] = None

  /** Another thread of the task wants the memory: this one gives it back, and takes no more. */
  @volatile private var wanted = false

  /** All that is in memory, one partition after the other. */
  protected def gathered: Seq[ByteChunks]

  /** Something is on disk already. */
  protected def isWritten: Boolean

  /** Writes all that is in memory, so many bytes of chunks, to where it leaves none of it in them. */
  protected def makeRoom(held: Long): Unit

  /** Bytes of each partition that are in memory. */
  def lengths: Array[Long]

  /** How long writing took, without the time in disks' queues. */
  final def writeNanos: Long = nanos

  /** For chunks. */
  protected final def allocate(bytes: Int): Array[Byte] = {
    refuseIfFailed()
    val full = held + bytes > unaccounted + getUsed
    if ((wanted && getUsed > 0) || (full && !grow(bytes))) empty()
    val chunk =
      try new Array[Byte](bytes)
      catch { case _: OutOfMemoryError if held > 0 => empty(); new Array[Byte](bytes) }
    held += bytes
    chunk
  }

  private def grow(bytes: Int): Boolean = {
    val asked = math.max(bytes, Step).toLong
    !wanted && getUsed + asked <= MostBytes && spare(taskMemoryManager, task) >= asked && acquireMemory(asked) >= bytes
  }

  /** Something else in this task wants memory, and gets it as if this held none, as Spark's writer does. */
  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if ((trigger eq this) || complete || failure.isDefined) 0
    else if (Thread.currentThread ne record.thread) { wanted = true; 0 }
    else {
      val freed = getUsed
      if (freed > 0) empty()
      freed
    }

  private def empty(): Unit = if (held > 0)
    try { makeRoom(held); free() }
    catch { case e: Throwable => failure = Some(e); throw e }

  protected final def run(writes: DiskWrites): Unit = { writes.run(); nanos += writes.nanos }

  /** All is there; what has failed is told. */
  protected final def completes(): Unit = { refuseIfFailed(); complete = true }
  private def refuseIfFailed(): Unit = failure.foreach(throw _)

  /** Bytes of memory that it takes; None where there are none, or some of it is on disk. */
  final def inMemory: Option[Long] = Option.when(held > 0 && !isWritten && failure.isEmpty)(held)

  /** All of what is in memory; whoever takes it shares it until this is discarded. */
  final def content: ChunkedByteBuffer = {
    val chunks = ArrayBuffer.empty[ByteBuffer]
    for (part <- gathered)
      part.foreach((chunk, n) => chunks += ByteBuffer.wrap(if (n == chunk.length) chunk else Arrays.copyOf(chunk, n)))
    new ChunkedByteBuffer(chunks.toArray)
  }

  /** Nothing of it is needed any more. */
  def discard(): Unit = {
    complete = true
    gathered.foreach(_.discard())
    free()
  }

  private def free(): Unit = {
    held = 0
    freeMemory(getUsed)
  }
}

private[pellucid] object GatheredOutput {

  /** Of memory that is asked for at once. */
  private final val Step = 1 << 20

  /** More is not faster by much, and Spark's own writer would leave it to the job's objects. */
  private final val MostBytes = 64L << 20

  /** Of what nobody uses a quarter at once. */
  private def spare(memory: TaskMemoryManager, task: Multitask) = TaskMemory.spare(memory, task.tasks, 4)

  /** Enough memory for fewer writes than Spark's own writer does. */
  def hasRoom(context: TaskContext, task: Multitask): Boolean = spare(context.taskMemoryManager(), task) >= 4 * Step
}
