package org.apache.spark.pellucid

import java.io.OutputStream
import java.util.UUID

import scala.util.Try

import org.apache.spark.ShuffleDependency
import org.apache.spark.network.shuffle.checksum.ShuffleChecksumHelper
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.serializer.{SerializationStream, SerializerManager}
import org.apache.spark.shuffle.{ShuffleWriteMetricsReporter, ShuffleWriter}
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter
import org.apache.spark.storage.TempShuffleBlockId

/** Writes a map task's output as Spark's `BypassMergeSortShuffleWriter` does, byte for byte the same file, but for the files per
  * partition that one writes and reads before: until all records are there, partitions are in memory (thesis section 5.3.2).
  *
  * @param place of the file, once it is known how long that is: the disk, and what writes it
  * @param keep keeps the output in memory, given the partitions' checksums, and returns how long each partition is; None where it is to be written
  * @param rows checksums that do not depend on the rows' order, where the driver wants them
  * @param status what the driver is told, of the partitions' lengths
  */
private[pellucid] final class MonotaskShuffleWriter[K, V](
    dependency: ShuffleDependency[K, V, V],
    output: MapOutput,
    place: Long => (String, ShuffleMapOutputWriter),
    keep: (MapOutput, Array[Long]) => Option[Array[Long]],
    checksums: () => Array[Long],
    rows: Option[RowChecksums],
    serializers: SerializerManager,
    metrics: ShuffleWriteMetricsReporter,
    status: Array[Long] => MapStatus
) extends ShuffleWriter[K, V] {
  private val partitions = dependency.partitioner.numPartitions
  private val streams = new Array[SerializationStream](partitions)
  private val wrapped = new Array[OutputStream](partitions)
  private var file: Option[ShuffleMapOutputWriter] = None
  private var lengths: Array[Long] = _
  private var stopped = false

  override def write(records: Iterator[Product2[K, V]]): Unit =
    try {
      val some = records.hasNext
      val count = if (some) collect(records) else 0
      for (p <- streams.indices if streams(p) != null) finish(p)
      val sums = if (some) checksums() else ShuffleChecksumHelper.EMPTY_CHECKSUM_VALUE
      lengths = keep(output, sums).getOrElse {
        val (disk, written) = place(output.size)
        file = Some(written)
        output.writeTo(written, disk)
        written.commitAllPartitions(sums).getPartitionLengths
      }
      metrics.incRecordsWritten(count)
      metrics.incBytesWritten(lengths.sum)
      metrics.incWriteTime(output.writeNanos)
    } catch {
      case e: Throwable =>
        file.foreach(abort(_, e))
        throw e
    }

  private def abort(file: ShuffleMapOutputWriter, e: Throwable): Unit =
    try file.abort(e)
    catch {
      case another: Exception =>
        e.addSuppressed(another)
        Try(file.abort(e)) // the disk was full for what it had in its buffer; now it deletes the file
        ()
    }

  /** How many there were. */
  private def collect(records: Iterator[Product2[K, V]]): Long = {
    val partitioner = dependency.partitioner
    val serializer = dependency.serializer.newInstance()
    val block = TempShuffleBlockId(UUID.randomUUID())
    var count = 0L
    while (records.hasNext) {
      val record = records.next()
      val key = record._1
      val p = partitioner.getPartition(key)
      if (streams(p) == null) {
        wrapped(p) = serializers.wrapStream(block, output(p))
        streams(p) = serializer.serializeStream(wrapped(p))
      }
      streams(p).writeKey[Any](key)
      streams(p).writeValue[Any](record._2)
      if (rows.isDefined) rows.get.update(p, key, record._2)
      count += 1
    }
    count
  }

  /** In the order of Spark's writer: a flush can write something. */
  private def finish(p: Int): Unit = {
    val stream = streams(p)
    stream.flush()
    wrapped(p).flush()
    stream.close()
    streams(p) = null
    wrapped(p) = null
  }

  override def getPartitionLengths(): Array[Long] = lengths

  override def stop(success: Boolean): Option[MapStatus] =
    if (stopped) None
    else {
      stopped = true
      output.discard()
      for (stream <- streams if stream != null) Try(stream.close()) // codecs have memory of their own
      if (success) Some(status(lengths)) else None
    }
}
