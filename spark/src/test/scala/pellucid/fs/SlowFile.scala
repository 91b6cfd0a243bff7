package pellucid.fs

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, FSDataInputStream}

/** A file of a slow disk: 64 KB take a millisecond, and are all that a read in sequence returns. From `broken` on it cannot be read. */
final class SlowFile(bytes: Array[Byte], broken: Int = Int.MaxValue) extends BytesFile(bytes) {
  import SlowFile._

  override def read(b: Array[Byte], off: Int, len: Int): Int =
    if (at >= bytes.length) -1
    else {
      begins(at.toLong)
      Thread.sleep(1)
      if (at >= broken) throw new IOException(s"cannot be read at $at")
      val n = Math.min(Math.min(len, 64 << 10), Math.min(bytes.length, broken) - at)
      System.arraycopy(bytes, at, b, off, n)
      at += n
      counted(n)
    }

  /** Beside what another thread reads. */
  override def read(position: Long, b: Array[Byte], off: Int, len: Int): Int =
    if (position >= bytes.length) -1
    else {
      begins(position)
      Thread.sleep(1L + (len >> 16))
      if (position >= broken) throw new IOException(s"cannot be read at $position")
      val n = Math.min(len, Math.min(bytes.length, broken) - position.toInt)
      System.arraycopy(bytes, position.toInt, b, off, n)
      counted(n)
    }
}

object SlowFile {
  private lazy val files = FileSystem.getLocal(new Configuration).getRaw
  private lazy val statistics = InputAhead.statisticsOf(files)

  private val begun = new AtomicLong

  /** Where reads have begun of the file that was opened last, bytes. */
  def begunTo: Long = begun.get
  private def begins(at: Long): Unit = { begun.accumulateAndGet(at + 1, math.max); () }

  /** What Hadoop has counted of this thread. */
  def bytesRead: Long = statistics.getThreadStatistics.getBytesRead

  /** It counts checksums, too. */
  def withChecksums(bytes: Int): Long = bytes + bytes / 128L
  private def counted(bytes: Int): Int = { statistics.incrementBytesRead(withChecksums(bytes)); bytes }

  /** As the current task reads its part of it from a disk, or elsewhere. */
  def open(
      bytes: Array[Byte],
      start: Long,
      end: Long,
      broken: Int = Int.MaxValue,
      exact: Boolean = false,
      place: String = "disk:slow"
  ): FSDataInputStream = {
    begun.set(0)
    ObservedInput.of(
      new FSDataInputStream(new SlowFile(bytes, broken)),
      new Source(place, None, _ => place, (_, _) => Option.when(exact)(place), Some(files)),
      Some(Split(start, end))
    )
  }
}
