package pellucid.monotask

import java.io.{File, IOException}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.READ
import java.util.concurrent.{ConcurrentHashMap, LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.apache.spark.network.buffer.FileSegmentManagedBuffer
import org.apache.spark.storage.{BlockId, ShuffleDataBlockId, UnrecognizedBlockId}

import pellucid.observe.{CpuClock, Daemons, PageCache, Requests, Served, WallClock}
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** Shuffle blocks that other executors ask for: what the page cache does not have of them is read into it, as monotasks of the disk that has it (thesis
  * section 5.3.2), and sent from there. Each disk has as many threads for it as slots, the other requests wait for one of these.
  *
  * @param diskOf a file; None where that is not known
  * @param read into the buffer what the file has at a position; returns how many bytes
  */
final class Serving private[monotask] (
    resources: Resources,
    diskOf: File => Option[String],
    read: (FileChannel, ByteBuffer, Long) => Int = _.read(_, _)
) {
  import Serving._
  private val readers = new ConcurrentHashMap[String, ThreadPoolExecutor]
  private val begun = new AtomicLong

  /** Calls `answer`, once, when the first blocks of one request are there, or are not to be had so: then they are sent as in stock Spark.
    *
    * @param isWanted whether who asked still waits for them
    */
  def readBefore(blocks: Seq[FileSegmentManagedBuffer], isWanted: () => Boolean)(answer: => Unit): Unit = {
    val parts = guard(blocks.groupBy(block => diskOf(block.getFile)).collect { case (Some(disk), of) => (disk, of) })
    val left = new AtomicInteger(parts.fold(0)(_.size) + 1)
    def done(): Unit = if (left.decrementAndGet() == 0) answer
    for ((disk, of) <- parts.getOrElse(Map.empty)) {
      val part = new Part(disk, of, isWanted, () => done())
      if (guard(readersOf(disk).execute(part)).isEmpty) done()
    }
    done()
  }

  private def readersOf(disk: String) = readers.computeIfAbsent(
    disk,
    { disk =>
      val slots = resources.of(disk, Phase).slots
      val pool =
        new ThreadPoolExecutor(
          slots,
          slots,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue,
          new Daemons("pellucid-serving")
        )
      pool.allowCoreThreadTimeOut(true)
      pool
    }
  )

  /** A request's blocks on one disk. */
  private final class Part(
      disk: String,
      blocks: Seq[FileSegmentManagedBuffer],
      isWanted: () => Boolean,
      done: () => Unit
  ) extends Runnable {
    private val asked = System.nanoTime()
    private val number = begun.getAndIncrement()
    private val gate = resources.of(disk, Phase)
    private var hasTurn, hasBegun = false
    private var moved = 0 // from the disk, in this turn
    private var cached = Few // what the page cache had since something came from the disk: at first it may have all
    private var left = MostBytes
    private var waited = 0L // for a thread, by its first turn
    private var came, began, cpu = 0L // of this turn
    private var file: File = _
    private var mark = 0L // how long it was blocked when that was last looked at

    override def run(): Unit =
      try { guard(readAll()); () }
      finally begins()

    /** The rest is read while the first of it is sent. */
    private def begins(): Unit = if (!hasBegun) { hasBegun = true; done() }

    private def isWorthIt = left > 0 && System.nanoTime() - asked < MostNanos && isWanted()

    /** Blocks of a few KB may be in the page cache between others that are not. */
    private def isOnDisk = cached < Few

    /** Has no turn as long as the page cache has what is read. */
    private def goesOn = {
      if (hasTurn && (!isOnDisk || moved >= Requests.Monotask)) leave()
      if (!hasTurn && isOnDisk && isWorthIt) enter()
      isWorthIt
    }

    private def readAll(): Unit = {
      waited = System.nanoTime() - asked
      mark = PageCache.blockedNanos()
      try blocks.iterator.takeWhile(_ => goesOn).foreach(readBlock)
      finally if (hasTurn) leave()
    }

    /** Who sends a block that cannot be read finds the same, and says so. */
    private def readBlock(block: FileSegmentManagedBuffer): Unit =
      try {
        file = block.getFile
        val in = FileChannel.open(file.toPath, READ)
        try {
          var at = block.getOffset
          val end = at + block.getLength
          while (at < end && goesOn) {
            val n = readPiece(in, at, math.min(end - at, left))
            if (n > 0) { at += n; left -= n }
            else at = end
            if (left <= MostBytes - First) begins()
          }
        } finally in.close()
      } catch { case _: IOException => () }

    private def readPiece(in: FileChannel, at: Long, most: Long): Int = {
      val into = buffer.get.clear().limit(math.min(most, if (hasTurn) Most else Few).toInt)
      val before = System.nanoTime()
      val n = read(in, into, at)
      if (n > 0) {
        if (wasCached(math.max(n, Few), System.nanoTime() - before)) cached += n
        else {
          cached = 0
          if (hasTurn) moved += n
        }
      }
      n
    }

    private def wasCached(bytes: Int, nanos: Long) = PageCache.had(bytes, nanos) || {
      val since = mark
      mark = PageCache.blockedNanos() // which takes longer than most reads
      PageCache.had(bytes, mark - since)
    }

    /** This thread is nobody's to interrupt. */
    private def enter(): Unit = {
      came = System.nanoTime()
      hasTurn = gate.enter(new Turn(number, Phase))
      moved = 0
      began = System.nanoTime()
      cpu = CpuClock.nanos()
      mark = PageCache.blockedNanos()
    }

    private def leave(): Unit = {
      val (ended, cpuEnded) = (System.nanoTime(), CpuClock.nanos())
      hasTurn = false
      gate.leave()
      if (moved > 0) Served.read(Served.One(
        gate.resource,
        mapTask(file),
        moved,
        WallClock.micros(came - waited),
        (began - came + waited) / 1000,
        (ended - began) / 1000,
        (cpuEnded - cpu) / 1000
      ))
      waited = 0
    }
  }
}

private object Serving {
  private val guard = new Guard("reading shuffle files as monotasks before they are sent")
  private final val Phase = MonotaskPhase.ShuffleServe

  /** What is read at once, with and without a turn. */
  private final val Most = 1 << 20
  private final val Few = 64 << 10

  /** Of a request: what is there before it is answered, and what is read in all. Of larger blocks the rest is read as it is sent. */
  private final val First = 1L << 20
  private final val MostBytes = 2L * Requests.Monotask

  /** Who asked is answered after that: a connection on which nothing comes for two minutes is given up (`spark.network.timeout`). */
  private final val MostNanos = 10000000000L

  /** Its number is in the name of the file that it wrote. */
  private def mapTask(file: File): Option[Long] =
    try Some(BlockId(file.getName)).collect { case ShuffleDataBlockId(_, task, _) => task }
    catch { case _: UnrecognizedBlockId => None }
  private val buffer = ThreadLocal.withInitial[ByteBuffer](() => ByteBuffer.allocateDirect(Most))
}
