package pellucid.blocked

import pellucid.breakdown.{Phase, Sums, TaskPhases}
import pellucid.trace.{IntColumn, Tasks, Trace}

/** By task row, the time that it would be shorter by without something: what the blocked-time scenarios take away. */
final class Blockage private (of: TaskPhases => Long) {
  private val ticks = new IntColumn
  private var sum = 0L

  private def add(row: Int, times: TaskPhases): Unit = {
    val nanos = of(times)
    sum += nanos
    ticks.saturate(row, nanos / Blockage.TickNanos)
  }

  def micros(row: Int): Long = ticks(row).toLong * Blockage.TickNanos / 1000
  def totalNanos: Long = sum
}

object Blockage {

  /** 16 microseconds: 32 bits of them are 9.5 hours. */
  private final val TickNanos = 16000L

  /** All that the reports need, of one pass over the tasks, with the sums of each stage. */
  final class All(trace: Trace) {
    val diskLogged = new Blockage(_.diskLogged)
    val diskAtMost = new Blockage(_.diskAtMost)
    val networkLogged = new Blockage(_.networkLogged)
    val networkAtMost = new Blockage(_.networkAtMost)
    val neitherLogged = new Blockage(_.neitherLogged)
    val neitherAtMost = new Blockage(_.neitherAtMost)
    val eitherLogged = new Blockage(_.eitherLogged)
    val unnamed = new Blockage(_.unnamedAtMost)
    val nameServer = new Blockage(_(Phase.Metadata))
    val lock = new Blockage(_(Phase.Lock))
    val cpuQueue = new Blockage(_(Phase.CpuQueue))
    val gc = new Blockage(_(Phase.Gc))
    val pythonWorker = new Blockage(_(Phase.PythonWorker))
    val driver = new Blockage(_(Phase.Driver))
    val overhead = new Blockage(_.overhead)

    val sums: IndexedSeq[Sums] = trace.stages.indices.map(_ => new Sums)

    private val blockages =
      Array(
        diskLogged,
        diskAtMost,
        networkLogged,
        networkAtMost,
        neitherLogged,
        neitherAtMost,
        eitherLogged,
        unnamed,
        nameServer,
        lock,
        cpuQueue,
        gc,
        pythonWorker,
        driver,
        overhead
      )
    private val times = new TaskPhases(trace.tasks)
    private var row = 0
    while (row < trace.tasks.size) {
      if (trace.tasks.outcome(row) != Tasks.Resubmitted) {
        times.load(row)
        sums(trace.tasks.stage(row)).add(times, trace.tasks, row)
        var i = 0
        while (i < blockages.length) { blockages(i).add(row, times); i += 1 }
      }
      row += 1
    }
  }
}
