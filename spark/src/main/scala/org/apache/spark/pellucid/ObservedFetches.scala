package org.apache.spark.pellucid

import java.util.{Map => JMap}
import java.util.concurrent.CompletableFuture

import com.codahale.metrics.MetricSet
import org.apache.spark.SparkEnv
import org.apache.spark.network.BlockTransferService
import org.apache.spark.network.buffer.ManagedBuffer
import org.apache.spark.network.shuffle._
import org.apache.spark.network.shuffle.checksum.Cause
import org.apache.spark.storage.BlockManager

import pellucid.observe.{Kind, Requests, TaskRecord}
import pellucid.plugin.Guard

/** Spark's client for blocks of other executors, with what each of them is asked for counted by its host. */
private[pellucid] final class ObservedFetches(stock: BlockStoreClient) extends BlockStoreClient {
  override def fetchBlocks(
      host: String,
      port: Int,
      execId: String,
      blockIds: Array[String],
      listener: BlockFetchingListener,
      files: DownloadFileManager
  ): Unit = {
    def send(to: BlockFetchingListener): Unit = stock.fetchBlocks(host, port, execId, blockIds, to, files)
    Option(TaskRecord.current).fold(send(listener)) { record =>
      def measured(to: BlockFetchingListener): Unit = send(ObservedFetches.of(to, record, host))
      Fetches.of(listener, record).fold(measured(listener))(_.add(blockIds.length, listener)(measured))
    }
  }

  override def diagnoseCorruption(
      host: String,
      port: Int,
      execId: String,
      shuffleId: Int,
      mapId: Long,
      reduceId: Int,
      checksum: Long,
      algorithm: String
  ): Cause = stock.diagnoseCorruption(host, port, execId, shuffleId, mapId, reduceId, checksum, algorithm)
  override def shuffleMetrics(): MetricSet = stock.shuffleMetrics()
  override def setAppAttemptId(id: String): Unit = stock.setAppAttemptId(id)
  override def getAppAttemptId: String = stock.getAppAttemptId
  override def getHostLocalDirs(
      host: String,
      port: Int,
      execIds: Array[String],
      result: CompletableFuture[JMap[String, Array[String]]]
  ): Unit = stock.getHostLocalDirs(host, port, execIds, result)
  override def pushBlocks(
      host: String,
      port: Int,
      blockIds: Array[String],
      buffers: Array[ManagedBuffer],
      listener: BlockPushingListener
  ): Unit = stock.pushBlocks(host, port, blockIds, buffers, listener)
  override def finalizeShuffleMerge(
      host: String,
      port: Int,
      shuffleId: Int,
      shuffleMergeId: Int,
      listener: MergeFinalizerListener
  ): Unit = stock.finalizeShuffleMerge(host, port, shuffleId, shuffleMergeId, listener)
  override def getMergedBlockMeta(
      host: String,
      port: Int,
      shuffleId: Int,
      shuffleMergeId: Int,
      reduceId: Int,
      listener: MergedBlocksMetaListener
  ): Unit = stock.getMergedBlockMeta(host, port, shuffleId, shuffleMergeId, reduceId, listener)
  override def removeShuffleMerge(host: String, port: Int, shuffleId: Int, shuffleMergeId: Int): Boolean =
    stock.removeShuffleMerge(host, port, shuffleId, shuffleMergeId)

  /** Spark's block manager closes the transfer service by itself. */
  override def close(): Unit = if (!stock.isInstanceOf[BlockTransferService]) stock.close()
}

/** Its time is from one block's arrival, or the request, to the next one's: added up, how long the host had something to send. */
private final class MeasuredFetch(stock: BlockFetchingListener, requests: Requests) extends BlockFetchingListener {
  private var since = System.nanoTime()

  override def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit = {
    ObservedFetches.guard {
      val now = System.nanoTime()
      requests.add(data.size, synchronized { val took = now - since; since = now; took })
    }
    stock.onBlockFetchSuccess(blockId, data)
  }
  override def onBlockFetchFailure(blockId: String, e: Throwable): Unit = stock.onBlockFetchFailure(blockId, e)
}

object ObservedFetches {
  val guard = new Guard("measuring shuffle fetches")

  private def of(listener: BlockFetchingListener, record: TaskRecord, host: String): BlockFetchingListener =
    guard(new MeasuredFetch(listener, record.requests(Kind.ShuffleFetch, s"host:$host"))).getOrElse(listener)

  /** Before the executor's first task. */
  def install(): Unit = {
    val manager = SparkEnv.get.blockManager
    Fields.replace(classOf[BlockManager], manager, new ObservedFetches(manager.blockStoreClient), "blockStoreClient")
  }
}
