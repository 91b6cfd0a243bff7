package pellucid.trace

/** Which slot of its executor each task ran in. Spark does not log it; a task is put into the free slot that was used last,
  * so that the idle time before a task is the shortest possible.
  *
  * @param lane       by task row
  * @param count      slots by executor row: those of its cores, or, where the log does not say, the most tasks seen at once
  * @param idleMillis by task row: how long its slot had been free before it was launched, while the task's stage was already
  *                   submitted and the executor there. It is negative where the driver recorded a task's end a moment after
  *                   it had given its slot away.
  * @param bound      task rows that waited for a slot of their own executor although another that the stage used had one
  *                   free: a wait for locality, or for data that the executor held
  */
final class Lanes(val lane: IntColumn, val count: Array[Int], val idleMillis: IntColumn, val bound: java.util.BitSet)

object Lanes {

  /** Where the slots are not known, two tasks that overlap by less are taken to have shared one: the driver stamps ends late. */
  private def toleranceMillis(previousDuration: Int): Long = math.min(100L, previousDuration / 10 + 1L)

  /** A slot that stays free this long while a task waits was not wanted: the driver offers free slots at once. */
  final val BoundMillis = 100L

  def of(trace: Trace): Lanes = {
    val tasks = trace.tasks
    val lane = new IntColumn
    val idle = new IntColumn
    val bound = new java.util.BitSet
    val count = trace.executors.map(_.slots).toArray
    val free = count.map(n => Array.fill(math.max(n, 4))(0L)) // when each lane's last task ended
    val last = count.map(n => new Array[Int](math.max(n, 4))) // its duration
    val submitted = trace.stages.map(_.submissionMillis).toArray
    val added = trace.executors.map(_.addedMillis).toArray
    val freeSince = new FreeSince(added, trace.goneMillis)

    for (row <- trace.byLaunch) {
      val e = tasks.executor(row)
      val launch = tasks.launchMillis(row)
      var best = -1 // free the shortest time
      var first = -1 // the first to become free
      var i = 0
      val f = free(e)
      while (i < count(e)) {
        if (f(i) <= launch) { if (best < 0 || f(i) > f(best)) best = i }
        else if (first < 0 || f(i) < f(first)) first = i
        i += 1
      }
      val known = trace.executors(e).slots > 0
      if (best < 0 && first >= 0 && (known || f(first) - launch <= toleranceMillis(last(e)(first)))) best = first
      if (best < 0) {
        best = count(e)
        count(e) += 1
        if (best == free(e).length) {
          free(e) = java.util.Arrays.copyOf(free(e), best * 2)
          last(e) = java.util.Arrays.copyOf(last(e), best * 2)
        }
      }
      lane(row) = best
      val ready = math.max(submitted(tasks.stage(row)), added(e))
      val since = math.max(free(e)(best), ready)
      idle(row) = math.max(Int.MinValue / 2, math.min(Int.MaxValue / 2, launch - since)).toInt
      if (launch - ready > BoundMillis && since > ready) {
        val executors = trace.executorsOfStage(tasks.stage(row))
        if (freeSince.exists(launch, executors, e)) bound.set(row)
      }
      free(e)(best) = math.max(free(e)(best), tasks.finishMillis(row))
      last(e)(best) = tasks.durationMillis(row)
      var earliest = Long.MaxValue
      i = 0
      while (i < count(e)) { earliest = math.min(earliest, free(e)(i)); i += 1 }
      freeSince(e) = math.max(earliest, added(e))
    }
    var e = 0
    while (e < count.length) { if (count(e) == 0) count(e) = 1; e += 1 }
    new Lanes(lane, count, idle, bound)
  }
}

/** Since when each executor has had a free slot: the future, while it has none. The least of each half stands above it, so that a busy cluster is not
  * searched executor by executor.
  */
private final class FreeSince(added: Array[Long], gone: Array[Long]) {
  private val leaves = Integer.highestOneBit(math.max(1, added.length) * 2 - 1)
  private val least = Array.fill(2 * leaves)(Long.MaxValue)
  added.indices.foreach(e => update(e, added(e)))

  def update(executor: Int, millis: Long): Unit = {
    var node = leaves + executor
    least(node) = millis
    while (node > 1) {
      node /= 2
      least(node) = math.min(least(2 * node), least(2 * node + 1))
    }
  }

  /** Whether one of these executors, in ascending order, has had one for long, is still there at `launch` (each no earlier than the one before), and is
    * not `but`.
    */
  def exists(launch: Long, executors: Array[Int], but: Int): Boolean = {

    /** Of those from `lo` until `hi`, which are below the node of executors from `first` on. */
    def below(node: Int, first: Int, width: Int, lo: Int, hi: Int): Boolean =
      if (lo == hi || least(node) > launch - Lanes.BoundMillis) false
      else if (width > 1) {
        val found = java.util.Arrays.binarySearch(executors, lo, hi, first + width / 2)
        val middle = if (found < 0) -found - 1 else found
        below(2 * node, first, width / 2, lo, middle) || below(2 * node + 1, first + width / 2, width / 2, middle, hi)
      } else {
        val isGone = gone(first) > 0 && gone(first) <= launch
        if (isGone) update(first, Long.MaxValue)
        !isGone && first != but
      }
    below(1, 0, leaves, 0, executors.length)
  }
}
