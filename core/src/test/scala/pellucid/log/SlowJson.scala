package pellucid.log

/** A strict JSON parser of the plainest kind, against which the reader is checked: objects become maps, arrays sequences,
  * numbers their text. It throws [[SlowJson.Invalid]] at anything that the JSON grammar (RFC 8259) does not allow.
  */
final class SlowJson(text: String) {
  import SlowJson._
  private var pos = 0

  def document(): Any = {
    val v = value()
    space()
    if (pos < text.length) fail()
    v
  }

  private def fail(): Nothing = throw new Invalid(pos)
  private def space(): Unit = while (pos < text.length && " \t\r\n".indexOf(text.charAt(pos)) >= 0) pos += 1
  private def peek(): Char = { space(); if (pos < text.length) text.charAt(pos) else fail() }
  private def take(c: Char): Unit = if (peek() == c) pos += 1 else fail()
  private def takes(c: Char): Boolean = { val same = peek() == c; if (same) pos += 1; same }

  private def value(): Any = peek() match {
    case '{' =>
      pos += 1
      val out = Map.newBuilder[String, Any]
      if (!takes('}')) {
        def member(): Unit = { peek(); val k = string(); take(':'); out += k -> value() }
        member()
        while (takes(',')) member()
        take('}')
      }
      out.result()
    case '[' =>
      pos += 1
      val out = Vector.newBuilder[Any]
      if (!takes(']')) {
        out += value()
        while (takes(',')) out += value()
        take(']')
      }
      out.result()
    case '"' => string()
    case _ =>
      val start = pos
      while (pos < text.length && ",]} \t\r\n".indexOf(text.charAt(pos)) < 0) pos += 1
      text.substring(start, pos) match {
        case "null" => null
        case "true" => true
        case "false" => false
        case number if number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?") => Number(number)
        case _ => fail()
      }
  }

  private def string(): String = {
    if (text.charAt(pos) != '"') fail()
    pos += 1
    val out = new StringBuilder
    while (pos < text.length && text.charAt(pos) != '"') {
      val c = text.charAt(pos)
      if (c < ' ') fail()
      pos += 1
      if (c != '\\') out += c
      else {
        if (pos >= text.length) fail()
        val escape = text.charAt(pos)
        pos += 1
        escape match {
          case '"' | '\\' | '/' => out += escape
          case 'n' => out += '\n'
          case 't' => out += '\t'
          case 'r' => out += '\r'
          case 'b' => out += '\b'
          case 'f' => out += '\f'
          case 'u' =>
            val digits = text.slice(pos, pos + 4)
            if (!digits.matches("[0-9a-fA-F]{4}")) fail()
            out += Integer.parseInt(digits, 16).toChar
            pos += 4
          case _ => fail()
        }
      }
    }
    if (pos >= text.length) fail()
    pos += 1
    out.result()
  }
}

object SlowJson {
  final case class Number(text: String)
  final class Invalid(val at: Int) extends RuntimeException(s"no JSON at character $at", null, false, false)

  def parse(line: String): Option[Any] =
    try Some(new SlowJson(line).document())
    catch { case _: Invalid => None }

  /** The value under nested keys; `None` where one is absent or null. */
  def get(value: Any, path: String*): Option[Any] = path.foldLeft(Option(value)) {
    case (Some(map: Map[_, _]), key) => map.asInstanceOf[Map[String, Any]].get(key).filter(_ != null)
    case _ => None
  }

  def long(value: Any, path: String*): Long = get(value, path: _*).fold(0L) {
    case Number(text) => BigDecimal(text).toLong
    case text: String => text.toLong
    case other => throw new IllegalArgumentException(s"no number: $other")
  }

  def text(value: Any, path: String*): String = get(value, path: _*).fold("")(_.toString)
}
