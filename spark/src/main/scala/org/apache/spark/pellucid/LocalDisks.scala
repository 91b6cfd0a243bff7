package org.apache.spark.pellucid

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.storage._
import org.apache.spark.util.Utils

import pellucid.disk.Devices

/** The disks of Spark's local folders. */
final class LocalDisks(env: SparkEnv) {
  private val folders = env.blockManager.diskBlockManager.localDirs
  private val devices = folders.map(Devices.of(_))

  def names: Seq[String] = devices.distinct.toSeq

  /** Of the folder that Spark's `DiskBlockManager` puts the block's file into. */
  def of(blockId: BlockId): String =
    devices(if (devices.length == 1) 0 else Utils.nonNegativeHash(LocalDisks.file(blockId).name) % devices.length)

  /** None of a file that is not in a folder of one of them. */
  def of(file: File): Option[String] =
    Option(file.getParentFile).map(_.getParentFile).map(folders.indexOf(_)).filter(_ >= 0).map(devices(_))
}

object LocalDisks {

  /** What the block's file is named after: all blocks of a map task have one. */
  def file(blockId: BlockId): BlockId = blockId match {
    case ShuffleBlockId(shuffle, map, _) => ShuffleDataBlockId(shuffle, map, 0)
    case ShuffleBlockBatchId(shuffle, map, _, _) => ShuffleDataBlockId(shuffle, map, 0)
    case other => other
  }
}
