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

  /** How many of each kind can be in use at once, over the whole application. */
  private val slots: Map[String, Int] = {
    val executors = (0 until table.size).iterator.map(row => trace.tasks.executor(table.task(row))).toSet
    val disks = (0 until table.size).iterator.filter(row => kinds(table.resource(row)) == Disk)
      .map(row => (trace.host(table.task(row)), table.resource(row))).toSet
    def setting(name: String, default: Int) =
      trace.application.properties.get(s"spark.pellucid.monotasks.$name").flatMap(_.toIntOption).getOrElse(default)
    Map(
      Cpu -> executors.iterator.map(trace.executors(_).cores).sum,
      Disk -> disks.size * setting("diskSlots", 1),
      Network -> executors.size * setting("networkSlots", 4)
    )
  }

  /** None of an application without monotasks. */
  def use: Option[MonotaskUse] = Option.when(table.size > 0) {
    val buckets = new Buckets(trace)
    val running, queued = Kinds.map(_ -> buckets.levels()).toMap
    for (row <- 0 until table.size) {
      val of = kinds(table.resource(row))
      val from = table.queuedMicros(row) / 1e3 - trace.startMillis
      val begin = from + table.waitMicros(row) / 1e3
      queued(of).add(from, begin, 1)
      running(of).add(begin, begin + table.serviceMicros(row) / 1e3, 1)
    }
    MonotaskUse(
      buckets.fromSeconds,
      buckets.seconds,
      uses((0 until table.size).iterator),
      Kinds.map(kind => ResourceLoad(kind, slots(kind), running(kind).averages, queued(kind).averages))
    )
  }

  /** By the stage's row; nothing of one without monotasks. */
  lazy val ofStages: Map[Int, Seq[ResourceUse]] = (0 until table.size).groupBy(row =>
    trace.tasks.stage(table.task(row))
  ).map { case (stage, rows) =>
    stage -> uses(rows.iterator)
  }

  private def uses(rows: Iterator[Int]): Seq[ResourceUse] = {
    val sums = Kinds.map(_ -> new Sum).toMap
    rows.foreach { row =>
      val of = kinds(table.resource(row))
      val sum = sums(of)
      sum.count += 1
      sum.bytes += table.bytes(row)
      sum.waitMicros += table.waitMicros(row)
      // a stretch of computing may have been blocked on what is no monotask: what uses a core is the CPU time
      sum.busyMicros += (if (of == Cpu) table.cpuMicros(row) else table.serviceMicros(row))
    }
    Kinds.filter(sums(_).count > 0).map { kind =>
      val sum = sums(kind)
      val busy = sum.busyMicros / 1e6
      ResourceUse(kind, sum.count, busy, sum.waitMicros / 1e6, sum.bytes, busy / math.max(1, slots(kind)))
    }
  }
}

object Monotasks {
  private final val Cpu = "cpu"
  private final val Disk = "disk"
  private final val Network = "network"
  private val Kinds = Seq(Cpu, Disk, Network)

  private def kind(resource: String): String =
    if (resource == Cpu) Cpu else if (resource.startsWith("disk")) Disk else Network

  private final class Sum {
    var count, bytes, waitMicros, busyMicros = 0L
  }
}
