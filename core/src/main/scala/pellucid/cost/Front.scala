package pellucid.cost

/** The points of which no other is both as fast and as cheap: the Pareto front. From the fastest to the cheapest; of
  * equal ones the first that was offered. An offer allocates nothing unless the front grows beyond what there was room
  * for.
  */
final class Front {
  private var n = 0
  private var allSeconds, allDollars = new Array[Double](64)
  private var points = new Array[Long](64)

  def size: Int = n
  def seconds(i: Int): Double = allSeconds(i)
  def dollars(i: Int): Double = allDollars(i)
  def point(i: Int): Long = points(i)

  def offer(seconds: Double, dollars: Double, point: Long): Unit = {
    val at = slower(seconds)
    // those before are as fast or faster, and the last of them is the cheapest of them
    if (at > 0 && allDollars(at - 1) <= dollars) return
    var until = at
    while (until < n && allDollars(until) >= dollars) until += 1
    val from = if (at > 0 && allSeconds(at - 1) == seconds) at - 1 else at
    if (n + 1 > points.length) grow()
    move(until, from + 1, n - until)
    allSeconds(from) = seconds
    allDollars(from) = dollars
    points(from) = point
    n += from + 1 - until
  }

  /** The first that takes longer. */
  private def slower(seconds: Double): Int = {
    var low = 0
    var high = n
    while (low < high) {
      val middle = (low + high) >>> 1
      if (allSeconds(middle) <= seconds) low = middle + 1 else high = middle
    }
    low
  }

  private def move(from: Int, to: Int, length: Int): Unit = {
    System.arraycopy(allSeconds, from, allSeconds, to, length)
    System.arraycopy(allDollars, from, allDollars, to, length)
    System.arraycopy(points, from, points, to, length)
  }

  private def grow(): Unit = {
    allSeconds = java.util.Arrays.copyOf(allSeconds, 2 * n)
    allDollars = java.util.Arrays.copyOf(allDollars, 2 * n)
    points = java.util.Arrays.copyOf(points, 2 * n)
  }
}
