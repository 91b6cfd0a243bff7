package pellucid.cause

import java.util.BitSet

import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.trace.{Tasks, Trace}

/** The successful tasks of one stage, compared by their inverse progress rate: time per byte read (thesis section 4.7.1).
  *
  * In a stage that reads nothing the log counts, tasks are compared by time alone. A task that read nothing, in a stage whose
  * others did, is compared as if it had read the median.
  */
final class StageTasks(val trace: Trace, val stage: Int) {
  private val tasks = trace.tasks
  val rows: Array[Int] = trace.tasksOfStage(stage).filter(tasks.outcome(_) == Tasks.Success)
  val size: Int = rows.length

  val durations: Array[Double] = rows.map(tasks.durationMillis(_).toDouble)
  val weights: Array[Double] = StageTasks.weights(rows.map(tasks.readBytes(_).toDouble))

  /** Milliseconds per byte (or per task). */
  val rates: Array[Double] = Array.tabulate(size)(i => durations(i) / weights(i))
  val medianRate: Double = Median.of(rates)
  val medianDuration: Double = Median.of(durations)
  val stragglers: BitSet = slow(durations, weights, null)

  /** Milliseconds the task would have taken at the stage's median rate. */
  def atMedianRate(i: Int): Double = medianRate * weights(i)
  def excess(i: Int): Double = math.max(0, durations(i) - atMedianRate(i))

  /** Tasks whose rate is more than 1.5 times the median's (thesis section 4.7.3), among `only`, or all where it is null. */
  def slow(durations: Array[Double], weights: Array[Double], only: BitSet): BitSet = {
    val out = new BitSet(size)
    val rate = new Array[Double](size)
    var n = 0
    var i = 0
    while (i < size) {
      if (only == null || only.get(i)) { rate(n) = durations(i) / weights(i); n += 1 }
      i += 1
    }
    if (n > 0) {
      val limit = StageTasks.Slow * Median.of(rate, n)
      i = 0
      while (i < size) {
        if ((only == null || only.get(i)) && durations(i) / weights(i) > limit) out.set(i)
        i += 1
      }
    }
    out
  }

  /** Milliseconds of each phase, by phase index and position. */
  private lazy val phaseMillis: Array[Array[Float]] = {
    val times = new TaskPhases(tasks)
    val out = Array.fill(Phase.Count)(new Array[Float](size))
    var i = 0
    while (i < size) {
      times.load(rows(i))
      var p = 0
      while (p < out.length) {
        if (times.nanos(p) != 0) out(p)(i) = times.nanos(p) * 1e-6f
        p += 1
      }
      i += 1
    }
    out
  }

  /** The stragglers that would be none if the phase had taken no time in any task of the stage. */
  def explainedWithout(phase: Phase): BitSet = {
    val millis = phaseMillis(phase.index)
    var i = 0
    while (i < size && millis(i) <= 0) i += 1
    if (i == size) new BitSet
    else minus(stragglers, slow(Array.tabulate(size)(i => math.max(0, durations(i) - millis(i))), weights, null))
  }

  /** The stragglers in `group` that are none among the tasks of the group. */
  def explainedAmong(group: BitSet): BitSet = {
    val out = stragglers.clone().asInstanceOf[BitSet]
    out.and(group)
    if (out.isEmpty || group.cardinality == size) new BitSet else minus(out, slow(durations, weights, group))
  }

  def tasksWhere(belongs: Int => Boolean): BitSet = {
    val out = new BitSet(size)
    var i = 0
    while (i < size) { if (belongs(rows(i))) out.set(i); i += 1 }
    out
  }

  def minus(a: BitSet, b: BitSet): BitSet = {
    val out = a.clone().asInstanceOf[BitSet]
    out.andNot(b)
    out
  }
}

object StageTasks {
  final val Slow = 1.5

  /** Sizes to divide times by: the bytes, the median where a task has none, and 1 where hardly any task has. */
  def weights(bytes: Array[Double]): Array[Double] = {
    val median = Median.of(bytes)
    if (median <= 0) Array.fill(bytes.length)(1.0) else bytes.map(b => if (b > 0) b else median)
  }
}

object Median {

  /** The middle value, the lower of two middle ones; 0 of nothing. Leaves the array as it is. */
  def of(values: Array[Double]): Double = of(values.clone(), values.length)

  /** The same of the first `n`; reorders them. Quickselect with the middle element as pivot. */
  def of(values: Array[Double], n: Int): Double = if (n == 0) 0 else select(values, n, (n - 1) / 2)

  private def select(v: Array[Double], n: Int, k: Int): Double = {
    var lo = 0
    var hi = n - 1
    while (lo < hi) {
      val pivot = v((lo + hi) >>> 1)
      var i = lo
      var j = hi
      while (i <= j) {
        while (v(i) < pivot) i += 1
        while (v(j) > pivot) j -= 1
        if (i <= j) {
          val t = v(i)
          v(i) = v(j)
          v(j) = t
          i += 1
          j -= 1
        }
      }
      if (k <= j) hi = j
      else if (k >= i) lo = i
      else return v(k)
    }
    v(k)
  }
}
