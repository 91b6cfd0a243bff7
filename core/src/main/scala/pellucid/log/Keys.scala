package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

/** Small ids for names, looked up by the names' bytes: the keys of JSON objects, or values that repeat.
  *
  * A program writes the keys of its objects in the same order each time, so the table also remembers which key followed which
  * and [[JsonCursor.nextKey]] tries that one first. Ids are positive.
  */
final class Keys(entries: (Int, String)*) {
  import Keys._
  private var names = new Array[Array[Byte]](32)
  private var ids = new Array[Int](32)
  private var count = 0
  entries.foreach { case (id, name) => put(name.getBytes(UTF_8), id) }

  def put(name: Array[Byte], id: Int): Unit = {
    if (count * 2 >= names.length) {
      val (oldNames, oldIds) = (names, ids)
      names = new Array[Array[Byte]](oldNames.length * 2)
      ids = new Array[Int](oldNames.length * 2)
      count = 0
      oldNames.indices.foreach(i => if (oldNames(i) != null) put(oldNames(i), oldIds(i)))
    }
    var slot = slotOf(hash(name, 0, name.length))
    while (names(slot) != null && !java.util.Arrays.equals(names(slot), name)) slot = (slot + 1) & (names.length - 1)
    if (names(slot) == null) count += 1
    names(slot) = name
    ids(slot) = id
  }

  def find(buf: Array[Byte], start: Int, until: Int): Int = {
    var slot = slotOf(hash(buf, start, until))
    while (names(slot) != null) {
      val name = names(slot)
      if (java.util.Arrays.equals(buf, start, until, name, 0, name.length)) return ids(slot)
      slot = (slot + 1) & (names.length - 1)
    }
    Unknown
  }

  private def slotOf(hash: Int): Int = (hash ^ (hash >>> 15)) & (names.length - 1)

  // ---- order: entry 0 stands for the beginning

  private val text = new Array[Array[Byte]](MostOrdered) // `"key":` as it stands in the log
  private val idOf = new Array[Int](MostOrdered)
  private val successor = new Array[Int](MostOrdered)
  private var ordered = 1
  private var last = 0

  /** The key that followed the last one before, as `"key":`; null where none is known. */
  def expected: Array[Byte] = text(successor(last))

  /** The expected key came; its id. */
  def advance(): Int = {
    last = successor(last)
    idOf(last)
  }

  /** Another came, at `buf(start)` with its quotes and colon: looks its id up and expects it the next time. */
  def learn(buf: Array[Byte], start: Int, until: Int, id: Int): Unit = {
    var entry = 1
    while (entry < ordered && !java.util.Arrays.equals(buf, start, until, text(entry), 0, text(entry).length)) entry +=
      1
    if (entry == ordered && ordered < MostOrdered) {
      text(entry) = java.util.Arrays.copyOfRange(buf, start, until)
      idOf(entry) = id
      ordered += 1
    }
    if (entry < ordered) {
      successor(last) = entry
      last = entry
    }
  }
}

object Keys {
  final val Unknown = 0
  final val End = -1
  private final val MostOrdered = 128

  private def hash(buf: Array[Byte], start: Int, until: Int): Int = {
    var h = 0
    var i = start
    while (i < until) { h = h * 31 + buf(i); i += 1 }
    h
  }
}
