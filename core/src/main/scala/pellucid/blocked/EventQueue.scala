package pellucid.blocked

/** A priority queue of (time, id), earliest time first and among equal times the smallest id: a binary heap of primitives. */
final class EventQueue {
  private var times = new Array[Long](256)
  private var ids = new Array[Int](256)
  private var n = 0

  def isEmpty: Boolean = n == 0
  def time: Long = times(0)
  def id: Int = ids(0)

  def add(time: Long, id: Int): Unit = {
    if (n == times.length) {
      times = java.util.Arrays.copyOf(times, n * 2)
      ids = java.util.Arrays.copyOf(ids, n * 2)
    }
    val ts = times
    val is = ids
    var i = n
    n += 1
    var rising = true
    while (rising && i > 0) {
      val parent = (i - 1) >>> 1
      val t = ts(parent)
      if (time < t || (time == t && id < is(parent))) {
        ts(i) = t
        is(i) = is(parent)
        i = parent
      } else rising = false
    }
    ts(i) = time
    is(i) = id
  }

  def remove(): Unit = {
    n -= 1
    val ts = times
    val is = ids
    val time = ts(n)
    val id = is(n)
    var i = 0
    var child = 1
    while (child < n) {
      val right = child + 1
      if (right < n && (ts(right) < ts(child) || (ts(right) == ts(child) && is(right) < is(child)))) child = right
      val t = ts(child)
      if (t < time || (t == time && is(child) < id)) {
        ts(i) = t
        is(i) = is(child)
        i = child
        child = 2 * i + 1
      } else child = n
    }
    ts(i) = time
    is(i) = id
  }
}
