package pellucid

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import pellucid.log.EventLog
import pellucid.trace.Trace

/** Where the tests find logs, and how they read them. */
object Logs {

  /** A file of the repository, from whichever of its folders the tests run in. */
  def repo(path: String): Path =
    Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).map(_.resolve(path)).find(Files.exists(_)).get

  /** A file of the folder of real logs that may lie beside the repository. */
  def shared(path: String): Option[Path] =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .map(_.resolve(s"shared/data/$path"))
      .find(Files.exists(_))

  /** Of a file, or of all files below a rolling log's folder, in order. */
  def read(path: Path): Trace = {
    val files =
      if (!Files.isDirectory(path)) Seq(path)
      else
        Files.walk(path).iterator.asScala.filter(_.getFileName.toString.startsWith("events_")).toSeq.sortBy(_.toString)
    EventLog.read(files.iterator.map(f => () => Files.newInputStream(f)))
  }

  def read(text: String): Trace = read(text.getBytes(UTF_8))
  def read(bytes: Array[Byte]): Trace = read(new ByteArrayInputStream(bytes))
  def read(in: InputStream): Trace = EventLog.read(Iterator(() => in))

  /** Every column of every task, and the tables: two traces with the same are the same. */
  def content(trace: Trace): Seq[String] = {
    val t = trace.tasks
    val tasks = (0 until t.size).map(row => task(trace, row))
    // arrays print as addresses
    def fields(product: Product) = product.productIterator.map {
      case ints: Array[Int] => ints.mkString("(", ",", ")")
      case other => other
    }.mkString(" ")
    tasks ++ Seq(trace.jobs, trace.stages, trace.executors, trace.sql).flatten.map(fields(_)) :+
      fields(trace.application)
  }

  def task(trace: Trace, row: Int): String = {
    val t = trace.tasks
    val stage = trace.stages(t.stage(row))
    Seq[Any](
      t.taskId(row),
      stage.id,
      stage.attempt,
      t.index(row),
      t.attempt(row),
      trace.executors(t.executor(row)).id,
      t.flags(row),
      trace.reasons(t.reason(row)),
      t.launchMillis(row),
      t.durationMillis(row),
      t.gettingResultMillis(row),
      t.deserializeMillis(row),
      t.runMillis(row),
      t.cpuNanos(row),
      t.gcMillis(row),
      t.resultSerializeMillis(row),
      t.inputBlockedNanos(row),
      t.outputBlockedNanos(row),
      t.fetchWaitMillis(row),
      t.shuffleWriteNanos(row),
      t.inputBytes(row),
      t.inputRecords(row),
      t.outputBytes(row),
      t.shuffleRemoteBytes(row),
      t.shuffleLocalBytes(row),
      t.shuffleRecords(row),
      t.shuffleWriteBytes(row),
      t.memorySpilledBytes(row),
      t.diskSpilledBytes(row),
      t.scanNanos(row),
      t.pythonNanos(row)
    ).mkString(" ")
  }
}
