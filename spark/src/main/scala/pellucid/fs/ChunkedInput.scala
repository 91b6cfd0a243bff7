package pellucid.fs

import java.io.{FileDescriptor, InterruptedIOException, IOException}
import java.nio.ByteBuffer
import java.util.EnumSet

import scala.util.Try

import org.apache.hadoop.fs.{FSDataInputStream, ReadOption}
import org.apache.hadoop.io.ByteBufferPool
import org.apache.spark.pellucid.TaskMemory

import pellucid.monotask.{Arrays, Resources}
import pellucid.observe.{PageCache, Requests, TaskRecord}
import pellucid.plugin.Interrupted
import pellucid.sched.MonotaskPhase

/** Input whose split a task reads from its start to its end (lines of text, say): a chunk of it is read into memory by one monotask,
  * and the task's many small reads are served from there (thesis section 5.3.2). Chunks bound how long one task keeps a disk from the
  * others, and the memory that it takes; where there is none to spare the file is read as stock Spark does.
  *
  * What is hardly waited for is in the page cache: then the next [[Requests.Monotask]] bytes are read as
  * stock Spark does too, unless one of those reads is slow.
  */
private final class ChunkedInput(
    stock: FSDataInputStream,
    record: TaskRecord,
    source: Source,
    split: Split,
    whole: Option[WholeInput.Whole],
    memory: TaskMemory
) extends TimedInput(stock, record, source) {
  import ChunkedInput._
  private var chunk = Array.emptyByteArray
  private var at, until = 0 // of `chunk`, what is not read yet
  private var filledBy: Thread = _

  /** How many bytes are read without a chunk before the next one, and how large that is at most: small at first, so that the task soon computes. */
  private var direct = 0L
  private var next = First

  /** The last chunk was read by position; the datanode was told not to read ahead, or what the task wants. */
  private var byPosition, asks, asksForTask = false

  /** What another thread reads, or has read: the first chunk, before the file was opened, and then the one that follows this one. */
  private var ahead: Option[InputAhead] =
    record.multitask.flatMap(_.opens()).collect { case input: EarlyInput => input }

  /** The last seek went to the split's start: what follows is read in sequence. */
  private var sequential = split.start == 0

  override def read(): Int = if (at < until || fill()) { at += 1; chunk(at - 1) & 0xff }
  else { direct -= 1; super.read() }

  override def read(b: Array[Byte], off: Int, len: Int): Int =
    if (len > 0 && (at < until || fill())) {
      val n = math.min(len, until - at)
      System.arraycopy(chunk, at, b, off, n)
      at += n
      if (n < len && full) n + rest(b, off + n, len - n) else n
    } else directly(super.read(b, off, len))

  /** Local files fill what they are asked to fill, up to their end; an error is for the next read, of the same bytes, to tell. */
  private def full = Resources.isDisk(source.name)
  private def rest(b: Array[Byte], off: Int, len: Int): Int = {
    val here = getPos
    try math.max(0, read(b, off, len))
    catch { case _: IOException => seek(here); 0 }
  }

  override def read(buf: ByteBuffer): Int =
    if (buffers && buf.hasRemaining && (at < until || fill())) {
      val n = math.min(buf.remaining, until - at)
      buf.put(chunk, at, n)
      at += n
      n
    } else directly(super.read(buf))

  private def directly(read: => Int): Int =
    if (direct <= 0) read
    else {
      val began = System.nanoTime()
      val n = read
      direct = if (System.nanoTime() - began > SlowNanos) 0 else direct - n
      n
    }

  /** Whether there is something in the chunk now. The stock stream stands behind the chunk. Where a chunk cannot be read, what can be
    * is read, and the error told, as in stock Spark.
    */
  private def fill(): Boolean = {
    forget()
    val fills = sequential && direct <= 0 && (takeAhead(super.getPos) || fillFrom(super.getPos))
    if (fills && direct <= 0) readAhead(super.getPos)
    fills
  }

  private def takeAhead(from: Long): Boolean = ahead.exists { input =>
    val is = InputAhead.guard(input.isAt(from, stock)).contains(true)
    if (is) ahead = None else dropAhead()
    is && take(from, input)
  }

  private def take(from: Long, input: InputAhead): Boolean = {
    val taken =
      try input.take(record)
      catch {
        case e: InterruptedException => Interrupted.again(); throw new InterruptedIOException(e.toString)
      }
    taken.foreach { it =>
      drop()
      filledBy = Thread.currentThread
      chunk = it.chunk
      stock.seek(from + it.bytes)
      until = it.bytes
      byPosition = true
      goesOn(split.end - from >= Requests.Large && it.wasCached)
    }
    taken.nonEmpty
  }

  /** What was read before the file was opened another stream of the task may still take. */
  private def dropAhead(): Unit = {
    for (task <- record.multitask; input <- ahead if input.isOf(stock)) task.drops(input)
    ahead = None
  }

  private def fillFrom(from: Long): Boolean = {
    val left = split.end - from
    val exact = if (left >= Requests.Large || byPosition)
      Try(source.exact(from, left >= Requests.Large)).getOrElse(None)
    else None
    byPosition = exact.isDefined
    val wanted = chunkOf(left, byPosition)
    val size = if (wanted > 0) room(wanted) else 0
    val enough = math.min(wanted, Requests.Large)
    if (size < enough) { drop(); direct = Requests.Monotask }
    size > 0 && size >= enough && {
      try
        measured(size, from, exact.map(name => () => name).orElse(source.last)) {
          val follows = left >= Requests.Large
          val began = if (follows) PageCache.blockedNanos() else 0
          if (exact.isEmpty) readOn(size)
          else {
            noReadahead()
            until = math.max(0, stock.read(from, chunk, 0, size))
            stock.seek(from + until)
          }
          goesOn(follows && PageCache.had(until, PageCache.blockedNanos() - began))
          if (until > 0) until else -1
        }
      catch { case _: IOException => forget(); asStock(); stock.seek(from) }
      until > 0
    }
  }

  /** A chunk is there. */
  private def goesOn(cached: Boolean): Unit = {
    direct = if (cached) Requests.Monotask else 0
    next = if (cached) First else math.min(4 * next, Requests.Monotask)
  }

  /** While the task computes on this chunk another thread reads the next one, where nobody else would use the disk meanwhile. */
  private def readAhead(from: Long): Unit = {
    val left = split.end - from
    if (left >= Requests.Large)
      ahead = InputAhead.guard {
        for {
          task <- record.multitask
          fs <- source.fs
          disk = resource(from)
          if Resources.isDisk(disk) && task.mayGoAhead(disk, MonotaskPhase.InputRead)
          path = Try(source.exact(from, true)).toOption.flatten.getOrElse(source.name)
          input = { noReadahead(); new InputAhead(task, stock, fs, from, sizeAhead(from), disk, path) }
          if input.begin()
        } yield input
      }.flatten
  }

  /** To where the stock stream has nothing to read anew: one that checks sums, as those of local files, goes back to where one begins, and fills its buffer. */
  private def sizeAhead(from: Long): Int = {
    val size = chunkOf(split.end - from, positioned = true)
    size - ((from + size) % Buffer).toInt
  }

  /** How large the next chunk is where so much is left of the split, 0 for none. While the cores have other tasks' work, as large as may be,
    * as each request costs CPU time, unless much could be in the page cache; otherwise half of what is left, while that is not little,
    * since what computes on the last chunk has nothing to read beside it; and less on a flash drive that nobody else uses, since what computes waits for the
    * whole chunk. Read by position, also what the split's last record has beyond its end.
    */
  private def chunkOf(left: Long, positioned: Boolean): Int = {
    val last = if (positioned) math.max(LastRecord, -left) else 0L
    def whole = math.max(left, 0) + last
    val size =
      if (left < Requests.Large || coreIsWanted && (next > First || left <= Requests.Monotask))
        math.min(whole, Requests.Monotask)
      else {
        val most = if (positioned && isAlone(split.end - left)) math.min(next, MostAlone) else next
        math.min(if (left > 2 * LeastLast) left / 2 else whole, most)
      }
    size.toInt
  }

  private def coreIsWanted = record.multitask.exists(_.coreIsWanted)

  /** No other task waits for a core, nor for the disk, which serves several at once. */
  private def isAlone(from: Long) = {
    val disk = resource(from)
    record.multitask.exists(task => task.mayGoAhead(disk, MonotaskPhase.InputRead) && task.servesSeveral(disk))
  }

  /** A datanode reads megabytes more than it is asked for, of what may be another machine's part: chunks ask it not to. */
  private def noReadahead(): Unit = if (!asks) { asks = true; readahead(0L) }
  private def readahead(bytes: java.lang.Long): Unit =
    try super.setReadahead(bytes)
    catch { case _: UnsupportedOperationException | _: IOException => () }

  /** What the task wants to have read ahead is its own affair. */
  override def setReadahead(bytes: java.lang.Long): Unit = {
    super.setReadahead(bytes); asks = true; asksForTask = true
  }

  private def readOn(size: Int): Unit = {
    var n = 0
    while (n >= 0 && until < size) { n = stock.read(chunk, until, size - until); if (n > 0) until += n }
  }

  /** How much of `size` the chunk can take. */
  private def room(size: Int): Int = {
    if (chunk.length < size) {
      drop()
      chunk = memory.array(size)
    }
    filledBy = Thread.currentThread
    math.min(size, chunk.length)
  }

  /** Where another thread closes the stream, the one that reads may still fill the chunk: it is for nobody else. */
  private def drop(): Unit = {
    memory.release(chunk.length.toLong)
    if (filledBy eq Thread.currentThread) Arrays.put(chunk)
    chunk = Array.emptyByteArray
    forget()
  }

  /** The stock stream goes on from behind the chunk, or elsewhere. */
  private def forget(): Unit = { at = 0; until = 0 }

  /** The stock stream to where this one stands, and no more chunks until a seek to the split's start. */
  override def leave(): Unit = {
    val position = getPos
    asStock()
    if (at < until) stock.seek(position)
    drop()
  }

  private def asStock(): Unit = {
    sequential = false
    dropAhead()
    if (asks && !asksForTask) { asks = false; readahead(null) }
  }

  override def getPos: Long = super.getPos - (until - at)
  override def seek(position: Long): Unit = {
    val back = super.getPos - position
    if (back >= 0 && back <= until) {
      if (until == 0) super.seek(position) // to where it is, which one that is closed refuses
      at = until - back.toInt
    } else {
      super.seek(position)
      forget()
      sequential = position == split.start
      if (!sequential && ahead.exists(_.isOf(stock))) dropAhead()
    }
  }
  override def skip(n: Long): Long =
    if (n <= 0) { leave(); super.skip(n) }
    else {
      val held = math.min(n, (until - at).toLong)
      at += held.toInt
      if (held == n) held else { forget(); held + super.skip(n - held) }
    }
  override def available(): Int = math.min((until - at).toLong + super.available(), Int.MaxValue.toLong).toInt

  override def read(pool: ByteBufferPool, most: Int, options: EnumSet[ReadOption]): ByteBuffer = {
    leave(); super.read(pool, most, options)
  }
  override def seekToNewSource(position: Long): Boolean = { leave(); super.seekToNewSource(position) }
  override def mark(limit: Int): Unit = { leave(); super.mark(limit) }
  override def reset(): Unit = { leave(); super.reset() }
  override def getFileDescriptor: FileDescriptor = { leave(); super.getFileDescriptor }
  override def unbuffer(): Unit = { leave(); super.unbuffer() }
  override def close(): Unit = {
    if (!sequential) whole.foreach(_.saw(delivered))
    drop()
    dropAhead()
    sequential = false
    super.close()
  }
}

private object ChunkedInput {
  private final val First = 1 << 20
  private final val LeastLast = 2L << 20
  private final val MostAlone = 2 << 20
  private final val LastRecord = 64L << 10

  /** Of Hadoop's streams as Spark sets it (`io.file.buffer.size`). */
  private final val Buffer = 64 << 10

  private final val SlowNanos = 2000000L

  /** What is read of a split of so many bytes, by position, before its task comes to it, and how much of that at once where it has so much already. */
  def early(split: Long): Int = math.min(split + LastRecord, Requests.Monotask).toInt
  def after(bytes: Int): Int = if (bytes < First) First else 4 * First
}
