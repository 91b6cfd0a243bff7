package pellucid.log

import java.io.{EOFException, IOException, InputStream}
import java.nio.{ByteBuffer, ByteOrder}

/** Cuts a stream into lines without copying them: each is handed on as a range of one reused buffer, which grows to the
  * longest line. A stream that breaks off (a compressed file cut short) ends the lines where it breaks.
  */
final class Lines(in: InputStream) {
  private var buf = new Array[Byte](1 << 18)
  private var words = view()
  private var limit = 0
  private var next = 0
  private var open = true

  /** Range of the current line in [[buffer]], without its line end. */
  var start = 0
  var until = 0

  /** The current line is the last and has no line end. */
  var unterminated = false
  var bytesRead = 0L
  var count = 0L

  /** Why the stream broke off, where it did. */
  var broken: Option[String] = None

  def buffer: Array[Byte] = buf
  private def view() = ByteBuffer.wrap(buf).order(ByteOrder.LITTLE_ENDIAN)

  /** Moves to the next line; false after the last. */
  def advance(): Boolean = {
    var from = next
    while (true) {
      val newline = JsonCursor.indexOf(buf, words, '\n', from, limit)
      if (newline < limit) {
        emit(newline)
        next = newline + 1
        return true
      }
      if (!open) {
        if (next >= limit) return false
        unterminated = true
        emit(limit)
        next = limit
        return true
      }
      from = limit - next
      fill()
    }
    false
  }

  private def emit(end: Int): Unit = {
    start = next
    until = end
    count += 1
  }

  /** Keeps the unfinished line at the front of the buffer and reads behind it. */
  private def fill(): Unit = {
    val kept = limit - next
    if (kept >= buf.length / 2) {
      if (buf.length > Lines.LongestLine)
        throw new IOException(s"line ${count + 1} has more than ${Lines.LongestLine >> 20} MiB")
      val larger = new Array[Byte](buf.length * 2)
      System.arraycopy(buf, next, larger, 0, kept)
      buf = larger
      words = view()
    } else if (next > 0) System.arraycopy(buf, next, buf, 0, kept)
    next = 0
    limit = kept
    val n =
      try in.read(buf, limit, buf.length - limit)
      catch {
        case _: EOFException => broken = Some("the compressed data ends early"); -1
        case e: IOException => broken = Some(String.valueOf(e.getMessage)); -1
      }
    if (n < 0) open = false
    else {
      limit += n
      bytesRead += n
    }
  }
}

object Lines {
  private final val LongestLine = 1 << 29
}
