package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

import pellucid.trace.TraceBuilder

/** Takes Spark's events one by one while they happen, each as the line that it is in a log. */
final class EventReader(builder: TraceBuilder) {
  private val reader = new SparkEvents(builder)

  /** @throws Malformed where it is no event; the trace is what it was then */
  def event(json: String): Unit = {
    val line = json.getBytes(UTF_8)
    reader.line(line, 0, line.length)
  }

  def unknownEvents: Map[String, Long] = reader.unknownEvents
}
