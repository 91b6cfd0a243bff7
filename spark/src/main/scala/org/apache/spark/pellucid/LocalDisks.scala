package org.apache.spark.pellucid

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.storage._
import org.apache.spark.util.Utils

import pellucid.disk.Devices

/** The disks of Spark's local folders. */
final class LocalDisks(env: SparkEnv) {
  private val blocks = env.blockManager.diskBlockManager
  private val folders = blocks.localDirs
  private val devices = folders.map(Devices.of(_))

  val names: Seq[String] = devices.distinct.toSeq

  /** Of the block's file. */
  def of(blockId: BlockId): String = LocalDisks.file(blockId) match {
    case output: ShuffleDataBlockId => elsewhere(output).flatMap(of(_)).getOrElse(ofName(output))
    case file => ofName(file)
  }

  private def elsewhere(output: ShuffleDataBlockId): Option[File] = env.shuffleManager.shuffleBlockResolver match {
    case found: KeptOutputResolver => found.elsewhere(output.shuffleId, output.mapId)
    case _ => None
  }

  /** Of the folder that Spark's `DiskBlockManager` puts a file of that name into. */
  def ofName(file: BlockId): String = ofName(file.name)
  private def ofName(file: String): String = devices(Utils.nonNegativeHash(file) % devices.length)

  /** None of a file that is not in a folder of one of them. */
  def of(file: File): Option[String] =
    Option(file.getParentFile).map(_.getParentFile).map(folders.indexOf(_)).filter(_ >= 0).map(devices(_))

  /** The file on one of the disks, where Spark has a folder for a file of another name; None where no such name is found. */
  def on(disk: String, file: BlockId): Option[File] =
    Iterator.range(0, LocalDisks.Names).map(n => s"${file.name}.$n").find(ofName(_) == disk)
      .map(name => new File(blocks.getFile(name).getParentFile, file.name))

  /** For so many bytes more, and some that others write meanwhile. */
  def hasRoom(disk: String, bytes: Long): Boolean = {
    val folder = folders(devices.indexOf(disk))
    folder.getUsableSpace - bytes > folder.getTotalSpace / 20
  }
}

object LocalDisks {
  private final val Names = 1000

  /** What the block's file is named after: all blocks of a map task have one. */
  def file(blockId: BlockId): BlockId = blockId match {
    case ShuffleBlockId(shuffle, map, _) => ShuffleDataBlockId(shuffle, map, 0)
    case ShuffleBlockBatchId(shuffle, map, _, _) => ShuffleDataBlockId(shuffle, map, 0)
    case other => other
  }
}
