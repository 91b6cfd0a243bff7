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
    var i = n
    n += 1
    while (i > 0 && before(time, id, (i - 1) >>> 1)) {
      val parent = (i - 1) >>> 1
      times(i) = times(parent)
      ids(i) = ids(parent)
      i = parent
    }
    times(i) = time
    ids(i) = id
  }

  def remove(): Unit = {
    n -= 1
    val time = times(n)
    val id = ids(n)
    var i = 0
    var sinking = true
    while (sinking) {
      var child = 2 * i + 1
      if (child + 1 < n && before(times(child + 1), ids(child + 1), child)) child += 1
      if (child < n && !before(time, id, child)) {
        times(i) = times(child)
        ids(i) = ids(child)
        i = child
      } else sinking = false
    }
    times(i) = time
    ids(i) = id
  }

  private def before(time: Long, id: Int, at: Int): Boolean = time < times(at) || (time == times(at) && id < ids(at))
}
