package pellucid.fs

import java.io.{FileDescriptor, InputStream, InterruptedIOException}
import java.nio.ByteBuffer
import java.util.{EnumSet, List => JList}
import java.util.concurrent.{CancellationException, CompletableFuture, ExecutionException, TimeUnit, TimeoutException}
import java.util.function.{Consumer, IntFunction}

import scala.util.Try

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.statistics.{IOStatistics, IOStatisticsSource}
import org.apache.hadoop.io.ByteBufferPool

import pellucid.observe.{Kind, Requests, TaskRecord}
import pellucid.plugin.Interrupted
import pellucid.sched.MonotaskPhase

/** Passes every call on to `stock`, whose own answers say what it supports.
  *
  * Reads of a few bytes are measured only where they begin somewhere new and may have to wait for a disk's head: the clock would
  * cost more than the others do.
  */
private[fs] class TimedInput(stock: FSDataInputStream, record: TaskRecord, source: Source)
    extends InputStream
    with Seekable
    with PositionedReadable
    with ByteBufferReadable
    with ByteBufferPositionedReadable
    with HasFileDescriptor
    with CanSetReadahead
    with CanSetDropBehind
    with HasEnhancedByteBufferAccess
    with CanUnbuffer
    with StreamCapabilities
    with IOStatisticsSource {
  import TimedInput._

  private val requests = record.requests(Kind.Input, source.name)
  private var sought = true
  private var lastPath = source.name
  private var lastRequests = requests

  /** Not every file system fills a buffer. */
  protected final lazy val buffers: Boolean = stock.hasCapability(StreamCapabilities.READBYTEBUFFER)

  /** Bytes that were read here. */
  protected final var delivered = 0L

  /** A read at the stream's own place. */
  private def inSequence(size: Int)(read: => Int): Int =
    if (size < Smallest && !sought) read
    else {
      val elsewhere = sought
      sought = false
      measured(size, stock.getPos, source.last, elsewhere)(read)
    }

  /** @param elsewhere than what was read before */
  protected final def measured(
      size: Int,
      position: => Long,
      where: Option[() => String] = None,
      elsewhere: Boolean = false
  )(read: => Int): Int =
    record.monotask(size, resource(position), MonotaskPhase.InputRead, elsewhere)(timed(size, where)(read))

  protected final def resource(position: Long): String = Try(source.resource(position)).getOrElse(source.name)

  private def timed(size: Int, where: Option[() => String])(read: => Int): Int = {
    val cpu = requests.cpuBefore(size)
    val wall = System.nanoTime()
    var moved = 0
    try { moved = read; moved }
    finally {
      delivered += math.max(0, moved)
      ObservedInput.guard {
        val used = where.fold(requests) { name =>
          val now = name()
          if (now != lastPath) { lastPath = now; lastRequests = record.requests(Kind.Input, now) }
          lastRequests
        }
        used.ended(moved, wall, cpu)
      }
      ()
    }
  }

  /** The stock stream to where this one stands. */
  def leave(): Unit = ()

  override def read(): Int =
    if (!sought) stock.read()
    else {
      var one = -1
      inSequence(1) { one = stock.read(); if (one < 0) -1 else 1 }
      one
    }
  override def read(b: Array[Byte], off: Int, len: Int): Int = inSequence(len)(stock.read(b, off, len))
  override def read(buf: ByteBuffer): Int = inSequence(buf.remaining)(stock.read(buf))
  override def read(position: Long, b: Array[Byte], off: Int, len: Int): Int =
    measured(len, position, elsewhere = true)(stock.read(position, b, off, len))
  override def read(position: Long, buf: ByteBuffer): Int =
    measured(buf.remaining, position, elsewhere = true)(stock.read(position, buf))
  override def readFully(position: Long, b: Array[Byte], off: Int, len: Int): Unit = {
    measured(len, position, elsewhere = true) { stock.readFully(position, b, off, len); len }
    ()
  }
  override def readFully(position: Long, b: Array[Byte]): Unit = readFully(position, b, 0, b.length)
  override def readFully(position: Long, buf: ByteBuffer): Unit = {
    val size = buf.remaining
    measured(size, position, elsewhere = true) { stock.readFully(position, buf); size }
    ()
  }
  override def read(pool: ByteBufferPool, maxLength: Int, options: EnumSet[ReadOption]): ByteBuffer = {
    var buffer: ByteBuffer = null
    measured(maxLength, stock.getPos) {
      buffer = stock.read(pool, maxLength, options)
      if (buffer == null) -1 else buffer.remaining
    }
    buffer
  }
  override def releaseBuffer(buffer: ByteBuffer): Unit = stock.releaseBuffer(buffer)

  /** Reads may come later, by other threads: what counts is how long the task waits for each. */
  override def readVectored(ranges: JList[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit =
    vectored(ranges)(stock.readVectored(ranges, allocate))
  override def readVectored(
      ranges: JList[_ <: FileRange],
      allocate: IntFunction[ByteBuffer],
      release: Consumer[ByteBuffer]
  ): Unit = vectored(ranges)(stock.readVectored(ranges, allocate, release))

  private def vectored(ranges: JList[_ <: FileRange])(read: => Unit): Unit = {
    val total = math.min(ranges.stream.mapToLong(_.getLength.toLong).sum, Int.MaxValue.toLong).toInt
    record.monotask(total, resource(ranges.stream.mapToLong(_.getOffset).min.orElse(0)), MonotaskPhase.InputRead) {
      timed(Requests.Large, None) {
        read
        if (record.multitask.isDefined) arrived(ranges)
        0 // they are counted as they are used
      }
      delivered += total
      total
    }
    ObservedInput.guard(ranges.forEach { range =>
      if (range.getData != null) range.setData(new Awaited(range.getData, requests, range.getLength))
    })
    ()
  }

  /** Waits for all, no longer than Parquet would; who asks for one that failed, or has not come, learns why. */
  private def arrived(ranges: JList[_ <: FileRange]): Unit = {
    val until = System.nanoTime() + MostNanos
    ranges.forEach { range =>
      if (range.getData != null)
        try { range.getData.get(until - System.nanoTime(), TimeUnit.NANOSECONDS); () }
        catch {
          case _: ExecutionException | _: CancellationException | _: TimeoutException => ()
          case _: InterruptedException =>
            Interrupted.again()
            throw new InterruptedIOException("while ranges of a file were read")
        }
    }
  }

  override def minSeekForVectorReads(): Int = stock.minSeekForVectorReads()
  override def maxReadSizeForVectorReads(): Int = stock.maxReadSizeForVectorReads()

  override def seek(position: Long): Unit = { sought = true; stock.seek(position) }
  override def getPos: Long = stock.getPos
  override def seekToNewSource(position: Long): Boolean = stock.seekToNewSource(position)
  override def skip(n: Long): Long = stock.skip(n)
  override def available(): Int = stock.available()
  override def markSupported(): Boolean = stock.markSupported()
  override def mark(limit: Int): Unit = stock.mark(limit)
  override def reset(): Unit = stock.reset()
  override def getFileDescriptor: FileDescriptor = stock.getFileDescriptor
  override def setReadahead(readahead: java.lang.Long): Unit = stock.setReadahead(readahead)
  override def setDropBehind(dropCache: java.lang.Boolean): Unit = stock.setDropBehind(dropCache)
  override def unbuffer(): Unit = stock.unbuffer()
  override def hasCapability(capability: String): Boolean = stock.hasCapability(capability)
  override def getIOStatistics: IOStatistics = stock.getIOStatistics
  override def close(): Unit = stock.close()
  override def toString: String = stock.toString
}

private object TimedInput {
  private final val Smallest = 512
  private final val MostNanos = 300000000000L

  /** `stock`, with the time measured that is spent waiting for it. */
  private final class Awaited(stock: CompletableFuture[ByteBuffer], requests: Requests, length: Int)
      extends CompletableFuture[ByteBuffer] {
    stock.whenComplete { (data, error) =>
      if (error == null) complete(data) else completeExceptionally(error)
      ()
    }
    // a local file's reader completes what stands in the range, which is this
    whenComplete { (_, error) => requests.add(if (error == null) length.toLong else 0L, 0) }

    private def awaited[A](wait: => A): A = {
      val cpu = requests.cpuBefore(Requests.Large.toLong)
      val wall = System.nanoTime()
      try wait
      finally requests.ended(0, wall, cpu)
    }
    override def get(): ByteBuffer = awaited(super.get())
    override def get(timeout: Long, unit: TimeUnit): ByteBuffer = awaited(super.get(timeout, unit))
    override def join(): ByteBuffer = awaited(super.join())
    override def cancel(mayInterrupt: Boolean): Boolean = { stock.cancel(mayInterrupt); super.cancel(mayInterrupt) }
  }
}
