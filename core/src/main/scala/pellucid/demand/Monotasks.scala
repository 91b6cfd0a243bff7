package pellucid.demand

import scala.collection.mutable

import pellucid.report.{MonotaskUse, ResourceLoad, ResourceUse}
import pellucid.trace.{ServedMonotask, Tasks, Trace}

/** What an application's monotasks used of each kind of resource. If a stage had used one resource only, perfectly, it would have
  * taken that resource's ideal time (thesis section 5.6.1); the resource with the longest is the stage's bottleneck.
  */
final class Monotasks(trace: Trace) {
  import Monotasks._
  private val table = trace.monotasks
  private val kinds = table.resources.map(kind)

  /** Of each executor: since when it has had a task that has not ended, of whose monotasks the log has none, and until when it has told of its queues. */
  private val sampledMillis = {
    val since = (0 until trace.tasks.size).filter(trace.tasks.outcome(_) == Tasks.Running)
      .groupMapReduce(trace.tasks.executor(_))(trace.tasks.launchMillis(_))(math.min)
    for ((executor, from) <- since; samples <- trace.machines.get(executor) if samples.exists(_.queues.nonEmpty))
      yield executor -> ((from, samples.last.untilMillis))
  }

  private lazy val rowsOfStages = (0 until table.size).groupBy(row => trace.tasks.stage(table.task(row)))

  /** By the row of a stage with monotasks: how long its tasks were seen to wait for Python's or R's workers, which compute meanwhile on the core that the task has. */
  private lazy val workersMicros =
    trace.paths.filter(use => use.kind == Workers && rowsOfStages.contains(use.stage))
      .groupMapReduce(_.stage)(_.micros)(_ + _)

  /** In the order in which they are shown. */
  private val all = (Seq(Cpu, Disk) ++ kinds.sorted).distinct.filter(kinds.contains)

  /** None of an application without monotasks. From the start of a task on that has not ended, what its executor's resources had at the end of each second
    * stands for what ran and waited, as far as that has been told.
    */
  def use: Option[MonotaskUse] = Option.when(all.nonEmpty) {
    val buckets = new Buckets(trace)
    val running, queued, slots = all.map(_ -> buckets.levels()).toMap
    for (((executor, resource), n) <- table.slots) {
      val (from, to) = alive(executor)
      slots(kinds(resource)).add(buckets.moment(from.toDouble), buckets.moment(to.toDouble), n)
    }
    val sampled = sampledMillis.map { case (executor, (from, until)) =>
      executor -> ((buckets.moment(from.toDouble), buckets.moment(until.toDouble)))
    }
    def addKnown(executor: Int, levels: Levels, from: Double, until: Double): Unit = sampled.get(executor) match {
      case None => levels.add(from, until, 1)
      case Some((first, last)) =>
        levels.add(from, math.min(until, first), 1)
        levels.add(math.max(from, last), until, 1)
    }
    def add(executor: Int, resource: Int, queuedMicros: Long, beginMicros: Long, endMicros: Long): Unit = {
      val begin = buckets.moment(beginMicros / 1e3)
      addKnown(executor, queued(kinds(resource)), buckets.moment(queuedMicros / 1e3), begin)
      addKnown(executor, running(kinds(resource)), begin, buckets.moment(endMicros / 1e3))
    }
    for (row <- 0 until table.size)
      add(
        trace.tasks.executor(table.task(row)),
        table.resource(row),
        table.queuedMicros(row),
        table.beginMicros(row),
        table.endMicros(row)
      )
    for (m <- table.served) add(m.executor, m.resource, m.queuedMicros, m.beginMicros, m.endMicros)
    val overdrawn = mutable.Map.empty[String, Long].withDefaultValue(0L)
    for ((executor, samples) <- trace.machines; sample <- samples; queue <- sample.queues) {
      val kind = kinds(queue.resource)
      for ((first, _) <- sampled.get(executor)) {
        val from = math.max(first, buckets.moment(sample.fromMillis.toDouble))
        val until = buckets.moment(sample.untilMillis.toDouble)
        queued(kind).add(from, until, queue.waiting)
        running(kind).add(from, until, queue.running)
      }
      overdrawn(kind) += queue.overdrawn
    }
    MonotaskUse(
      buckets.fromSeconds,
      buckets.seconds,
      uses(0 until table.size, table.served, workersMicros.values.sum),
      all.map(kind =>
        ResourceLoad(
          kind,
          slots(kind).averages.max.round.toInt,
          running(kind).averages,
          queued(kind).averages,
          overdrawn(kind)
        )
      )
    )
  }

  /** By the stage's row; nothing of one without monotasks. What was served is of the stage that fetched it. */
  lazy val ofStages: Map[Int, Seq[ResourceUse]] = {
    val served = new Fetchers(trace).of(table.served).groupMap(_._1)(_._2)
    rowsOfStages.map { case (stage, rows) =>
      stage -> uses(rows, served.getOrElse(stage, Nil), workersMicros.getOrElse(stage, 0L))
    }
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

  private def uses(
      rows: IndexedSeq[Int],
      served: collection.Seq[ServedMonotask],
      workersMicros: Long
  ): Seq[ResourceUse] = if (rows.isEmpty && served.isEmpty) Nil else sums(rows, served, workersMicros)

  private def sums(
      rows: IndexedSeq[Int],
      served: collection.Seq[ServedMonotask],
      workersMicros: Long
  ): Seq[ResourceUse] = {
    val sums = all.map(_ -> new Sum).toMap
    val there = slots(
      (rows.iterator.map(table.queuedMicros(_)) ++ served.iterator.map(_.queuedMicros)).min / 1000,
      (rows.iterator.map(table.endMicros) ++ served.iterator.map(_.endMicros)).max / 1000
    )
    rows.foreach { row =>
      val of = kinds(table.resource(row))
      val cpu = table.cpuMicros(row)
      // a stretch of computing may have been blocked on what is no monotask: what uses a core is the CPU time
      val busy = if (of == Cpu) cpu else table.serviceMicros(row)
      sums(of).add(table.bytes(row), table.waitMicros(row), busy, cpu)
    }
    served.foreach(m => sums(kinds(m.resource)).add(m.bytes, m.waitMicros, m.serviceMicros, m.cpuMicros))
    sums.get(Cpu).foreach(_.busyMicros += workersMicros)
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
  private final val Workers = "python" // of which looks at the stacks tell ([[PathTable]])

  /** The resource with the longest ideal time; None where there was no monotask. */
  def bottleneck(uses: Seq[ResourceUse]): Option[String] = uses.maxByOption(_.idealSeconds).map(_.resource)

  private def kind(resource: String): String = if (resource.startsWith("disk")) Disk else resource

  private final class Sum {
    var count, bytes, waitMicros, busyMicros, cpuMicros = 0L
    def add(moreBytes: Long, wait: Long, busy: Long, cpu: Long): Unit = {
      count += 1
      bytes += moreBytes
      waitMicros += wait
      busyMicros += busy
      cpuMicros += cpu
    }
  }
}
