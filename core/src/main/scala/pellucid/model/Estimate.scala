package pellucid.model

import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.sched.MonotaskPhase
import pellucid.trace.{MonotaskTable, PathUse, Trace}

/** Monotasks of tasks that did not run as such, from the phases of their time: an estimate. A task of stock Spark reads, computes and
  * writes record by record; here it reads a chunk, computes on it, and so on. The chunks are small, as what is read next is read meanwhile
  * ([[Work.isAhead]]).
  *
  * Where a log does not say what a task waited for, it waited for its input, its spills and its output, in proportion to their bytes, as far as each of
  * them can explain it. The rest, and what tasks waited for a name server, which no other disk or network makes faster, is in the stretches of computing.
  */
object Estimate {
  private final val ChunkBytes = 1L << 20
  private final val MostChunks = 32

  def of(trace: Trace): MonotaskTable = {
    val table = new MonotaskTable
    val cpu = table.resourceNumber("cpu")
    val disk = table.resourceNumber("disk")
    val network = table.resourceNumber("network")
    val output = table.resourceNumber("network:output")
    val tasks = trace.tasks
    val phases = new TaskPhases(tasks)
    val localOutput = trace.paths.groupBy(_.stage).view.mapValues(new LocalOutput(_)).toMap
    val (fromStore, toStore) = (inStore(trace, "input"), inStore(trace, "output"))
    for (row <- trace.byLaunch) {
      phases.load(row)
      val (read, spilled, written) = (tasks.inputBytes(row), tasks.diskSpilledBytes(row), tasks.outputBytes(row))
      val explaining = Seq(read -> phases.inputAtMost, spilled -> phases.spillAtMost, written -> phases.outputAtMost)
      val moved = explaining.collect { case (bytes, atMost) if atMost > 0 => bytes.toDouble }.sum
      def part(bytes: Long, atMost: Long) =
        if (moved > 0) math.min(atMost.toDouble, phases(Phase.Waiting) * bytes / moved) else 0.0
      val input = phases(Phase.InputRead) + part(read, phases.inputAtMost)
      val fetch = phases.networkLogged.toDouble
      val local = phases(Phase.ShuffleRead) - fetch
      val shuffle = phases(Phase.ShuffleWrite) + phases(Phase.Spill) + part(spilled, phases.spillAtMost)
      val out = phases(Phase.OutputWrite) + part(written, phases.outputAtMost)
      val run = tasks.runMillis(row) * 1e6 + tasks.deserializeMillis(row) * 1e6
      val compute = math.max(0.0, run - input - fetch - local - shuffle - out)
      val cpuShare =
        if (!phases.cpuLogged) 1.0 else if (compute > 0) math.min(1.0, tasks.cpuNanos(row) / compute) else 0.0
      val inputFrom = if (fromStore(tasks.stage(row))) network else disk
      val outputTo = if (toStore(tasks.stage(row))) network else output
      var at = tasks.launchMillis(row) * 1000L

      def step(resource: Int, phase: MonotaskPhase, bytes: Long, nanos: Double, cpuNanos: Double = 0): Unit =
        if (nanos >= 1000) {
          val step = table.append()
          table.task(step) = row
          table.resource(step) = resource
          table.phase(step) = MonotaskPhase.all.indexOf(phase)
          table.bytes(step) = bytes
          table.queuedMicros(step) = at
          table.serviceMicros(step) = (nanos / 1000).toLong
          table.cpuMicros(step) = (cpuNanos / 1000).toLong
          at += table.serviceMicros(step)
        }

      step(network, MonotaskPhase.ShuffleRead, tasks.shuffleRemoteBytes(row), fetch)
      step(disk, MonotaskPhase.ShuffleRead, tasks.shuffleLocalBytes(row), local)
      val chunks = math.max(1, math.min(MostChunks.toLong, (read + ChunkBytes - 1) / ChunkBytes)).toInt
      for (_ <- 1 to chunks) {
        step(inputFrom, MonotaskPhase.InputRead, read / chunks, input / chunks)
        step(cpu, MonotaskPhase.Compute, 0, compute / chunks, compute * cpuShare / chunks)
      }
      step(disk, MonotaskPhase.ShuffleWrite, tasks.shuffleWriteBytes(row) + spilled, shuffle)
      val (here, bytesHere, writtenHere) =
        localOutput.get(tasks.stage(row)).fold((0.0, 0.0, 0.0))(o =>
          (out * o.time, out * o.bytesOfNano, written * o.written)
        )
      step(disk, MonotaskPhase.OutputWrite, bytesHere.toLong, here)
      step(outputTo, MonotaskPhase.OutputWrite, written - writtenHere.toLong, out - here)
    }
    table
  }

  /** Stages more than half of whose bytes of a kind an object store has. */
  private def inStore(trace: Trace, kind: String): Set[Int] =
    trace.paths.filter(_.kind == kind).groupBy(_.stage).collect {
      case (stage, uses) if 2 * uses.filter(_.inStore).map(_.bytes).sum > uses.map(_.bytes).sum => stage
    }.toSet

  /** Of a stage's output and persisted blocks what was written to disks of the task's machine. */
  private final class LocalOutput(stage: Seq[PathUse]) {
    private val writes = stage.filter(use => use.kind == "output" || use.kind == "blockWrite")
    private val (local, others) = writes.partition(_.onLocalDisk)
    private def share(of: PathUse => Long): Double = {
      val (here, there) = (local.map(of).sum, others.map(of).sum)
      if (here > 0) here.toDouble / (here + there) else 0
    }

    /** The part of the time that tasks were blocked on it, and of the bytes of output. */
    val time: Double = share(_.micros)
    val written: Double = share(use => if (use.kind == "output") use.bytes else 0)

    /** Bytes of that for each nanosecond that tasks were blocked on all of it. */
    val bytesOfNano: Double = {
      val micros = writes.map(_.micros).sum
      if (micros > 0) local.map(_.bytes).sum / (micros * 1e3) else 0
    }
  }
}
