package pellucid.demand

import pellucid.report.{MonotaskUse, ResourceLoad, ResourceUse}
import pellucid.trace.Trace

/** What an application's monotasks used of each kind of resource. If a stage had used one resource only, perfectly, it would have
  * taken that resource's ideal time (thesis section 5.6.1); the resource with the longest is the stage's bottleneck.
  */
final class Monotasks(trace: Trace) {
  import Monotasks._
  private val table = trace.monotasks
  private val kinds = table.resources.map(kind)

  /** In the order in which they are shown. */
  private val all = (Seq(Cpu, Disk) ++ kinds.sorted).distinct.filter(kinds.contains)

  /** None of an application without monotasks. */
  def use: Option[MonotaskUse] = Option.when(table.size > 0) {
    val buckets = new Buckets(trace)
    val running, queued, slots = all.map(_ -> buckets.levels()).toMap
    for (((executor, resource), n) <- table.slots) {
      val (from, to) = alive(executor)
      slots(kinds(resource)).add(buckets.moment(from.toDouble), buckets.moment(to.toDouble), n)
    }
    for (row <- 0 until table.size) {
      val of = kinds(table.resource(row))
      val begin = buckets.moment(table.beginMicros(row) / 1e3)
      queued(of).add(buckets.moment(table.queuedMicros(row) / 1e3), begin, 1)
      running(of).add(begin, buckets.moment(table.endMicros(row) / 1e3), 1)
    }
    MonotaskUse(
      buckets.fromSeconds,
      buckets.seconds,
      uses(0 until table.size),
      all.map(kind =>
        ResourceLoad(kind, slots(kind).averages.max.round.toInt, running(kind).averages, queued(kind).averages)
      )
    )
  }

  /** By the stage's row; nothing of one without monotasks. */
  lazy val ofStages: Map[Int, Seq[ResourceUse]] = (0 until table.size).groupBy(row =>
    trace.tasks.stage(table.task(row))
  ).map { case (stage, rows) =>
    stage -> uses(rows)
  }

  private def alive(executor: Int): (Long, Long) = (
    math.max(trace.executors(executor).addedMillis, trace.startMillis),
    math.min(trace.leftMillis(executor), trace.endMillis)
  )

  /** How many there were of each kind of resource, on average from one moment to another. */
  private def slots(from: Long, to: Long): Map[String, Double] =
    table.slots.toSeq.groupMapReduce { case ((_, resource), _) => kinds(resource) } { case ((executor, _), n) =>
      val (added, removed) = alive(executor)
      n * math.max(0.0, (math.min(removed, to) - math.max(added, from)).toDouble) / math.max(1L, to - from)
    }(_ + _)

  private def uses(rows: IndexedSeq[Int]): Seq[ResourceUse] = {
    val sums = all.map(_ -> new Sum).toMap
    val there =
      slots(rows.iterator.map(table.queuedMicros(_)).min / 1000, rows.iterator.map(table.endMicros).max / 1000)
    rows.foreach { row =>
      val of = kinds(table.resource(row))
      val sum = sums(of)
      sum.count += 1
      sum.bytes += table.bytes(row)
      sum.waitMicros += table.waitMicros(row)
      // a stretch of computing may have been blocked on what is no monotask: what uses a core is the CPU time
      sum.cpuMicros += table.cpuMicros(row)
      sum.busyMicros += (if (of == Cpu) table.cpuMicros(row) else table.serviceMicros(row))
    }
    all.filter(sums(_).count > 0).map { kind =>
      val sum = sums(kind)
      val busy = sum.busyMicros / 1e6
      ResourceUse(
        kind,
        sum.count,
        busy,
        sum.cpuMicros / 1e6,
        sum.waitMicros / 1e6,
        sum.bytes,
        if (there(kind) > 0) busy / there(kind) else 0
      )
    }
  }
}

object Monotasks {
  private final val Cpu = "cpu"
  private final val Disk = "disk"

  /** The resource with the longest ideal time; None where there was no monotask. */
  def bottleneck(uses: Seq[ResourceUse]): Option[String] = uses.maxByOption(_.idealSeconds).map(_.resource)

  private def kind(resource: String): String = if (resource.startsWith("disk")) Disk else resource

  private final class Sum {
    var count, bytes, waitMicros, busyMicros, cpuMicros = 0L
  }
}
