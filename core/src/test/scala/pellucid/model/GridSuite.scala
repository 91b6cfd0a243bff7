package pellucid.model

import pellucid.TraceOf
import pellucid.trace.Trace

class GridSuite extends munit.FunSuite {

  /** Stages of two tasks one after the other on two cores, a job each; task t of stage s computes 100 * (s + 1) + t ms, half of it
    * reading.
    */
  private def stages(n: Int): Trace = {
    val of = new TraceOf(Seq(1, 1))
    (0 until n).foldLeft(0L) { (from, s) =>
      val to = from + 100 * (s + 1) + 1
      of.job(s, from, to, s).stage(s, from, to)
      for (t <- 0 to 1)
        of.task(s, from, to - 1 + t, executor = t) { (tasks, row) =>
          tasks.cpuNanos(row) = (to - from) * 500000L
          tasks.inputBytes(row) = 1000000L * (s + 1)
        }
      to
    }
    of.result()
  }

  private def grid(trace: Trace, axes: Axes, models: Models): Grid = {
    val grids = new Grids(axes, models.predict(Change()))
    axes.changes.indices.reverse.foreach(i => grids.put(i, models.predict(axes.changes(i))))
    grids.result("--disk-now hdd")
  }

  test("each number is that of the prediction, in milliseconds") {
    val trace = stages(3)
    val models = new Models(trace)
    val axes = new Axes(models, Known(), Change(machines = Some(3)), 60)
    val g = grid(trace, axes, models)
    assertEquals((g.configurations, g.jobsInAll, g.stagesInAll), (axes.changes.size, 3, 3))
    def millis(seconds: Double) = math.round(seconds * 1000)
    for ((change, i) <- axes.changes.zipWithIndex) {
      val w = models.predict(change)
      val a = g.application
      assertEquals(
        Seq(a.replayMillis, a.idealMillis, a.slotsMillis, a.idealNextMillis).map(_(i)),
        Seq(w.application.replay, w.application.ideal, w.application.slots, w.application.idealNext).map(millis)
      )
      assertEquals(
        Option.when(g.validation(i) >= 0)((
          g.validations(g.validation(i)).predictions,
          a.lowMillis(i),
          a.highMillis(i)
        )),
        w.validation.map(v => (v.predictions, millis(v.low), millis(v.high)))
      )
      for ((stage, s) <- w.stages.zipWithIndex) {
        val column = g.stages(s)
        assertEquals((column.id, column.seconds), (stage.id, stage.prediction.seconds))
        assertEquals(column.replayMillis(i), millis(stage.prediction.replay))
        assertEquals(column.idealNextMillis(i), millis(stage.prediction.idealNext))
        assertEquals(Option(g.bottlenecks(column.bottleneck(i).asDigit)), stage.bottleneckNext)
        assertEquals(Option(g.bottlenecks(column.bottleneckNow.head.asDigit)), stage.bottleneckNow)
      }
      for ((job, j) <- w.jobs.zipWithIndex) {
        assertEquals(g.jobs(j).replayMillis(i), millis(job.prediction.replay))
        assertEquals(g.jobs(j).idealNextMillis(i), millis(job.prediction.idealNext))
      }
      for ((resource, sums) <- g.bottlenecks.zip(g.bottleneckMillis))
        assertEquals(sums(i), millis(w.stages.filter(_.bottleneckNext.contains(resource)).map(_.prediction.replay).sum))
    }
  }

  test("of more stages than a page can hold it has the longest, and in all no more than three megabytes") {
    val trace = stages(300)
    val models = new Models(trace)
    val axes = new Axes(models, Known(), Change(), 1200)
    val recorded = models.predict(Change())
    val grids = new Grids(axes, recorded)
    axes.changes.indices.foreach(grids.put(_, recorded)) // seconds of up to five digits
    val g = grids.result("--disk-now hdd")
    assertEquals((g.jobsInAll, g.stagesInAll), (300, 300))
    val kept = 400000 / (2 * axes.changes.size)
    assertEquals(g.jobs.size + g.stages.size, kept)
    assertEquals(g.stages.map(_.id), (0 until 300).takeRight(g.stages.size))
    val bytes = Grid.json(g).length
    assert(bytes < 3000000, bytes)
  }

  test("the answers may come from several threads") {
    val trace = stages(20)
    val models = new Models(trace)
    val axes = new Axes(models, Known(), Change(), 100)
    val once = Grid.json(grid(trace, axes, models))
    val again = {
      val grids = new Grids(axes, models.predict(Change()))
      java.util.stream.IntStream.range(0, axes.changes.size).parallel.forEach(i =>
        grids.put(i, models.predict(axes.changes(i)))
      )
      Grid.json(grids.result("--disk-now hdd"))
    }
    assertEquals(new String(again), new String(once))
  }
}
