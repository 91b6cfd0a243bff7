package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

/** A forward-only reader of one JSON text in a byte array: the caller asks for the keys it knows and skips the rest, and no
  * object is made for what is skipped. Any violation of the grammar that it meets throws [[Malformed]]; skipped values are
  * checked only for balance.
  */
final class JsonCursor {
  private var buf: Array[Byte] = Array.emptyByteArray
  private var words: ByteBuffer = ByteBuffer.wrap(buf)
  private var limit = 0
  private var from = 0
  var pos = 0

  /** Reads `bytes(from)` until `bytes(until)` next. */
  def reset(bytes: Array[Byte], from: Int, until: Int): Unit = {
    if (bytes ne buf) {
      buf = bytes
      words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    }
    this.from = from
    pos = from
    limit = until
  }

  def fail(expected: String): Nothing = throw new Malformed(s"expected $expected at column ${pos - from + 1}")

  /** The next byte that is no white space, not consumed. */
  def peek(): Int = {
    while (pos < limit && buf(pos) <= ' ' && buf(pos) >= 0) pos += 1
    if (pos >= limit) fail("more, but the line ends")
    buf(pos)
  }

  private def expect(c: Char): Unit = if (peek() == c) pos += 1 else fail(s"'$c'")

  /** Enters an object; false, with the value consumed, where it is null. */
  def enterObject(): Boolean = enter('{')
  def enterArray(): Boolean = enter('[')

  private def enter(open: Char): Boolean =
    if (peek() == open) { pos += 1; true }
    else if (buf(pos) == 'n') { literal("null"); false }
    else fail(s"'$open'")

  private def literal(text: String): Unit = {
    var i = 0
    while (i < text.length) {
      if (pos + i >= limit || buf(pos + i) != text.charAt(i)) fail(text)
      i += 1
    }
    pos += i
    if (pos < limit && Character.isLetterOrDigit(buf(pos))) fail(text)
  }

  /** Passes the comma before a further key or element; the first has none. */
  private def separator(open: Char): Unit = {
    var before = pos - 1
    while (before > from && buf(before) <= ' ' && buf(before) >= 0) before -= 1
    if (before >= from && buf(before) != open) {
      if (peek() != ',') fail("','")
      pos += 1
    }
  }

  /** The id of the next key of the object being read, [[Keys.Unknown]] for one not in `keys`, [[Keys.End]] after the last. */
  def nextKey(keys: Keys): Int = {
    if (peek() == '}') { pos += 1; return Keys.End }
    separator('{')
    if (peek() != '"') fail("a key")
    val expected = keys.expected
    if (expected != null && at(expected)) {
      pos += expected.length
      return keys.advance()
    }
    val start = pos
    skipString()
    val id = keys.find(buf, start + 1, pos - 1)
    expect(':')
    keys.learn(buf, start, pos, id)
    id
  }

  /** Runs `known` on each key of the object being entered that it is defined for, and skips the values of the others; nothing
    * for null. Task events, which are nearly all of a log, have loops of their own.
    */
  def fields(keys: Keys)(known: PartialFunction[Int, Unit]): Unit = if (enterObject()) rest(keys)(known)

  /** The same of an object that has been entered. */
  def rest(keys: Keys)(known: PartialFunction[Int, Unit]): Unit = {
    var key = nextKey(keys)
    while (key != Keys.End) {
      known.applyOrElse(key, skipValue)
      key = nextKey(keys)
    }
  }
  private val skipValue: Int => Unit = _ => skip()

  /** The same of the event that the line is, which ends with it: after this the event may take effect. */
  def event(keys: Keys)(known: PartialFunction[Int, Unit]): Unit = {
    rest(keys)(known)
    end()
  }

  /** Runs `element` before each element of the array being entered; nothing for null. */
  def elements(element: => Unit): Unit = if (enterArray()) while (nextElement()) element

  /** True while the array being read has a further element, which is then next. */
  def nextElement(): Boolean = {
    if (peek() == ']') { pos += 1; false }
    else { separator('['); true }
  }

  /** A whole number; one in quotes counts as well (SQL metrics), a fraction is cut off, null is 0. */
  def long(): Long = {
    val quoted = peek() == '"'
    if (quoted) pos += 1
    val negative = pos < limit && buf(pos) == '-'
    if (negative) pos += 1
    val start = pos
    var value = 0L
    var c = 0
    while (pos < limit && { c = buf(pos) - '0'; c >= 0 && c <= 9 }) { value = value * 10 + c; pos += 1 }
    if (pos == start) {
      if (!quoted && !negative && pos < limit && buf(pos) == 'n') { literal("null"); return 0L }
      fail("a number")
    }
    if (pos - start > 18 && !fitsLong(if (negative) start - 1 else start)) fail("a number of 64 bits")
    while (pos < limit && isNumberTail(buf(pos))) pos += 1
    if (quoted) { if (pos < limit && buf(pos) == '"') pos += 1 else fail("the end of a number") }
    if (negative) -value else value
  }

  private def fitsLong(start: Int): Boolean =
    new String(buf, start, pos - start, UTF_8).toLongOption.isDefined

  private def isNumberTail(c: Byte) = c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' ||
    (c >= '0' && c <= '9')

  def boolean(): Boolean = {
    val c = peek()
    if (c == '"') string() == "true"
    else { literal(if (c == 't') "true" else if (c == 'n') "null" else "false"); c == 't' }
  }

  /** A string; null gives null. A number or literal gives its text. */
  def string(): String =
    if (peek() != '"') {
      val start = pos
      if (buf(start) == 'n') { literal("null"); null }
      else {
        skip()
        new String(buf, start, pos - start, UTF_8)
      }
    } else {
      val start = pos + 1
      val escaped = skipString()
      if (escaped) unescape(start, pos - 1) else new String(buf, start, pos - 1 - start, UTF_8)
    }

  /** The id of the string that comes next, consumed if `names` has it; [[Keys.Unknown]], and nothing consumed, otherwise. */
  def lookup(names: Keys): Int = {
    if (peek() != '"') return Keys.Unknown
    val start = pos
    skipString()
    val id = names.find(buf, start + 1, pos - 1)
    if (id == Keys.Unknown) pos = start
    id
  }

  /** Consumes the string that comes next if it is exactly `text`, and nothing otherwise. */
  def accept(text: Array[Byte]): Boolean = {
    if (peek() != '"') return false
    val after = pos + 1 + text.length
    val same = after < limit && buf(after) == '"' && java.util.Arrays.equals(buf, pos + 1, after, text, 0, text.length)
    if (same) pos = after + 1
    same
  }

  /** Passes the string at `pos`; true where it has escapes. */
  private def skipString(): Boolean = {
    pos += 1
    var escaped = false
    var c = 0
    while (pos < limit && { c = buf(pos); c != '"' }) {
      if (c == '\\') { escaped = true; pos += 1 }
      pos += 1
    }
    if (pos >= limit) fail("the end of a string")
    pos += 1
    escaped
  }

  private def unescape(start: Int, until: Int): String = {
    val raw = new String(buf, start, until - start, UTF_8)
    val out = new java.lang.StringBuilder(raw.length)
    var halves = false // of surrogate pairs
    var i = 0
    while (i < raw.length) {
      val c = raw.charAt(i)
      if (c != '\\' || i + 1 >= raw.length) out.append(c)
      else {
        i += 1
        raw.charAt(i) match {
          case 'n' => out.append('\n')
          case 't' => out.append('\t')
          case 'r' => out.append('\r')
          case 'b' => out.append('\b')
          case 'f' => out.append('\f')
          case 'u' =>
            var code = 0
            for (k <- i + 1 to i + 4) {
              val digit = if (k < raw.length) Character.digit(raw.charAt(k), 16) else -1
              if (digit < 0) fail("four hexadecimal digits after \\u")
              code = code * 16 + digit
            }
            out.append(code.toChar)
            halves ||= Character.isSurrogate(code.toChar)
            i += 4
          case other => out.append(other)
        }
      }
      i += 1
    }
    if (halves) new String(out.toString.getBytes(UTF_8), UTF_8) // one without its other half is no character
    else out.toString
  }

  /** Passes any value. */
  def skip(): Unit = {
    val c = peek()
    if (c == '"') skipString()
    else if (c == '{' || c == '[') skipNested()
    else {
      val start = pos
      while (pos < limit && { val b = buf(pos); b != ',' && b != '}' && b != ']' && b > ' ' && b != '"' && b != ':' })
        pos += 1
      if (pos == start) fail("a value")
    }
  }

  private def skipNested(): Unit = {
    var depth = 0
    while ({
      if (pos >= limit) fail("the end of an object or array")
      val c = buf(pos)
      if (c == '"') skipString()
      else {
        if (c == '{' || c == '[') depth += 1 else if (c == '}' || c == ']') depth -= 1
        pos += 1
      }
      depth > 0
    }) {}
  }

  /** Moves to the next `c`, wherever it stands, and leaves it unconsumed; to the end where there is none. */
  def seek(c: Byte): Unit = pos = JsonCursor.indexOf(buf, words, c, pos, limit)

  /** Whether the bytes at `pos` are `text`. */
  def at(text: Array[Byte]): Boolean =
    limit - pos >= text.length && java.util.Arrays.equals(buf, pos, pos + text.length, text, 0, text.length)

  /** Nothing may follow but white space. */
  def end(): Unit = if (!atEnd()) fail("the end of the line")

  /** Nothing but white space is left. */
  def atEnd(): Boolean = {
    while (pos < limit && buf(pos) <= ' ' && buf(pos) >= 0) pos += 1
    pos >= limit
  }
}

object JsonCursor {
  private final val Low = 0x0101010101010101L
  private final val High = 0x8080808080808080L

  /** First position of `c` in `bytes(from until until)`, `until` where there is none; eight bytes at a time.
    * `words` is a little-endian view of `bytes`.
    */
  def indexOf(bytes: Array[Byte], words: ByteBuffer, c: Byte, from: Int, until: Int): Int = {
    val pattern = (c & 0xffL) * Low
    var i = from
    while (i + 8 <= until) {
      val x = words.getLong(i) ^ pattern
      val zero = (x - Low) & ~x & High
      if (zero != 0) return i + (java.lang.Long.numberOfTrailingZeros(zero) >>> 3)
      i += 8
    }
    while (i < until) { if (bytes(i) == c) return i; i += 1 }
    until
  }
}

/** A line that is no valid event; its message says where. It carries no stack: a junk file has millions of them. */
final class Malformed(message: String) extends RuntimeException(message, null, false, false)
