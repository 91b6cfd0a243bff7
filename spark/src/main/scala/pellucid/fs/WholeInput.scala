package pellucid.fs

import java.io.IOException
import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.function.{Consumer, IntFunction}

import scala.collection.mutable
import scala.util.Try

import org.apache.hadoop.fs.{FileRange, FSDataInputStream, PositionedReadable, StreamCapabilities}
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.pellucid.TaskMemory

import pellucid.monotask.Arrays
import pellucid.observe.{Requests, TaskRecord}

/** A short file of which a task reads one place after another until it has all (Parquet's footer, then its columns): read whole by one monotask when the
  * task first reads of it, where a disk's only head would go there, elsewhere for another task, and back. Without memory for it the file is read as
  * otherwise.
  *
  * The stock stream stands where this one does.
  */
private final class WholeInput(
    stock: FSDataInputStream,
    record: TaskRecord,
    source: Source,
    whole: WholeInput.Whole,
    memory: TaskMemory
) extends TimedInput(stock, record, source)
    with PositionedReadable {
  private val length = whole.length
  private var all = Array.emptyByteArray
  private var asked = false
  private lazy val buffersAt = stock.hasCapability(StreamCapabilities.PREADBYTEBUFFER)

  private def has: Boolean = {
    if (!asked) {
      asked = true
      all = memory.array(length)
      if (all.length < length) drop() else fetch()
    }
    all.nonEmpty
  }

  /** An error is for the read to tell that meets it. */
  private def fetch(): Unit = {
    var is = false
    try {
      val from = Try(source.exact(0, true)).getOrElse(None).map(name => () => name)
      is = measured(length, 0, from.orElse(source.last)) { stock.readFully(0, all, 0, length); length } == length
    } catch { case _: IOException => () }
    finally if (is) delivered -= length else drop() // of it what is served counts
  }

  private def drop(): Unit = synchronized {
    asked = true
    memory.release(all.length.toLong)
    Arrays.put(all)
    all = Array.emptyByteArray
  }

  /** `copy` gets to where in `all` the bytes are. False: they are to be read as otherwise. */
  private def serves(position: Long, bytes: Int)(copy: Int => Unit): Boolean = synchronized {
    val is = position >= 0 && bytes > 0 && position + bytes <= length && has
    if (is) { copy(position.toInt); delivered += bytes }
    is
  }

  private def left(position: Long, wanted: Int): Int = math.min(wanted.toLong, length - position).toInt

  /** What comes next. */
  private def next(wanted: Int)(copy: (Int, Int) => Unit)(otherwise: => Int): Int = {
    val here = stock.getPos
    val n = left(here, wanted)
    if (serves(here, n)(copy(_, n))) { stock.seek(here + n); n }
    else otherwise
  }

  private def at(position: Long, wanted: Int)(copy: (Int, Int) => Unit)(otherwise: => Int): Int = {
    val n = left(position, wanted)
    if (serves(position, n)(copy(_, n))) n else otherwise
  }

  override def read(): Int = {
    var one = -1
    if (next(1)((from, _) => one = all(from) & 0xff)(-1) > 0) one else super.read()
  }
  override def read(b: Array[Byte], off: Int, len: Int): Int =
    next(len)(System.arraycopy(all, _, b, off, _))(super.read(b, off, len))
  override def read(buf: ByteBuffer): Int =
    next(if (buffers) buf.remaining else 0)((from, n) => { buf.put(all, from, n); () })(super.read(buf))
  override def read(position: Long, b: Array[Byte], off: Int, len: Int): Int =
    at(position, len)(System.arraycopy(all, _, b, off, _))(super.read(position, b, off, len))
  override def read(position: Long, buf: ByteBuffer): Int =
    at(position, if (buffersAt) buf.remaining else 0)((from, n) => { buf.put(all, from, n); () })(
      super.read(position, buf)
    )
  override def readFully(position: Long, b: Array[Byte], off: Int, len: Int): Unit =
    if (!serves(position, len)(System.arraycopy(all, _, b, off, len))) super.readFully(position, b, off, len)
  override def readFully(position: Long, buf: ByteBuffer): Unit =
    if (!buffersAt || !serves(position, buf.remaining) { from => buf.put(all, from, buf.remaining); () })
      super.readFully(position, buf)

  override def readVectored(ranges: JList[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit =
    if (covers(ranges)) super[PositionedReadable].readVectored(ranges, allocate)
    else super[TimedInput].readVectored(ranges, allocate)
  override def readVectored(
      ranges: JList[_ <: FileRange],
      allocate: IntFunction[ByteBuffer],
      release: Consumer[ByteBuffer]
  ): Unit =
    if (covers(ranges)) super[PositionedReadable].readVectored(ranges, allocate, release)
    else super[TimedInput].readVectored(ranges, allocate, release)

  private def covers(ranges: JList[_ <: FileRange]) = buffersAt && synchronized(has) &&
    ranges.stream.allMatch(range => range.getOffset >= 0 && range.getOffset + range.getLength <= length)

  override def unbuffer(): Unit = { drop(); super.unbuffer() }
  override def close(): Unit = {
    whole.saw(delivered)
    drop()
    super.close()
  }
}

private object WholeInput {

  /** Of a file that is all of its task's split, on a disk with one head. */
  def of(split: Split, source: Source, record: TaskRecord): Option[Whole] = for {
    task <- record.multitask
    if split.start == 0
    length <- source.length()
    if split.end >= length && length >= Requests.Large && length <= Requests.Monotask
    if Try(source.resource(0)).toOption.exists(task.hasOneHead)
  } yield new Whole(length.toInt, s"${SparkEnv.get.conf.getAppId} ${TaskContext.get().stageId()}")

  /** What is seen of how tasks read such a file. */
  final class Whole(val length: Int, stage: String) {

    /** Tasks of its stage have read whole files, each of them. */
    def isExpected: Boolean = stages.synchronized(stages.get(stage).contains(true))

    /** The first time that its stream is closed. */
    def saw(read: Long): Unit = stages.synchronized(if (!closed) {
      closed = true
      val isWhole = read >= length * Most && stages.getOrElse(stage, true)
      stages.remove(stage)
      stages(stage) = isWhole
      if (stages.size > Stages) stages.remove(stages.head._1)
    })
    private var closed = false
  }

  /** The newest last. */
  private val stages = mutable.LinkedHashMap.empty[String, Boolean]
  private final val Stages = 16
  private final val Most = 0.9
}
