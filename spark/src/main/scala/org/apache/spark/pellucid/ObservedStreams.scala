package org.apache.spark.pellucid

import java.io.{FileInputStream, FilterInputStream, InputStream, OutputStream}
import java.util.zip.CheckedInputStream

import scala.reflect.ClassTag

import org.apache.spark.SparkEnv
import org.apache.spark.internal.config.SHUFFLE_COMPRESS
import org.apache.spark.network.util.LimitedInputStream
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.storage._

import pellucid.observe.{Kind, MeasuredInput, MeasuredOutput, TaskRecord}
import pellucid.plugin.Guard

/** Every stream of a spill, a shuffle file or a persisted block passes through Spark's `SerializerManager`, which puts
  * compression around it. This one puts the clock between the two, so that what is measured is the file and not the codec.
  */
private[pellucid] final class ObservedStreams(env: SparkEnv)
    extends SerializerManager(env.serializer, env.conf, env.securityManager.getIOEncryptionKey()) {
  import ObservedStreams._

  private val disks = new LocalDisks(env)
  private val shuffleCompressed = env.conf.get(SHUFFLE_COMPRESS)

  override def wrapForCompression(blockId: BlockId, s: OutputStream): OutputStream =
    super.wrapForCompression(
      blockId,
      blockId match {
        case _: TempLocalBlockId => written(Kind.SpillWrite, blockId, s)
        case _: ShuffleBlockId if Option(TaskRecord.current).exists(_.gathers) => s
        case _: TempShuffleBlockId | _: ShuffleBlockId => written(Kind.ShuffleWrite, blockId, s)
        case _ => s
      }
    )

  override def wrapForCompression(blockId: BlockId, s: InputStream): InputStream =
    super.wrapForCompression(
      blockId,
      blockId match {
        case _: TempLocalBlockId | _: TempShuffleBlockId => read(Kind.SpillRead, blockId, s)
        // Spark tells by the stream's identity whether a shuffle block is compressed
        case _: ShuffleBlockId | _: ShuffleBlockBatchId if shuffleCompressed && fromFile(s) =>
          read(Kind.ShuffleRead, blockId, s)
        case _ => s
      }
    )

  /** Of blocks that go to disk; those for memory take another way. */
  override def dataSerializeStream[T: ClassTag](blockId: BlockId, s: OutputStream, values: Iterator[T]): Unit =
    super.dataSerializeStream(blockId, written(Kind.BlockWrite, blockId, s), values)

  override def dataDeserializeStream[T](blockId: BlockId, s: InputStream)(classTag: ClassTag[T]): Iterator[T] =
    super.dataDeserializeStream(
      blockId,
      if (s.getClass == classOf[FileInputStream]) read(Kind.BlockRead, blockId, s) else s
    )(
      classTag
    )

  private def written(kind: Kind, blockId: BlockId, s: OutputStream): OutputStream = {
    val record = TaskRecord.current
    if (record == null) s else guard(new MeasuredOutput(s, record.requests(kind, disks.of(blockId)))).getOrElse(s)
  }

  private def read(kind: Kind, blockId: BlockId, s: InputStream): InputStream = {
    val record = TaskRecord.current
    if (record == null) s else guard(new MeasuredInput(s, record.requests(kind, disks.of(blockId)))).getOrElse(s)
  }
}

object ObservedStreams {
  private val guard = new Guard("measuring spills and shuffle files")

  /** Before the executor's first task, with the class loader of its tasks as the thread's. */
  def install(): Unit = {
    val env = SparkEnv.get
    val ours = new ObservedStreams(env)
    ours.setDefaultClassLoader(Thread.currentThread.getContextClassLoader)
    Fields.replace(classOf[BlockManager], env.blockManager, ours, "serializerManager")
    Fields.replace(classOf[SparkEnv], env, ours, "serializerManager")
  }

  /** A shuffle block of this machine; the others have come through the network and are in memory. */
  private def fromFile(s: InputStream): Boolean = s match {
    case _: LimitedInputStream => true
    case checked: CheckedInputStream => guard(within.get(checked).isInstanceOf[LimitedInputStream]).contains(true)
    case _ => false
  }

  /** Spark opens java.io to all its executors (`JavaModuleOptions`). */
  private lazy val within = Fields.of(classOf[FilterInputStream], "in")
}
