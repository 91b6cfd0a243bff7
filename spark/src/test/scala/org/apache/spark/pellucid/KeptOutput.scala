package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.nio.file.Files

import org.apache.spark.SparkEnv
import org.apache.spark.network.buffer.ManagedBuffer
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.{ShuffleBlockId, ShuffleDataBlockId}

object KeptOutput {

  /** Of the first shuffle that this JVM keeps output of. */
  def first: ShuffleDataBlockId =
    SparkEnv.get.blockManager.getMatchingBlockIds(_.isInstanceOf[ShuffleDataBlockId]).collect {
      case id: ShuffleDataBlockId => id
    }.minBy(id => (id.shuffleId, id.mapId))

  /** For the first reducer. */
  def block(of: ShuffleDataBlockId): ManagedBuffer =
    SparkEnv.get.shuffleManager.shuffleBlockResolver.getBlockData(ShuffleBlockId(of.shuffleId, of.mapId, 0))

  /** How many blocks of it there are; what Spark's listeners know of them is of a moment ago. */
  def cached(rdd: RDD[_]): Int =
    SparkEnv.get.blockManager.getMatchingBlockIds(_.asRDDId.exists(_.rddId == rdd.id)).size

  /** From the disk. */
  def delete(output: ShuffleDataBlockId): Unit =
    Files.delete(SparkEnv.get.blockManager.diskBlockManager.getFile(output).toPath)

  def slice(chunks: Array[ByteBuffer], offset: Long, length: Long): Seq[Byte] =
    KeptOutputResolver.slice(chunks, offset, length).toSeq.flatMap(part => Array.tabulate(part.remaining)(part.get(_)))
}
