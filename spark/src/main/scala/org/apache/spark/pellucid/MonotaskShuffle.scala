package org.apache.spark.pellucid

import org.apache.spark.{ShuffleDependency, SparkEnv, TaskContext}
import org.apache.spark.internal.config.{SHUFFLE_IO_PLUGIN_CLASS, SHUFFLE_SYNC}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.shuffle._
import org.apache.spark.shuffle.checksum.ShuffleChecksumSupport
import org.apache.spark.shuffle.sort.{BypassMergeSortShuffleHandle, SortShuffleManager}
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleMapOutputWriter
import org.apache.spark.storage.{BlockManagerId, ShuffleBlockId}

import pellucid.observe.TaskRecord
import pellucid.plugin.Guard

/** Spark's shuffle manager, but for the output of map tasks that Spark would write into a file per partition first: that of up to
  * `spark.shuffle.sort.bypassMergeThreshold` partitions. It is of the same class, by which Spark's SQL tells whether to copy rows.
  */
private[pellucid] final class MonotaskShuffle(env: SparkEnv, stock: SortShuffleManager)
    extends SortShuffleManager(env.conf)
    with ShuffleChecksumSupport {
  private val disks = new LocalDisks(env)

  /** Without the clock around each stream that the executor's has: what is measured is the file. */
  private val serializers = new SerializerManager(env.serializer, env.conf, env.securityManager.getIOEncryptionKey())
  override val shuffleBlockResolver: IndexShuffleBlockResolver = stock.shuffleBlockResolver

  override def registerShuffle[K, V, C](shuffleId: Int, dependency: ShuffleDependency[K, V, C]): ShuffleHandle =
    stock.registerShuffle(shuffleId, dependency)
  override def getReader[K, C](
      handle: ShuffleHandle,
      startMapIndex: Int,
      endMapIndex: Int,
      startPartition: Int,
      endPartition: Int,
      context: TaskContext,
      metrics: ShuffleReadMetricsReporter
  ): ShuffleReader[K, C] =
    stock.getReader(handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics)
  override def unregisterShuffle(shuffleId: Int): Boolean = stock.unregisterShuffle(shuffleId)
  override def stop(): Unit = stock.stop()

  override def getWriter[K, V](
      handle: ShuffleHandle,
      mapId: Long,
      context: TaskContext,
      metrics: ShuffleWriteMetricsReporter
  ): ShuffleWriter[K, V] = {
    val writer = stock.getWriter[K, V](handle, mapId, context, metrics) // which notes whose files go with the shuffle
    handle match {
      case bypass: BypassMergeSortShuffleHandle[K @unchecked, V @unchecked] =>
        MonotaskShuffle.guard(writerOf(bypass.dependency, mapId, context, metrics)).flatten.getOrElse(writer)
      case _ => writer
    }
  }

  private def writerOf[K, V](
      dependency: ShuffleDependency[K, V, V],
      mapId: Long,
      context: TaskContext,
      metrics: ShuffleWriteMetricsReporter
  ): Option[ShuffleWriter[K, V]] =
    for {
      record <- Option(TaskRecord.current)
      task <- record.multitask
      if MapOutput.hasRoom(context, task)
    } yield {
      val partitions = dependency.partitioner.numPartitions
      val id = dependency.shuffleId
      val checksums = createPartitionChecksums(partitions, env.conf)
      val rows = RowChecksums.of(dependency)
      val writer = new MonotaskShuffleWriter(
        dependency,
        new MapOutput(partitions, checksums, context, record, task, env.blockManager.diskBlockManager, disks),
        new LocalDiskShuffleMapOutputWriter(id, mapId, partitions, shuffleBlockResolver, env.conf),
        disks.of(ShuffleBlockId(id, mapId, 0)),
        () => getChecksumValues(checksums),
        rows,
        serializers,
        metrics,
        lengths => MapStatuses.of(env.blockManager.shuffleServerId, lengths, mapId, rows.fold(0L)(_.value))
      )
      context.addTaskCompletionListener[Unit] { (_: TaskContext) =>
        writer.stop(success = false); ()
      } // after an error too
      writer
    }
}

object MonotaskShuffle {
  private val guard = new Guard("writing map output as monotasks")

  /** Before the executor's first map task; after its shuffle manager is there, which is after its plugins. Another shuffle manager
    * than Spark's own, one with other files and one that waits for its files to be on disk stay.
    */
  def install(): Unit = {
    guard {
      val env = SparkEnv.get
      env.shuffleManager match {
        case stock: SortShuffleManager
            if stock.getClass == classOf[SortShuffleManager] &&
              env.conf.get(SHUFFLE_IO_PLUGIN_CLASS) == SHUFFLE_IO_PLUGIN_CLASS.defaultValue.get &&
              !env.conf.get(SHUFFLE_SYNC) =>
          MapStatuses.check()
          TaskMemory.isPlenty // what is not there in this version is noticed here
          val ours = new MonotaskShuffle(env, stock)
          // the latter since Spark 4.3
          Fields.replace(classOf[SparkEnv], env, ours, "_shuffleManager", "_blockingShuffleManager")
        case _ =>
      }
    }
    ()
  }
}

/** `MapStatus.apply`, which has one parameter more since Spark 4.1. */
private object MapStatuses {
  private lazy val make =
    MapStatus.getClass.getMethods.filter(m =>
      m.getName == "apply" && (m.getParameterCount == 3 || m.getParameterCount == 4)
    ).head

  def check(): Unit = { make; () }

  def of(at: BlockManagerId, lengths: Array[Long], mapId: Long, rowChecksum: Long): MapStatus = {
    val arguments = Seq[AnyRef](at, lengths, Long.box(mapId), Long.box(rowChecksum)).take(make.getParameterCount)
    make.invoke(MapStatus, arguments: _*).asInstanceOf[MapStatus]
  }
}
