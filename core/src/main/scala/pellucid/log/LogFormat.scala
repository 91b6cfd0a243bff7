package pellucid.log

import pellucid.trace.TraceBuilder

/** A kind of log. A new one is one file with this, and one entry in [[LogFormat.all]]. */
private[log] trait LogFormat {

  /** Whether a log that begins with `head` (at most 64 KiB of it) is of this kind. */
  def recognizes(head: String): Boolean
  def reader(builder: TraceBuilder): LogFormat.Reader
}

private[log] object LogFormat {

  trait Reader {

    /** Takes one line, without its end; throws [[Malformed]] and leaves the trace as it was where it is no valid one. */
    def line(buf: Array[Byte], from: Int, until: Int): Unit

    /** Whether a line cut short can look like a whole one, so that a last line without its end is not to be trusted. */
    def needsLineEnd: Boolean

    /** Classes of events met that Pellucid does not know, with their counts. */
    def unknownEvents: Map[String, Long]
  }

  /** In the order in which they are asked; the last takes all. */
  val all: Seq[LogFormat] = Seq(JobLogger, SparkEvents)
}
