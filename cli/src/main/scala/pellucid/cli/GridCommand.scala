package pellucid.cli

import java.lang.management.ManagementFactory
import java.util.concurrent.{Callable, ExecutionException, Executors}

import pellucid.model.{Axes, Change, Grid, Grids, Known, Models}

/** Simulates the machines that a what-if page lets one choose: on all cores, and no more of them than take about [[Seconds]]. */
object GridCommand {
  private final val Seconds = 20.0
  private final val MostConfigurations = 1200
  private final val TimedSeconds = 3.0

  /** @param diskAsked what `--disk` says
    * @param told the other flags
    */
  def simulate(
      models: Models,
      known: Known,
      asked: Change,
      diskAsked: Option[String],
      told: String,
      progress: Boolean
  ): Grid = {
    def axesOf(most: Int) = new Axes(models, known, asked, most, diskAsked.getOrElse(""))
    val cores = Runtime.getRuntime.availableProcessors
    val each = secondsEach(models, axesOf(MostConfigurations).changes)
    val axes = axesOf(math.min(MostConfigurations, (Seconds * cores / each).toInt))
    val grid = new Grids(axes, models.predict(Change()))
    val pool = Executors.newFixedThreadPool(cores)
    try {
      val all = axes.changes.zipWithIndex.map { case (change, i) =>
        pool.submit(new Callable[Unit] { def call(): Unit = grid.put(i, models.predict(change)) })
      }
      for ((simulated, i) <- all.zipWithIndex) {
        simulated.get()
        if (progress) Console.err.print(s"\r${i + 1} of ${all.size} configurations simulated")
      }
      if (progress) Console.err.print("\r\u001b[K")
    } catch { case e: ExecutionException => throw e.getCause }
    finally pool.shutdownNow()
    grid.result(told)
  }

  /** CPU time of one replay, so that a busy computer's page is no poorer; of those timed the latter half, as the first are slow
    * before they are compiled.
    */
  private def secondsEach(models: Models, changes: IndexedSeq[Change]): Double = {
    val threads = ManagementFactory.getThreadMXBean
    val started = threads.getCurrentThreadCpuTime
    def elapsed = (threads.getCurrentThreadCpuTime - started) / 1e9
    val ends = Iterator.iterate(0.0)(x => (x + GoldenRatio) % 1) // evenly among all
      .map(x => changes((x * changes.size).toInt)).map { change => models.predict(change); elapsed }
      .takeWhile(_ < TimedSeconds).toVector :+ elapsed
    val half = ends.size / 2
    (ends.last - (if (half == 0) 0 else ends(half - 1))) / (ends.size - half)
  }
  private final val GoldenRatio = 0.618034
}
