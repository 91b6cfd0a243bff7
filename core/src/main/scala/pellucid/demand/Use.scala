package pellucid.demand

import pellucid.report.{CoreUse, DriverOnly, Gap}
import pellucid.trace.Trace

/** How much of the cluster was used when. */
object Use {

  /** Averages over equal buckets. A task's CPU time is spread evenly over its duration. */
  def cores(trace: Trace): CoreUse = {
    val buckets = new Buckets(trace)
    val running, onCpu, slots = buckets.levels()
    val tasks = trace.tasks
    for (row <- trace.byLaunch) {
      val from = buckets.moment(tasks.launchMillis(row).toDouble)
      val to = from + tasks.durationMillis(row)
      running.add(from, to, 1)
      if (to > from) onCpu.add(from, to, math.min(1.0, tasks.cpuNanos(row) / 1e6 / (to - from)))
    }
    for (e <- trace.executors.indices)
      slots.add(
        buckets.moment(trace.executors(e).addedMillis.toDouble),
        buckets.moment(trace.leftMillis(e).toDouble),
        trace.lanes.count(e)
      )
    val (slotsThere, inUse, computing) = (slots.averages, running.averages, onCpu.averages)
    val all = slotsThere.sum
    def share(of: Seq[Double]) = if (all > 0) of.sum / all else 0.0
    CoreUse(
      share(inUse),
      share(computing),
      buckets.fromSeconds,
      buckets.seconds,
      slotsThere,
      inUse,
      computing
    )
  }

  /** The most slots there were at one moment. */
  def slots(trace: Trace): Int = atOnce(trace, trace.executors.indices, trace.lanes.count(_))

  /** The most that some executors had of something at one moment. */
  def atOnce(trace: Trace, executors: Iterable[Int], amount: Int => Int): Int = most(changes(trace, executors, amount))

  /** The most machines that some executors were on at one moment. */
  def machines(trace: Trace, executors: Iterable[Int]): Int =
    most(executors.groupBy(trace.executors(_).host).values.flatMap { ofHost =>
      val each = changes(trace, ofHost, _ => 1).sorted
      val before = each.scanLeft(0)(_ + _._2)
      each.zip(before).collect { case (change, n) if n == 0 || n + change._2 == 0 => change }
    })

  /** When they come and go. */
  private def changes(trace: Trace, executors: Iterable[Int], amount: Int => Int): Seq[(Long, Int)] =
    executors.toSeq.flatMap { e =>
      val come = (trace.executors(e).addedMillis, amount(e))
      val gone = trace.goneMillis(e)
      if (gone > 0) Seq(come, (gone, -amount(e))) else Seq(come)
    }

  private def most(changes: Iterable[(Long, Int)]): Int = changes.toSeq.sorted.scanLeft(0)(_ + _._2).max

  /** Time in which no task ran, with its longest stretches. */
  def driverOnly(trace: Trace): DriverOnly = {
    val tasks = trace.tasks
    var busyUntil = trace.startMillis
    var total, before = 0L
    var first = true
    val gaps = List.newBuilder[(Long, Long)]
    for (row <- trace.byLaunch) {
      val launch = tasks.launchMillis(row)
      if (launch > busyUntil) {
        total += launch - busyUntil
        if (first) before = launch - busyUntil
        gaps += ((busyUntil, launch))
      }
      first = false
      busyUntil = math.max(busyUntil, tasks.finishMillis(row))
    }
    val after = math.max(0L, trace.endMillis - busyUntil)
    if (after > 0) gaps += ((busyUntil, trace.endMillis))
    if (first) before = after
    val longest = gaps.result().sortBy { case (from, to) => (from - to, from) }.take(10).map { case (from, to) =>
      val ran = trace.jobs.iterator.filter(j =>
        j.submissionMillis < from && (!j.ended || j.completionMillis > to)
      ).maxByOption(_.submissionMillis).map(_.id)
      if (ran.isDefined) Gap(trace.secondsSinceOrigin(from), (to - from) / 1e3, None, None, ran)
      else Gap(
        trace.secondsSinceOrigin(from),
        (to - from) / 1e3,
        trace.jobs.iterator.filter(j => j.ended && j.completionMillis <= to && j.completionMillis >= from).maxByOption(
          _.completionMillis
        )
          .orElse(trace.jobs.iterator.filter(j => j.ended && j.completionMillis <= from).maxByOption(
            _.completionMillis
          )).map(_.id),
        trace.jobs.iterator.filter(j => j.submissionMillis >= from && j.submissionMillis <= to).minByOption(
          _.submissionMillis
        ).map(_.id)
      )
    }
    DriverOnly((total + after) / 1e3, before / 1e3, if (first) 0 else after / 1e3, longest)
  }
}

/** Equal stretches of an application's time, for averages over each; their moments are milliseconds from the first one's start. Of a window no more than that:
  * of what ran beside a task that began before it the trace has nothing.
  */
private final class Buckets(trace: Trace) {
  private val start = trace.window.fold(trace.startMillis)(w => math.max(w.fromMillis, trace.startMillis))
  private val end = trace.window.fold(trace.endMillis)(w => math.min(w.toMillis, trace.endMillis))
  private val span = math.max(1L, end - start)
  private val count = math.min(Buckets.Most, span).toInt
  private val millis = span.toDouble / count

  def moment(epochMillis: Double): Double = epochMillis - start
  def fromSeconds: Double = trace.secondsSinceOrigin(start)
  def seconds: Double = millis / 1000
  def levels(): Levels = new Levels(count, millis)
}

private object Buckets {
  private final val Most = 240
}

/** A sum of step functions, averaged over equal buckets; adding one takes constant time. */
private final class Levels(n: Int, width: Double) {
  private val partial = new Array[Double](n) // amount times time inside a bucket that a step begins or ends in
  private val step = new Array[Double](n + 1) // change of the level of whole buckets

  def add(from: Double, to: Double, amount: Double): Unit = {
    val lo = math.max(0.0, from)
    val hi = math.min(to, n * width)
    if (hi > lo) {
      val a = math.min(n - 1, (lo / width).toInt)
      val b = math.min(n - 1, (hi / width).toInt)
      if (a == b) partial(a) += amount * (hi - lo)
      else {
        partial(a) += amount * ((a + 1) * width - lo)
        partial(b) += amount * (hi - b * width)
        step(a + 1) += amount
        step(b) -= amount
      }
    }
  }

  def averages: Seq[Double] = {
    var level = 0.0
    Vector.tabulate(n) { i =>
      level += step(i)
      math.max(0.0, level + partial(i) / width)
    }
  }
}
