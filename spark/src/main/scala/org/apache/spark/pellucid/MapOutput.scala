package org.apache.spark.pellucid

import java.io.{File, OutputStream, RandomAccessFile}
import java.nio.ByteBuffer
import java.util.Arrays
import java.util.zip.Checksum

import scala.collection.mutable.ArrayBuffer
import scala.util.Try

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter
import org.apache.spark.storage.{DiskBlockManager, TempShuffleBlockId}
import org.apache.spark.util.io.ChunkedByteBuffer

import pellucid.monotask.{Multitask, PartitionBytes}
import pellucid.observe.{Kind, TaskRecord}

/** The output of a map task, each partition's in the order in which it is written: in memory, and where that is short, or something
  * else in the task wants it, what there was until then in a spill file.
  *
  * @param checksums of the partitions' bytes; none where Spark wants none
  */
private[pellucid] final class MapOutput(
    partitions: Int,
    checksums: Array[Checksum],
    context: TaskContext,
    record: TaskRecord,
    task: Multitask,
    blocks: DiskBlockManager,
    disks: LocalDisks
) extends MemoryConsumer(context.taskMemoryManager(), MemoryMode.ON_HEAP) {
  import MapOutput._
  private val parts = Array.tabulate(partitions)(p => new PartitionBytes(checksums.lift(p), allocate))
  private var spilled: Option[Spill] = None
  private var held = 0L // bytes of all chunks
  private var nanos = 0L
  private var complete = false

  /** Of a spill: what was in it is lost, whoever asked for it. */
  private var failure: Option[Throwable] = None

  /** Another thread of the task wants the memory: this one gives it back, and takes no more. */
  @volatile private var wanted = false

  def apply(partition: Int): OutputStream = parts(partition)

  /** How long writing took, without the time in disks' queues. */
  def writeNanos: Long = nanos

  private def allocate(bytes: Int): Array[Byte] = {
    failure.foreach(throw _)
    val full = held + bytes > partitions * StockBytes + getUsed
    if ((wanted && getUsed > 0) || (full && !grow(bytes))) spillAll()
    val chunk =
      try new Array[Byte](bytes)
      catch { case _: OutOfMemoryError if held > 0 => spillAll(); new Array[Byte](bytes) }
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
      if (freed > 0) spillAll()
      freed
    }

  private def spillAll(): Unit = if (held > 0)
    try {
      val spill = spilled.getOrElse {
        val (id, file) = blocks.createTempShuffleBlock()
        new Spill(id, file, partitions)
      }
      spilled = Some(spill)
      val before = spill.size
      val writes = new DiskWrites(record, Kind.SpillWrite, disks.of(spill.id))
      for (p <- parts.indices) parts(p).drain((chunk, n) => writes.add(n)(spill.write(p, chunk, n)))
      writes.run()
      nanos += writes.nanos
      context.taskMetrics().incMemoryBytesSpilled(held)
      context.taskMetrics().incDiskBytesSpilled(spill.size - before)
      free()
    } catch { case e: Throwable => failure = Some(e); throw e }

  /** All partitions into the map task's file, which is on `disk`. */
  def writeTo(writer: ShuffleMapOutputWriter, disk: String): Unit = {
    failure.foreach(throw _)
    complete = true
    val writes = new DiskWrites(record, Kind.ShuffleWrite, disk)
    for (p <- parts.indices if !parts(p).isEmpty || spilled.exists(_.has(p))) {
      lazy val stream = writer.getPartitionWriter(p).openStream()
      spilled.foreach(_.pieces(p, Step)((n, read) => writes.add(n)(stream.write(read()))))
      parts(p).drain((chunk, n) => writes.add(n)(stream.write(chunk, 0, n)))
      writes.add(0)(stream.close())
    }
    writes.run()
    nanos += writes.nanos
  }

  /** Bytes of memory that it takes; None where there are none, or some of it is in a spill file. */
  def inMemory: Option[Long] = Option.when(held > 0 && spilled.isEmpty && failure.isEmpty)(held)

  /** All of what is in memory, one partition after the other; whoever takes it shares it until this is discarded. */
  def content: ChunkedByteBuffer = {
    val chunks = ArrayBuffer.empty[ByteBuffer]
    for (part <- parts)
      part.foreach((chunk, n) => chunks += ByteBuffer.wrap(if (n == chunk.length) chunk else Arrays.copyOf(chunk, n)))
    new ChunkedByteBuffer(chunks.toArray)
  }

  /** Bytes of each partition in memory. */
  def lengths: Array[Long] = parts.map(_.size)

  /** Nothing of it is needed any more. */
  def discard(): Unit = {
    complete = true
    parts.foreach(_.discard())
    spilled.foreach(_.delete())
    spilled = None
    free()
  }

  private def free(): Unit = {
    held = 0
    freeMemory(getUsed)
  }
}

private[pellucid] object MapOutput {

  /** That Spark's writer has for each partition's file, unaccounted. */
  private final val StockBytes = 32L << 10

  /** Of memory that is asked for at once, and of a file that is copied. */
  private final val Step = 1 << 20

  /** More is not faster by much, and Spark's own writer would leave it to the job's objects. */
  private final val MostBytes = 64L << 20

  /** Of what nobody uses a quarter at once. */
  private def spare(memory: TaskMemoryManager, task: Multitask) = TaskMemory.spare(memory, task.tasks, 4)

  /** Enough memory for fewer writes than Spark's own writer does. */
  def hasRoom(context: TaskContext, task: Multitask): Boolean = spare(context.taskMemoryManager(), task) >= 4 * Step

  /** A file with pieces of all partitions. */
  private final class Spill(val id: TempShuffleBlockId, file: File, partitions: Int) {
    private val content = new RandomAccessFile(file, "rw")
    private val places = Array.fill(partitions)(ArrayBuffer.empty[(Long, Long)]) // where a piece begins and ends
    private var written = 0L

    def size: Long = written
    def has(partition: Int): Boolean = places(partition).nonEmpty

    def write(partition: Int, chunk: Array[Byte], n: Int): Unit = {
      content.write(chunk, 0, n)
      val pieces = places(partition)
      val begins = if (pieces.lastOption.exists(_._2 == written)) pieces.remove(pieces.length - 1)._1 else written
      written += n
      pieces += ((begins, written))
    }

    /** How long each piece of a partition is, at most `step`, and what reads it. */
    def pieces(partition: Int, step: Int)(take: (Int, () => Array[Byte]) => Unit): Unit =
      for ((begins, ends) <- places(partition); at <- begins until ends by step.toLong) {
        val n = math.min(step.toLong, ends - at).toInt
        take(n, () => { val piece = new Array[Byte](n); content.seek(at); content.readFully(piece); piece })
      }

    def delete(): Unit = { Try(content.close()); file.delete(); () }
  }
}
