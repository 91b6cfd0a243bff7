package pellucid.cli

import java.io.{FilterInputStream, InputStream, IOException}
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import pellucid.log.EventLog

/** One application's log: its files in order. Of a compacted one the events of what had ended then are gone.
  *
  * @param wrong why these files are not all of it and nothing else
  */
final case class Source(
    name: String,
    files: Seq[Path],
    compacted: Boolean = false,
    wrong: Option[String] = None
) {
  private lazy val sizes = files.map(Source.size)
  def totalBytes: Long = sizes.sum

  /** Each file, and how many bytes there are in those before it. */
  def open: Iterator[(Long, () => InputStream)] =
    if (files.isEmpty) Iterator(0L -> (() => System.in))
    else sizes.scanLeft(0L)(_ + _).iterator.zip(files).map { case (before, f) =>
      before -> (() => Files.newInputStream(f))
    }
}

object Source {

  /** 0 where it is gone, or cannot be looked at: why is said when it is read. */
  private[cli] def size(file: Path): Long =
    try Files.size(file)
    catch { case _: IOException => 0 }
}

/** What LOG on the command line stands for. */
sealed trait Sources {
  def sources: Seq[Source]
}
final case class OneLog(source: Source) extends Sources {
  def sources: Seq[Source] = Seq(source)
}
final case class ManyLogs(directory: Path, sources: Seq[Source]) extends Sources

object Sources {

  /** @throws Usage where there is no such file, or a directory holds no log */
  def of(log: String): Sources =
    if (log == "-") OneLog(Source("standard input", Nil))
    else {
      val path = Paths.get(log)
      if (!Files.exists(path)) throw new Usage(s"$log: no such file or directory")
      if (!Files.isReadable(path)) throw new Usage(s"$log: cannot be read (permission)")
      if (!Files.isDirectory(path)) OneLog(single(path)) else in(path, log)
    }

  private def in(directory: Path, log: String): Sources = {
    val inside = entries(directory)
    val own = logsIn(directory, inside)
    val sources =
      if (own.nonEmpty) own
      else
        inside.flatMap { entry =>
          if (!Files.isDirectory(entry) || !Files.isReadable(entry)) Seq(single(entry))
          else logsIn(entry, entries(entry))
        }
    val read = sources.iterator.flatMap(_.files).map(directory.relativize(_).getName(0)).toSet
    def passedOver(entry: Path) =
      !read(entry.getFileName) && !Part.matches(entry.getFileName.toString) &&
        (Files.isDirectory(entry) || Source.size(entry) > 0)
    val others = inside.filter(passedOver).map(_.getFileName.toString)
    if (sources.nonEmpty && others.nonEmpty)
      Console.err.println(s"pellucid: $log: not looked into, beside what is read: ${some(others)}")
    sources match {
      case Seq() => throw new Usage(s"$log: a directory without event logs")
      case Seq(only) => OneLog(only)
      case several => ManyLogs(directory, several)
    }
  }

  private def some(names: Seq[String]) =
    names.take(5).mkString(", ") + (if (names.size > 5) s" and ${names.size - 5} more" else "")

  private def single(path: Path): Source = several(path.getFileName.toString, Seq(path))
  private def several(name: String, files: Seq[Path]): Source =
    Source(name, files, files.headOption.exists(isCompacted))

  private def isCompacted(file: Path) = EventLog.isCompacted(file.getFileName.toString)

  private def entries(directory: Path): Seq[Path] = {
    val stream = Files.list(directory)
    try stream.iterator.asScala.filterNot(p => ignored(p.getFileName.toString)).toVector.sortBy(_.getFileName.toString)
    finally stream.close()
  }

  private def ignored(name: String) = name.startsWith(".") || name.startsWith("_") || name.startsWith("appstatus_")

  /** The logs whose event files a directory has `inside`, each in its files' order: Spark's `events_N_APPLICATION` (of compacted ones the last replaces all before it),
    * its one `EVENT_LOG_N` before Spark 1.3, or Databricks' `eventlog-TIME…` followed by `eventlog`. Nothing, if the directory is no log.
    */
  private def logsIn(directory: Path, inside: Seq[Path]): Seq[Source] = {
    def name = directory.toAbsolutePath.normalize.getFileName.toString
    val files = inside.filter(Files.isRegularFile(_))
    val numbered = for {
      file <- files
      part <- Part.findFirstMatchIn(file.getFileName.toString)
      // what the history server has not compacted to the end stands beside its originals
      if !file.getFileName.toString.endsWith(".compact.inprogress")
    } yield (part.group(2), part.group(1).toLong, file)
    if (numbered.nonEmpty) {
      val logs = numbered.groupMap(_._1)(p => (p._2, p._3)).toSeq.sortBy(_._1)
      logs.map { case (application, parts) => rolling(if (logs.size == 1) name else application, parts.sortBy(_._1)) }
    } else {
      val databricks = files.filter(_.getFileName.toString.matches("eventlog(-\\d{4}-\\d\\d-\\d\\d.*)?|EVENT_LOG_\\d+"))
      val (last, dated) = databricks.partition(_.getFileName.toString == "eventlog")
      if (databricks.isEmpty) Nil else Seq(several(name, dated ++ last))
    }
  }

  private def rolling(name: String, parts: Seq[(Long, Path)]): Source = {
    val compacted = parts.lastIndexWhere { case (_, f) => isCompacted(f) }
    val after = if (compacted < 0) parts else parts.drop(compacted).filter(_._1 >= parts(compacted)._1)
    // a compacted file and its original have the same number
    val there = after.filterNot { case (n, f) =>
      compacted >= 0 && n == parts(compacted)._1 && f != parts(compacted)._2
    }
    val wrong = there.zip(there.drop(1)).collectFirst {
      case ((n, one), (m, other)) if n == m => s"${one.getFileName} and ${other.getFileName} are the same part"
      case ((n, _), (m, _)) if m > n + 1 => s"part ${n + 1} is missing"
    }
    several(name, there.map(_._2)).copy(wrong = wrong)
  }

  /** The number, and the application without what compression and compaction add to its name. */
  private val Part = "^events_(\\d+)_(.*?)(?:\\.(?:zstd|zst|lz4|lzf|snappy|gz))?(?:\\.compact)?$".r
}

/** A mistake in what the user asked for: printed in one line, exit status 2. */
final class Usage(message: String) extends RuntimeException(message)

object Usage {
  final val OutOfMemory = "out of memory: give it more with PELLUCID_JAVA_OPTS=-Xmx4g"
}

/** Counts what is read, and says on a terminal how far it is. */
final class Progress(in: InputStream, name: String, total: Long, before: Long, show: Boolean)
    extends FilterInputStream(in) {
  private var position = before
  private val started = System.nanoTime
  private var shown = started

  override def read(b: Array[Byte], offset: Int, length: Int): Int = {
    val n = in.read(b, offset, length)
    if (n > 0) {
      position += n
      val now = System.nanoTime
      if (show && now - shown > Progress.EveryNanos) {
        shown = now
        val seconds = (now - started) / 1e9
        val left = if (total > 0) f", ${seconds * (total - position) / (position - before)}%.0f s left" else ""
        val share = if (total > 0) f"${100.0 * position / total}%.0f %%, " else ""
        Console.err.print(f"\r$name: $share${position / 1e6}%.0f MB read$left  ")
      }
    }
    n
  }

  override def close(): Unit = {
    if (shown != started) Console.err.print("\r\u001b[K")
    super.close()
  }
}

object Progress {
  private final val EveryNanos = 300000000L
}
