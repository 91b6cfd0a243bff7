package org.apache.spark.pellucid

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkEnv
import org.apache.spark.network.buffer.FileSegmentManagedBuffer
import org.apache.spark.network.client.{RpcResponseCallback, StreamCallbackWithID, TransportClient}
import org.apache.spark.network.netty.NettyBlockTransferService
import org.apache.spark.network.server.{RpcHandler, StreamManager, TransportServer}
import org.apache.spark.network.server.RpcHandler.MergedBlockMetaReqHandler

import pellucid.monotask.Serving
import pellucid.plugin.Guard

/** In front of Spark's own server of blocks, which does all the work: who asks for blocks of shuffle files gets the answer, upon which they come for them one by
  * one, when the first of these have been read. No thread of Spark's waits for that.
  */
private[pellucid] final class ScheduledServing(stock: RpcHandler, serving: Serving) extends RpcHandler {
  import ScheduledServing._

  override def receive(client: TransportClient, message: ByteBuffer, answer: RpcResponseCallback): Unit = {
    val files = ArrayBuffer.empty[FileSegmentManagedBuffer]
    asked.set(files)
    try stock.receive(
        client,
        message,
        new RpcResponseCallback {
          override def onSuccess(response: ByteBuffer): Unit =
            if (files.isEmpty) answer.onSuccess(response)
            else serving.readBefore(files.toSeq, () => client.isActive)(answer.onSuccess(response))
          override def onFailure(e: Throwable): Unit = answer.onFailure(e)
        }
      )
    finally asked.remove()
  }

  override def receive(client: TransportClient, message: ByteBuffer): Unit = stock.receive(client, message)
  override def receiveStream(
      client: TransportClient,
      header: ByteBuffer,
      answer: RpcResponseCallback
  ): StreamCallbackWithID = stock.receiveStream(client, header, answer)
  override def getStreamManager(): StreamManager = stock.getStreamManager()
  override def getMergedBlockMetaReqHandler(): MergedBlockMetaReqHandler = stock.getMergedBlockMetaReqHandler()
  override def channelActive(client: TransportClient): Unit = stock.channelActive(client)
  override def channelInactive(client: TransportClient): Unit = stock.channelInactive(client)
  override def exceptionCaught(cause: Throwable, client: TransportClient): Unit = stock.exceptionCaught(cause, client)
}

object ScheduledServing {
  private val guard = new Guard("scheduling what is served of shuffle files")

  /** By the request that this thread serves. */
  private val asked = new ThreadLocal[ArrayBuffer[FileSegmentManagedBuffer]]
  private[pellucid] def asks(file: FileSegmentManagedBuffer): Unit = Option(asked.get).foreach(_ += file)

  /** Before the executor's first task, and so before others connect to it. */
  def install(serving: Serving): Unit = {
    guard {
      if (PassedOn.all(classOf[ScheduledServing], classOf[RpcHandler])) for {
        netty <- Some(SparkEnv.get.blockManager.blockTransferService).collect { case n: NettyBlockTransferService => n }
        server <- Option(Fields.get(classOf[NettyBlockTransferService], netty, "server"))
      } {
        val stock = Fields.get(classOf[TransportServer], server, "appRpcHandler").asInstanceOf[RpcHandler]
        Fields.replace(classOf[TransportServer], server, new ScheduledServing(stock, serving), "appRpcHandler")
      }
    }
    ()
  }
}
