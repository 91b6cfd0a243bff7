package pellucid.demand

import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.report.{Check, DiskUse, MachineUse, NicUse}
import pellucid.trace.{MachineSample, Tasks, Trace}

/** What machines did while tasks ran, from the kernel's counters that the plugin read, and whether that agrees with what was
  * measured of the tasks (thesis section 4.2: blocked times are cross-validated by utilization).
  */
object Machines {

  /** What may differ before it is said. */
  private final val Tolerance = 0.1

  /** Less than this says nothing: other programs of the machine use the network too. */
  private final val FewBytes = 10L << 20

  def of(trace: Trace): Seq[MachineUse] = {
    val byHost = trace.machines.toSeq.groupBy { case (executor, _) => trace.executors(executor).host }
    if (byHost.isEmpty) Nil
    else {
      val tasks = taskTimes(trace)
      byHost.toSeq.sortBy(_._1).map { case (host, executors) =>
        val samples = executors.map(_._2)
        val seen = once(samples.flatten.toIndexedSeq).reduce(_ + _)
        val own = samples.map(_.reduce(_ + _))
        val seconds = seen.coveredMillis / 1e3
        val there = executors.map { case (e, all) => (all.head.fromMillis, all.last.untilMillis, trace.lanes.count(e)) }
        val slots = there.map { case (at, _, _) => there.collect { case (f, u, n) if f <= at && at < u => n }.sum }.max
        def share(millis: Double) = if (seen.coveredMillis > 0) millis / seen.coveredMillis else 0.0
        MachineUse(
          host,
          seconds,
          seen.cores,
          if (seen.cores > 0) share(seen.machineCpuMillis.toDouble / seen.cores) else 0,
          own.map(_.cpuMillis).sum / 1e3,
          seen.runnable,
          own.map(_.throttledMillis).sum / 1e3,
          own.map(_.heapBytes).max,
          own.map(_.gcMillis).sum / 1e3,
          own.map(_.servedBytes).sum,
          own.map(_.servedBlockedMicros).sum / 1e6,
          own.map(_.servedQueuedMicros).sum / 1e6,
          seen.disks.map(d =>
            DiskUse(d.name, share(d.busyMillis.toDouble), d.reads, d.readBytes, d.writes, d.writtenBytes)
          ),
          seen.nics.filter(n => n.inBytes + n.outBytes > 0).map(n => NicUse(n.name, n.inBytes, n.outBytes)),
          // of stages partly outside a window, what was measured by path is not known
          if (trace.window.isDefined) Nil else Seq(disk(seen, slots, tasks(host)), network(seen, tasks(host)))
        )
      }
    }
  }

  /** Executors of one machine read the same counters: of stretches that overlap the first is taken. */
  private def once(samples: IndexedSeq[MachineSample]): IndexedSeq[MachineSample] = {
    var until = 0L
    samples.sortBy(_.fromMillis).filter { s =>
      val fresh = s.fromMillis >= until - (s.untilMillis - s.fromMillis) / 10
      if (fresh) until = s.untilMillis
      fresh
    }
  }

  /** Of all tasks on one host. */
  private final class TaskTimes {
    var total, onDisk, unnamed = 0.0
    var receivedBytes = 0L
  }

  private def taskTimes(trace: Trace): Map[String, TaskTimes] = {
    val times = trace.executors.map(_.host).distinct.map(_ -> new TaskTimes).toMap
    val phases = new TaskPhases(trace.tasks)
    for (row <- trace.byLaunch if trace.tasks.is(row, Tasks.Observed)) {
      val of = times(trace.host(row))
      phases.load(row)
      of.total += trace.tasks.durationMillis(row) / 1e3
      of.unnamed += (phases(Phase.Waiting) + phases(Phase.ComputeOrWaiting)) / 1e9
      of.receivedBytes += trace.tasks.shuffleRemoteBytes(row)
    }
    for (use <- trace.paths) {
      val host = trace.executors(use.executor).host
      if (use.onDiskOf(host) && use.kind != "metadata") times(host).onDisk += use.micros / 1e6
      else if (use.kind == "input") times(host).receivedBytes += use.bytes
    }
    times
  }

  private def disk(seen: MachineSample, slots: Int, tasks: TaskTimes): Check = {
    val busy = seen.disks.map(_.busyMillis / 1e3)
    val busiest = if (busy.isEmpty) 0.0 else busy.max
    val busyShare = if (seen.coveredMillis > 0) busiest / (seen.coveredMillis / 1e3) else 0
    def ofTasks(seconds: Double) = if (tasks.total > 0) seconds / tasks.total else 0
    val says =
      if (tasks.onDisk > (1 + Tolerance) * busy.sum * slots && ofTasks(tasks.onDisk) > Tolerance)
        Some(
          "tasks waited for disks longer than the disks worked, even if all waited at once: something else held them, " +
            "such as a limit on the container or the volume, or a lock"
        )
      else if (ofTasks(tasks.unnamed) > Tolerance && busyShare > ofTasks(tasks.onDisk) + Tolerance)
        Some("a disk was busy while tasks waited for something not named: the time blocked on disk is likely too low")
      else None
    Check("disk", tasks.onDisk, busiest, "seconds", says.isEmpty, says)
  }

  private def network(seen: MachineSample, tasks: TaskTimes): Check = {
    // a bridge counts what its members count: the busiest interface is the machine's
    val in = if (seen.nics.isEmpty) 0L else seen.nics.map(_.inBytes).max
    val says =
      if (math.max(in, tasks.receivedBytes) < FewBytes) None
      else if (in > (1 + Tolerance) * tasks.receivedBytes)
        Some("more came in than tasks read: replicas that HDFS writes, other programs, or reads that are not measured")
      else if (in < (1 - Tolerance) * tasks.receivedBytes)
        Some("less came in than tasks read: the other side is on this machine, or the counters are not this machine's")
      else None
    Check("network", tasks.receivedBytes.toDouble, in.toDouble, "bytes", says.isEmpty, says)
  }
}
