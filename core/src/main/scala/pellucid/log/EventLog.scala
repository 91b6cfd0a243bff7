package pellucid.log

import java.io.{BufferedInputStream, IOException, InputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.mutable.ArrayBuffer

import pellucid.trace.{Intake, Trace, TraceBuilder, Window}

/** Reads a log, whatever its kind and compression, into a [[Trace]]. */
object EventLog {
  private final val HeadBytes = 1 << 16
  private final val Examples = 5

  /** Reads one application's log from its files in their order: one, or the parts of a rolling log. Each file is closed.
    *
    * Lines that are no event, a cut-off end and unknown events are counted in the trace's [[Intake]].
    *
    * @param compacted the history server took the events of jobs away that had ended: what is left begins with the first job that is
    * @param mostMonotasks for which there is room: of later tasks they are counted only
    * @throws NotAnEventLog where nothing in the files is an event
    */
  def read(
      files: Iterator[() => InputStream],
      compacted: Boolean = false,
      mostMonotasks: Int = Int.MaxValue
  ): Trace = {
    val builder = new TraceBuilder(mostMonotasks = mostMonotasks)
    var lines, bytes, malformed, events = 0L
    var truncated = false
    val examples = ArrayBuffer.empty[String]
    val notes = ArrayBuffer.empty[String]
    var cutOff = Option.empty[String] // what is wrong with the last line, which may be an event's first half
    var unknown = Map.empty[String, Long]

    for (open <- files) {
      val raw = open()
      var outermost: InputStream = raw // a decompressor has memory that no collector sees
      try {
        val decompressed =
          try { outermost = Codec.decompress(raw); outermost }
          catch {
            case e: IOException => // the file ends inside its compression's header
              truncated = true
              notes += s"the compressed data ends early: $e"
              InputStream.nullInputStream
          }
        val in = new BufferedInputStream(decompressed, HeadBytes)
        val begin = head(in)
        val reader = LogFormat.all.find(_.recognizes(begin)).get.reader(builder)
        val cut = new Lines(in)
        while (cut.advance())
          if (blank(cut)) ()
          else if (cut.unterminated && reader.needsLineEnd) truncated = true
          else
            try {
              reader.line(cut.buffer, cut.start, cut.until)
              events += 1
            } catch {
              case e: Malformed =>
                if (cut.unterminated) { truncated = true; cutOff = Some(s"line ${lines + cut.count}: ${e.getMessage}") }
                else {
                  malformed += 1
                  if (examples.size < Examples) examples += s"line ${lines + cut.count}: ${e.getMessage}"
                }
            }
        cut.broken.foreach { why => truncated = true; notes += why }
        lines += cut.count
        bytes += cut.bytesRead
        reader.unknownEvents.foreach { case (k, n) => unknown += k -> (unknown.getOrElse(k, 0L) + n) }
      } finally outermost.close()
    }

    if (events == 0) throw new NotAnEventLog(
      examples.headOption.orElse(notes.headOption).orElse(cutOff)
        .getOrElse(if (bytes > 0) "it has no event" else "it is empty")
    )
    val trace =
      builder.result(Intake(lines, bytes, malformed, examples.toSeq, unknown, truncated, ended = false, notes.toSeq))
    if (compacted) sinceCompaction(trace) else trace
  }

  /** What came before the first job that is left ran jobs, and not nothing. */
  private def sinceCompaction(trace: Trace): Trace = {
    val first = trace.jobs.iterator.map(_.submissionMillis).filter(_ > 0).minOption.getOrElse(trace.startMillis)
    val note =
      f"the history server compacted this log: it has only jobs that had not ended by then, the first at ${trace.secondsSinceOrigin(first)}%.1f s"
    Window.of(trace, first, Long.MaxValue).copy(intake = trace.intake.copy(notes = trace.intake.notes :+ note))
  }

  /** Whether the history server has compacted the file of this name. */
  def isCompacted(name: String): Boolean = name.endsWith(".compact")

  private def blank(cut: Lines): Boolean = {
    var i = cut.start
    while (i < cut.until && { val b = cut.buffer(i); b == ' ' || b == '\r' || b == '\t' }) i += 1
    i == cut.until
  }

  private def head(in: BufferedInputStream): String = {
    in.mark(HeadBytes)
    val first =
      try in.readNBytes(HeadBytes)
      catch { case _: IOException => Array.emptyByteArray }
    in.reset()
    new String(first, ISO_8859_1)
  }
}

/** None of the lines is an event. */
final class NotAnEventLog(val reason: String) extends RuntimeException(s"no Spark event log: $reason")
