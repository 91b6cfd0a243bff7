package org.apache.spark.pellucid

import java.io.{File, OutputStream, RandomAccessFile}
import java.util.zip.Checksum

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter
import org.apache.spark.storage.DiskBlockManager

import pellucid.monotask.{Multitask, PartitionBytes}
import pellucid.observe.{Kind, TaskRecord}

/** The output of a map task, each partition's in the order in which it is written: in memory, and where that is short, or something
  * else in the task wants it, what there was until then in spill files.
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
  private val parts = Array.tabulate(partitions)(p => new PartitionBytes(checksums.lift(p), makeRoom))
  private var spills = Vector.empty[Spill]
  private var held = 0L // bytes of all chunks
  private var complete = false

  def apply(partition: Int): OutputStream = parts(partition)

  private def makeRoom(bytes: Int): Unit = {
    if (held + bytes > partitions * StockBytes + getUsed && !grow(bytes)) spillAll()
    held += bytes
  }

  private def grow(bytes: Int): Boolean = {
    val wanted = math.max(bytes, Step).toLong
    TaskMemory.spare(taskMemoryManager, task.tasks, Parts) >= wanted && acquireMemory(wanted) >= bytes
  }

  /** Something else in this task wants memory, and gets it as if this held none, as Spark's writer does. */
  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if ((trigger eq this) || complete || (Thread.currentThread ne record.thread)) 0
    else {
      val freed = getUsed
      if (freed > 0) spillAll()
      freed
    }

  private def spillAll(): Unit = {
    val (id, file) = blocks.createTempShuffleBlock()
    val made = new Spill(file, partitions)
    spills :+= made
    val writes = new DiskWrites(record, Kind.SpillWrite, disks.of(id))
    for (p <- parts.indices) parts(p).drain((chunk, n) => writes.add(n)(made.write(p, chunk, n)))
    writes.run()
    context.taskMetrics().incMemoryBytesSpilled(held)
    context.taskMetrics().incDiskBytesSpilled(made.bytes.sum)
    free()
  }

  /** All partitions into the map task's file, which is on `disk`. Returns how long the writes took, in nanoseconds. */
  def writeTo(writer: ShuffleMapOutputWriter, disk: String): Long = {
    complete = true
    val writes = new DiskWrites(record, Kind.ShuffleWrite, disk)
    for (p <- parts.indices if !parts(p).isEmpty || spills.exists(_.bytes(p) > 0)) {
      lazy val stream = writer.getPartitionWriter(p).openStream()
      spills.foreach(_.pieces(p) { (n, piece) => writes.add(n)(stream.write(piece())) })
      parts(p).drain((chunk, n) => writes.add(n)(stream.write(chunk, 0, n)))
      writes.add(0)(stream.close())
    }
    writes.run()
    writes.nanos
  }

  /** Nothing of it is needed any more. */
  def discard(): Unit = {
    complete = true
    parts.foreach(_.drain((_, _) => ()))
    spills.foreach(_.delete())
    spills = Vector.empty
    free()
  }

  private def free(): Unit = {
    held = 0
    freeMemory(getUsed)
  }
}

private object MapOutput {

  /** That Spark's writer has for each partition's file, unaccounted. */
  private final val StockBytes = 32L << 10

  /** Of memory that is asked for at once, and of a file that is copied. */
  private final val Step = 1 << 20

  /** One of so many of what nobody uses is taken at once. */
  private final val Parts = 4

  /** A file that has something of each partition, one after another. */
  private final class Spill(file: File, partitions: Int) {
    private val content = new RandomAccessFile(file, "rw")
    val bytes = new Array[Long](partitions)

    /** Behind what there is; no partition after a later one. */
    def write(partition: Int, chunk: Array[Byte], n: Int): Unit = {
      content.write(chunk, 0, n)
      bytes(partition) += n
    }

    /** How long each piece of a partition is, and what reads it. */
    def pieces(partition: Int)(take: (Int, () => Array[Byte]) => Unit): Unit = {
      val from = bytes.iterator.take(partition).sum
      for (at <- from until from + bytes(partition) by Step.toLong) {
        val n = math.min(Step.toLong, from + bytes(partition) - at).toInt
        take(n, () => { val piece = new Array[Byte](n); content.seek(at); content.readFully(piece); piece })
      }
    }

    def delete(): Unit = { content.close(); file.delete(); () }
  }
}
