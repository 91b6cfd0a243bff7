package org.apache.spark.pellucid

import java.io.{File, OutputStream, RandomAccessFile}
import java.util.zip.Checksum

import scala.collection.mutable.ArrayBuffer
import scala.util.Try

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.internal.config.SHUFFLE_FILE_BUFFER_SIZE
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter
import org.apache.spark.storage.{DiskBlockManager, TempShuffleBlockId}

import pellucid.monotask.{ByteChunks, Multitask}
import pellucid.observe.{Kind, TaskRecord}

/** The output of a map task whose records come in any order, each partition's in the order in which it is written: in memory, and where that is short what there
  * was until then in a spill file.
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
) extends GatheredOutput(context, record, task, partitions * MapOutput.stockBytes) {
  import MapOutput._
  private val parts = Array.tabulate(partitions)(p => new ByteChunks(checksums.lift(p), allocate))
  private var spilled: Option[Spill] = None

  def apply(partition: Int): OutputStream = parts(partition)

  override protected def gathered: Seq[ByteChunks] = parts.toSeq
  override protected def isWritten: Boolean = spilled.nonEmpty
  override def lengths: Array[Long] = parts.map(_.size)

  /** In memory and not. */
  def size: Long = lengths.sum + spilled.fold(0L)(_.size)

  override protected def makeRoom(held: Long): Unit = {
    val spill = spilled.getOrElse {
      val (id, file) = blocks.createTempShuffleBlock()
      new Spill(id, file, partitions)
    }
    spilled = Some(spill)
    val before = spill.size
    val writes = new DiskWrites(record, Kind.SpillWrite, disks.of(spill.id))
    for (p <- parts.indices) parts(p).drain((chunk, n) => writes.add(n)(spill.write(p, chunk, n)))
    run(writes)
    context.taskMetrics().incMemoryBytesSpilled(held)
    context.taskMetrics().incDiskBytesSpilled(spill.size - before)
  }

  /** All partitions into the map task's file, which is on `disk`. */
  def writeTo(writer: ShuffleMapOutputWriter, disk: String): Unit = {
    completes()
    val writes = new DiskWrites(record, Kind.ShuffleWrite, disk)
    for (p <- parts.indices if !parts(p).isEmpty || spilled.exists(_.has(p))) {
      lazy val stream = writer.getPartitionWriter(p).openStream()
      spilled.foreach(_.pieces(p, Step)((n, read) => writes.add(n)(stream.write(read()))))
      parts(p).drain((chunk, n) => writes.add(n)(stream.write(chunk, 0, n)))
      writes.add(0)(stream.close())
    }
    run(writes)
  }

  override def discard(): Unit = {
    super.discard()
    spilled.foreach(_.delete())
    spilled = None
  }
}

private object MapOutput {

  /** That Spark's writer has for each partition's file, unaccounted. */
  private def stockBytes: Long = math.min(32L, SparkEnv.get.conf.get(SHUFFLE_FILE_BUFFER_SIZE)) << 10

  /** Of a file that is copied. */
  private final val Step = 1 << 20

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
