package pellucid.cli

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.{FileStore, Files, Path, Paths}
import java.util.SplittableRandom
import java.util.concurrent.{Callable, ExecutionException, Executors}

import com.sun.nio.file.ExtendedOpenOption.DIRECT

import pellucid.disk.DiskMeasurement.{Moved, Places, atOnce}
import pellucid.disk.{DiskMeasurement, DiskProfile, RequestSizes}
import pellucid.text.{ProfileText, Text}

/** `pellucid profile-disk`. */
object ProfileDiskCommand {
  private final val LeastMegabytes = 256
  private final val MostMegabytes = 1 << 20

  /** Left free on the disk. */
  private final val SpareBytes = 64L << 20
  private val InMemory = Set("tmpfs", "ramfs")
  private final val PastTheCache = "cannot be written past the page cache (O_DIRECT)"
  private val MayCache = Set("zfs")

  def run(directory: String, to: Option[String], seconds: Double, megabytes: Int): Unit = {
    if (!(seconds > 0) || seconds > 3600) throw new Usage(s"--seconds $seconds: expected more than 0 and at most 3600")
    if (megabytes < LeastMegabytes || megabytes > MostMegabytes)
      throw new Usage(s"--megabytes $megabytes: expected $LeastMegabytes, twice the largest request, to $MostMegabytes")
    val folder = Paths.get(directory)
    if (!Files.isDirectory(folder)) throw new Usage(s"$directory: no such directory")
    val profileFile = to.map(new OutputFile("--to", _))
    val store = Files.getFileStore(folder)
    if (InMemory(store.`type`)) throw new Usage(s"$directory is on ${store.`type`}, which is memory, and no disk")
    if (MayCache(store.`type`))
      Console.err.println(
        s"pellucid: $directory is on ${store.`type`}, which may read from memory in spite of O_DIRECT"
      )
    val bytes = megabytes.toLong << 20
    if (store.getUsableSpace < bytes + SpareBytes)
      throw new Usage(
        s"$directory: ${Text.bytes(store.getUsableSpace)} are free, and a file of ${Text.bytes(bytes)} is wanted: see --megabytes"
      )
    val profile =
      try measure(folder, store, bytes, (seconds * 1e9).toLong)
      catch { case e: IOException => throw new Usage(s"$directory: ${UserFile.reason(e)}") }
    Console.print(Text.harmless(ProfileText.of(profile)))
    profileFile.foreach { file =>
      file.write(DiskProfile.write(profile))
      Console.println(s"\nThe profile is in $file")
    }
  }

  private def measure(folder: Path, store: FileStore, bytes: Long, nanos: Long): DiskProfile = {
    val channel = open(folder)
    val pool = Executors.newFixedThreadPool(DiskMeasurement.MostAtOnce)
    try {
      val block = store.getBlockSize
      val disk = new Disk(channel, bytes, block.toInt)
      progress(s"writing a file of ${Text.bytes(bytes)}")
      disk.fill()
      val sizes = RequestSizes.of(block)
      def all(writes: Boolean) = sizes.map { size =>
        progress(s"${if (writes) "writes" else "reads"} of ${size >> 10} KiB")
        moved(pool, disk, size, writes, nanos)
      }
      DiskMeasurement.profile(store.name, all(writes = false), all(writes = true))
    } finally {
      pool.shutdownNow()
      channel.close()
      progress("")
    }
  }

  /** A file that is gone from its folder at once, and from the disk when it is closed or this process ends, however it
    * ends.
    */
  private def open(folder: Path): FileChannel = {
    val path = folder.resolve(s".pellucid-profile-${ProcessHandle.current.pid}")
    try FileChannel.open(path, CREATE_NEW, READ, WRITE, DIRECT)
    catch {
      case e: UnsupportedOperationException => throw new Usage(s"$folder: $PastTheCache: ${e.getMessage}")
      // the kernel's word for a flag that a file system does not know
      case e: IOException if UserFile.reason(e).contains("Invalid argument") =>
        throw new Usage(s"$folder: $PastTheCache: ${UserFile.reason(e)}")
      case e: IOException => throw new Usage(s"$folder: no file can be made in it: ${UserFile.reason(e)}")
    } finally Files.deleteIfExists(path)
  }

  private def progress(what: String): Unit =
    if (Terminal.isThere) Console.err.print(s"\r\u001b[K$what")

  private def moved(
      pool: java.util.concurrent.ExecutorService,
      disk: Disk,
      requestBytes: Long,
      writes: Boolean,
      nanos: Long
  ): Moved = {
    val buffers = (0 until atOnce(requestBytes)).map(i => disk.buffer(requestBytes.toInt))
    val start = System.nanoTime
    val running = buffers.zipWithIndex.map { case (buffer, i) =>
      pool.submit(new Callable[Long] {
        def call(): Long = disk.move(buffer, writes, start + nanos, seed = i.toLong)
      })
    }
    val bytes =
      try running.map(_.get()).sum
      catch { case e: ExecutionException => throw e.getCause }
    if (writes) disk.flush()
    Moved(requestBytes, bytes, System.nanoTime - start)
  }

  /** @param block places, lengths and addresses are multiples of it */
  private final class Disk(channel: FileChannel, fileBytes: Long, block: Int) {

    /** Of bytes that no disk can make smaller. */
    def buffer(bytes: Int): ByteBuffer = {
      val out = ByteBuffer.allocateDirect(bytes + block - 1).alignedSlice(block).limit(bytes)
      renew(out, 8, new SplittableRandom)
      out
    }

    /** One word in so many bytes: what is written has not been written before, which some storage would notice. */
    private def renew(buffer: ByteBuffer, every: Int, random: SplittableRandom): Unit = {
      var i = 0
      while (i + 8 <= buffer.limit()) { buffer.putLong(i, random.nextLong()); i += every }
    }

    def fill(): Unit = {
      val chunk = buffer(1 << 23)
      val random = new SplittableRandom
      var at = 0L
      while (at < fileBytes) {
        renew(chunk, block, random)
        whole(chunk, at, writes = true)
        at += chunk.limit()
      }
      flush()
    }

    /** Requests one after another until the moment, one at least.
      * @return bytes
      */
    def move(buffer: ByteBuffer, writes: Boolean, untilNanos: Long, seed: Long): Long = {
      val places = new Places(fileBytes, buffer.limit().toLong, seed)
      val random = new SplittableRandom
      var bytes = 0L
      do {
        if (writes) renew(buffer, block, random)
        whole(buffer, places.next(), writes)
        bytes += buffer.limit()
      } while (System.nanoTime < untilNanos)
      bytes
    }

    def flush(): Unit = channel.force(false)

    private def whole(buffer: ByteBuffer, at: Long, writes: Boolean): Unit = {
      buffer.position(0)
      while (buffer.hasRemaining) {
        val place = at + buffer.position()
        val n = if (writes) channel.write(buffer, place) else channel.read(buffer, place)
        if (n <= 0) throw new IOException(s"nothing ${if (writes) "written" else "read"} at $place")
      }
    }
  }
}
