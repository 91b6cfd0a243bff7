package pellucid.cli

import java.io.{FilterInputStream, InputStream, IOException}
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import pellucid.log.EventLog

/** One application's log: its files in order. Of a compacted one the events of what had ended then are gone. */
final case class Source(name: String, files: Seq[Path], totalBytes: Long, compacted: Boolean = false) {
  def open: Iterator[() => InputStream] =
    if (files.isEmpty) Iterator(() => System.in) else files.iterator.map(f => () => Files.newInputStream(f))
}

/** What LOG on the command line stands for. */
sealed trait Sources
final case class OneLog(source: Source) extends Sources
final case class ManyLogs(directory: Path, sources: Seq[Source]) extends Sources

object Sources {

  /** @throws Usage where there is no such file, or a directory holds no log */
  def of(log: String): Sources =
    if (log == "-") OneLog(Source("standard input", Nil, 0))
    else {
      val path = Paths.get(log)
      if (!Files.exists(path)) throw new Usage(s"$log: no such file or directory")
      if (!Files.isReadable(path)) throw new Usage(s"$log: cannot be read (permission)")
      if (!Files.isDirectory(path)) OneLog(single(path))
      else
        parts(path) match {
          case Nil =>
            val sources = entries(path).flatMap { entry =>
              if (!Files.isDirectory(entry) || !Files.isReadable(entry)) Some(single(entry))
              else Some(parts(entry)).filter(_.nonEmpty).map(rolling(entry, _))
            }
            sources match {
              case Seq() => throw new Usage(s"$log: a directory without event logs")
              case Seq(only) => OneLog(only)
              case _ => ManyLogs(path, sources)
            }
          case files => OneLog(rolling(path, files))
        }
    }

  private def single(path: Path): Source = Source(path.getFileName.toString, Seq(path), size(path))
  private def rolling(directory: Path, files: Seq[Path]): Source =
    Source(
      directory.toAbsolutePath.normalize.getFileName.toString,
      files,
      files.iterator.map(size).sum,
      files.headOption.exists(isCompacted)
    )

  /** 0 where it is gone, or cannot be looked at: why is said when it is read. */
  private def size(file: Path): Long =
    try Files.size(file)
    catch { case _: IOException => 0 }

  private def isCompacted(file: Path) = EventLog.isCompacted(file.getFileName.toString)

  private def entries(directory: Path): Seq[Path] = {
    val stream = Files.list(directory)
    try stream.iterator.asScala.filterNot(p => ignored(p.getFileName.toString)).toVector.sortBy(_.getFileName.toString)
    finally stream.close()
  }

  private def ignored(name: String) = name.startsWith(".") || name.startsWith("_") || name.startsWith("appstatus_")

  /** The event files of a log's directory in order: Spark's `events_N_…` (of compacted ones the last replaces all before it), its one `EVENT_LOG_N`
    * before Spark 1.3, or Databricks' `eventlog-TIME…` followed by `eventlog`. Nothing, if the directory is no log.
    */
  private def parts(directory: Path): Seq[Path] = {
    val files = entries(directory).filter(Files.isRegularFile(_))
    val numbered =
      files.flatMap(f => Part.findFirstMatchIn(f.getFileName.toString).map(m => (m.group(1).toLong, f))).sortBy(_._1)
    if (numbered.nonEmpty) {
      val compacted = numbered.lastIndexWhere { case (_, f) => isCompacted(f) }
      val after = if (compacted < 0) numbered else numbered.drop(compacted).filter(_._1 >= numbered(compacted)._1)
      // a compacted file and its original have the same number
      after.filterNot { case (n, f) =>
        compacted >= 0 && n == numbered(compacted)._1 && f != numbered(compacted)._2
      }.map(_._2)
    } else {
      val databricks = files.filter(_.getFileName.toString.matches("eventlog(-.*)?|EVENT_LOG_\\d+"))
      val (last, dated) = databricks.partition(_.getFileName.toString == "eventlog")
      if (databricks.isEmpty) Nil else dated ++ last
    }
  }

  private val Part = "^events_(\\d+)_".r
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
        val left = if (total > 0 && position > 0) f", ${seconds * (total - position) / position}%.0f s left" else ""
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
