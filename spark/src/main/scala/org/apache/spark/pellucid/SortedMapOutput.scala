package org.apache.spark.pellucid

import java.io.{FileOutputStream, OutputStream}
import java.util.{Map => JMap}

import scala.util.Try

import org.apache.spark.TaskContext
import org.apache.spark.shuffle.{IndexShuffleBlockResolver, ShuffleWriteMetricsReporter}
import org.apache.spark.shuffle.api.{ShuffleExecutorComponents, ShuffleMapOutputWriter, ShufflePartitionWriter}
import org.apache.spark.shuffle.api.metadata.MapOutputCommitMessage

import pellucid.monotask.{ByteChunks, Multitask}
import pellucid.observe.{Kind, TaskRecord}

/** The output of a map task that Spark has sorted or combined: its partitions come one after the other, as they are in the map task's file. It is in memory until all is
  * there; what has no room goes to the file before the rest.
  *
  * @param place the disk of the file, of which so many bytes are known
  * @param keep keeps the output in memory, given the partitions' checksums, and returns how long each partition is; None where it is to be written
  */
private[pellucid] final class SortedMapOutput(
    shuffle: Int,
    map: Long,
    partitions: Int,
    resolver: IndexShuffleBlockResolver,
    place: Long => String,
    keep: (GatheredOutput, Array[Long]) => Option[Array[Long]],
    metrics: ShuffleWriteMetricsReporter,
    context: TaskContext,
    record: TaskRecord,
    task: Multitask
) extends GatheredOutput(context, record, task, SortedMapOutput.Unaccounted)
    with ShuffleMapOutputWriter {
  private val bytes = new ByteChunks(None, allocate)
  override val lengths = new Array[Long](partitions)
  private lazy val disk = place(bytes.size)
  private lazy val unfinished = resolver.createTempFile(resolver.getDataFile(shuffle, map))
  private lazy val file = new FileOutputStream(unfinished)
  private var hasFile = false

  override protected def gathered: Seq[ByteChunks] = Seq(bytes)
  override protected def isWritten: Boolean = hasFile

  override def getPartitionWriter(partition: Int): ShufflePartitionWriter = new ShufflePartitionWriter {
    override def getNumBytesWritten(): Long = lengths(partition)
    override def openStream(): OutputStream = new OutputStream {
      override def write(b: Int): Unit = write(Array(b.toByte), 0, 1)
      override def write(b: Array[Byte], off: Int, len: Int): Unit = {
        bytes.write(b, off, len)
        lengths(partition) += len
      }
    }
  }

  override protected def makeRoom(held: Long): Unit = write()

  private def write(): Unit = if (!bytes.isEmpty) {
    val writes = new DiskWrites(record, Kind.ShuffleWrite, disk)
    hasFile = true
    bytes.drain((chunk, n) => writes.add(n)(file.write(chunk, 0, n)))
    run(writes)
  }

  override def commitAllPartitions(checksums: Array[Long]): MapOutputCommitMessage = {
    completes()
    if (keep(this, checksums).isEmpty) {
      write()
      if (hasFile) file.close()
      resolver.writeMetadataFileAndCommit(shuffle, map, lengths, checksums, if (hasFile) unfinished else null)
      hasFile = false
    }
    metrics.incWriteTime(writeNanos)
    discard()
    MapOutputCommitMessage.of(lengths)
  }

  override def abort(error: Throwable): Unit = discard()

  /** Also after an error, where Spark's own writer leaves its file. */
  override def discard(): Unit = {
    super.discard()
    if (hasFile) { Try(file.close()); unfinished.delete() }
    hasFile = false
  }
}

private object SortedMapOutput {

  /** Spark's writer has 32 KB; this is worth a request. */
  private final val Unaccounted = 256L << 10
}

/** Where Spark's writer of sorted records gets its output from, once they are sorted. */
private[pellucid] final class SortedOutputs(output: => ShuffleMapOutputWriter) extends ShuffleExecutorComponents {
  override def initializeExecutor(application: String, executor: String, more: JMap[String, String]): Unit = ()
  override def createMapOutputWriter(shuffle: Int, map: Long, partitions: Int): ShuffleMapOutputWriter = output
}

/** But for the time in which output is gathered, which tells itself how long it is written. */
private[pellucid] final class UntimedWrites(stock: ShuffleWriteMetricsReporter, record: TaskRecord)
    extends ShuffleWriteMetricsReporter {
  override private[spark] def incBytesWritten(v: Long): Unit = stock.incBytesWritten(v)
  override private[spark] def incRecordsWritten(v: Long): Unit = stock.incRecordsWritten(v)
  override private[spark] def incWriteTime(v: Long): Unit = if (!record.gathers) stock.incWriteTime(v)
  override private[spark] def decBytesWritten(v: Long): Unit = stock.decBytesWritten(v)
  override private[spark] def decRecordsWritten(v: Long): Unit = stock.decRecordsWritten(v)
}
