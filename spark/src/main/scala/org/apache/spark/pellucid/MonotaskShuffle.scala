package org.apache.spark.pellucid

import org.apache.spark.{ShuffleDependency, SparkConf, SparkEnv, TaskContext}
import org.apache.spark.internal.config.{SHUFFLE_IO_PLUGIN_CLASS, SHUFFLE_SYNC, SHUFFLE_USE_OLD_FETCH_PROTOCOL}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.shuffle._
import org.apache.spark.shuffle.IndexShuffleBlockResolver.NOOP_REDUCE_ID
import org.apache.spark.shuffle.checksum.ShuffleChecksumSupport
import org.apache.spark.shuffle.sort._
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleMapOutputWriter
import org.apache.spark.storage.{BlockManager, BlockManagerId, KeptMapOutput, ShuffleDataBlockId}

import pellucid.monotask.Multitask
import pellucid.observe.TaskRecord
import pellucid.plugin.Guard

/** Spark's shuffle manager, but for the output of map tasks, which is gathered in memory before it is written: what Spark would write into a file per partition
  * first (up to `spark.shuffle.sort.bypassMergeThreshold` of them), and what it sorts or combines as objects. Records that it sorts as bytes are in a file when they
  * are sorted. It is of the same class, by which Spark's SQL tells whether to copy rows.
  *
  * @param kept finds such output in memory, where it is kept while there is room
  */
private[pellucid] final class MonotaskShuffle(
    env: SparkEnv,
    stock: SortShuffleManager,
    kept: Option[KeptOutputResolver]
) extends SortShuffleManager(env.conf)
    with ShuffleChecksumSupport {
  private val disks = new LocalDisks(env)

  /** Without the clock around each stream that the executor's has: what is measured is the file. */
  private val serializers = new SerializerManager(env.serializer, env.conf, env.securityManager.getIOEncryptionKey())
  override val shuffleBlockResolver: IndexShuffleBlockResolver = kept.getOrElse(stock.shuffleBlockResolver)

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
  override def unregisterShuffle(shuffleId: Int): Boolean = {
    kept.foreach { found =>
      found.removeElsewhere(shuffleId)
      MonotaskShuffle.removing(found.kept.remove(shuffleId))
    }
    stock.unregisterShuffle(shuffleId)
  }
  override def stop(): Unit = { kept.foreach(_.kept.stop()); stock.stop() }

  override def getWriter[K, V](
      handle: ShuffleHandle,
      mapId: Long,
      context: TaskContext,
      metrics: ShuffleWriteMetricsReporter
  ): ShuffleWriter[K, V] = {
    val writer = stock.getWriter[K, V](handle, mapId, context, metrics) // which notes whose files go with the shuffle
    MonotaskShuffle.guard {
      for {
        record <- Option(TaskRecord.current)
        task <- record.multitask
        ours <- new Writers(mapId, context, metrics, record, task).of[K, V](handle)
      } yield ours
    }.flatten.getOrElse(writer)
  }

  /** Of one map task. */
  private final class Writers(
      mapId: Long,
      context: TaskContext,
      metrics: ShuffleWriteMetricsReporter,
      record: TaskRecord,
      task: Multitask
  ) {
    def of[K, V](handle: ShuffleHandle): Option[ShuffleWriter[K, V]] = handle match {
      case _: SerializedShuffleHandle[_, _] => None
      case bypass: BypassMergeSortShuffleHandle[K @unchecked, V @unchecked] =>
        Option.when(hasRoom)(unsorted(bypass.dependency))
      case base: BaseShuffleHandle[K @unchecked, V @unchecked, _] => Some(sorted(base))
      case _ => None
    }

    private def hasRoom = GatheredOutput.hasRoom(context, task)

    private def unsorted[K, V](dependency: ShuffleDependency[K, V, V]): ShuffleWriter[K, V] = {
      val partitions = dependency.partitioner.numPartitions
      val id = dependency.shuffleId
      val checksums = createPartitionChecksums(partitions, env.conf)
      val rows = RowChecksums.of(dependency)
      val writer = new MonotaskShuffleWriter(
        dependency,
        new MapOutput(partitions, checksums, context, record, task, env.blockManager.diskBlockManager, disks),
        bytes => (place(id, bytes), inFile(id, partitions)),
        keep(id),
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

    private def sorted[K, V, C](handle: BaseShuffleHandle[K, V, C]): ShuffleWriter[K, V] = {
      val (id, partitions) = (handle.shuffleId, handle.dependency.partitioner.numPartitions)
      val outputs = new SortedOutputs(
        MonotaskShuffle.guard(Option.when(hasRoom)(gathered(id, partitions))).flatten.getOrElse(inFile(id, partitions))
      )
      new SortShuffleWriter(handle, mapId, context, new UntimedWrites(metrics, record), outputs)
    }

    private def gathered(id: Int, partitions: Int) = {
      val output = new SortedMapOutput(
        id,
        mapId,
        partitions,
        shuffleBlockResolver,
        place(id, _),
        keep(id),
        metrics,
        context,
        record,
        task
      )
      context.addTaskCompletionListener[Unit]((_: TaskContext) => output.discard())
      record.gathers = true
      output
    }

    private def inFile(id: Int, partitions: Int) =
      new LocalDiskShuffleMapOutputWriter(id, mapId, partitions, shuffleBlockResolver, env.conf)

    /** The disk of the file, before that is asked for. */
    private def place(id: Int, bytes: Long) = {
      val output = ShuffleDataBlockId(id, mapId, NOOP_REDUCE_ID)
      kept.flatMap(found => MonotaskShuffle.placing(found.place(output, bytes, context)(task.loadOf)))
        .getOrElse(disks.ofName(output))
    }

    /** In memory, with the index on disk, by which Spark finds a block as if it were in its file. */
    private def keep(id: Int)(output: GatheredOutput, checksums: Array[Long]): Option[Array[Long]] =
      for {
        resolver <- kept
        size <- output.inMemory
        lengths = output.lengths
        if resolver.kept.keep(ShuffleDataBlockId(id, mapId, NOOP_REDUCE_ID), size) {
          resolver.writeMetadataFileAndCommit(id, mapId, lengths, checksums, null)
        }(output.content)
      } yield lengths
  }
}

object MonotaskShuffle {
  private val placing = new Guard("choosing disks for map output")
  private val keeping = new Guard("finding map output in memory")
  private val removing = new Guard("removing map output from memory")
  private val guard = new Guard("writing map output as monotasks")

  /** Before the executor's first map task; after its shuffle manager is there, which is after its plugins. Another shuffle manager
    * than Spark's own, one with other files, one whose files several attempts have and one that waits for its files to be on disk stay.
    */
  def install(): Option[KeptMapOutput] =
    guard {
      val env = SparkEnv.get
      env.shuffleManager match {
        case stock: SortShuffleManager
            if stock.getClass == classOf[SortShuffleManager] && writesFiles(env.conf) =>
          MapStatuses.check()
          // what is not there in this version is noticed here
          TaskMemory.spare(TaskContext.get().taskMemoryManager(), tasks = 1, parts = 1)
          val kept = KeptMapOutput.of(env).map(new KeptOutputResolver(env.conf, _, new LocalDisks(env)))
          val asked = kept.filter { resolver =>
            keeping {
              answerBy(env.blockManager, put(env, stock, kept))
              KeptMapOutput.isAsked(env, resolver)
            }.contains(true)
          }
          if (asked.isEmpty) {
            kept.foreach(_.kept.stop())
            put(env, stock, None)
          }
          asked.map(_.kept)
        case _ => None
      }
    }.flatten

  /** Spark's own files, each of one attempt only, of which nobody waits until they are on disk. */
  def writesFiles(conf: SparkConf): Boolean =
    conf.get(SHUFFLE_IO_PLUGIN_CLASS) == SHUFFLE_IO_PLUGIN_CLASS.defaultValue.get &&
      !conf.get(SHUFFLE_SYNC) && !conf.get(SHUFFLE_USE_OLD_FETCH_PROTOCOL)

  /** Others ask the block manager, which asks its shuffle manager, and since Spark 4.3 the resolver of that one. */
  private def answerBy(blocks: BlockManager, ours: MonotaskShuffle): Unit =
    if (Fields.has(classOf[BlockManager], "shuffleManager"))
      Fields.replace(classOf[BlockManager], blocks, ours, "shuffleManager")
    else Fields.replace(classOf[BlockManager], blocks, ours.shuffleBlockResolver, "shuffleBlockResolver")

  private def put(env: SparkEnv, stock: SortShuffleManager, kept: Option[KeptOutputResolver]) = {
    val ours = new MonotaskShuffle(env, stock, kept)
    // the latter since Spark 4.3
    Fields.replace(classOf[SparkEnv], env, ours, "_shuffleManager", "_blockingShuffleManager")
    ours
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
