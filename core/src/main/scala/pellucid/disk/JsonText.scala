package pellucid.disk

import com.github.plokhotnyuk.jsoniter_scala.core._

/** A mistake in a file that a user wrote; `line` counts from 1 and is 0 where it is of no one line. */
final class NotReadable(val line: Int, val reason: String)
    extends Exception(if (line > 0) s"line $line: $reason" else reason)

object JsonText {
  private val Config = ReaderConfig.withAppendHexDumpToParseException(false)
  private val Offset = "(?s)(.*), offset: 0x([0-9a-f]+).*".r

  /** @throws NotReadable with the line where the JSON, or a field of it, is not what it should be */
  def read[A: JsonValueCodec](json: Array[Byte]): A =
    try readFromArray[A](json, Config)
    catch {
      case e: JsonReaderException =>
        e.getMessage match {
          case Offset(reason, offset) =>
            val at = math.min(java.lang.Long.parseLong(offset, 16), json.length.toLong).toInt
            throw new NotReadable(1 + json.iterator.take(at).count(_ == '\n'), reason)
          case other => throw new NotReadable(0, other)
        }
    }
}
