package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

/** A set of JSON keys with small ids, looked up by their bytes. Ids are positive. */
final class Keys(entries: (Int, String)*) {
  private val size = Integer.highestOneBit(entries.size * 4) * 2
  private val names = new Array[Array[Byte]](size)
  private val ids = new Array[Int](size)

  entries.foreach { case (id, name) =>
    val bytes = name.getBytes(UTF_8)
    var slot = slotOf(bytes.foldLeft(0)((hash, b) => Keys.step(hash, b.toInt)))
    while (names(slot) != null) slot = (slot + 1) & (size - 1)
    names(slot) = bytes
    ids(slot) = id
  }

  private def slotOf(hash: Int): Int = (hash ^ (hash >>> 15)) & (size - 1)

  def find(buf: Array[Byte], start: Int, length: Int, hash: Int): Int = {
    var slot = slotOf(hash)
    while (names(slot) != null) {
      val name = names(slot)
      if (name.length == length && java.util.Arrays.equals(buf, start, start + length, name, 0, length)) return ids(slot)
      slot = (slot + 1) & (size - 1)
    }
    Keys.Unknown
  }
}

object Keys {
  final val Unknown = 0
  final val End = -1

  def step(hash: Int, b: Int): Int = hash * 31 + b
}
