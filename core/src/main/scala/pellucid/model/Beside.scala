package pellucid.model

import pellucid.trace.{MachineSample, Trace}

/** CPU time of machines beside what recorded steps had: of collectors and compilers, which comes with computing, and of datanodes, of whoever serves
  * shuffles and of the kernel, which comes with the network. A slow network brings less at a time, and each time costs: that goes with its time, not
  * with its bytes. Of each sample of the counters either has the part that goes with its time in it.
  *
  * Steps may have had to share their cores with it, so it is what nothing that they had can be; 0 where counters do not tell. What several executors of a
  * host have in one container is none of it: their steps are told together where its counters have as much.
  */
private final class Beside(trace: Trace, work: Work) {
  import work.{begin, end, kind, micros, table, usesNetwork}

  private val computing = (0 until table.size).filter(kind(_) == Resource.Cpu)
  private val transfers = (0 until table.size).filter(usesNetwork)

  private val (withComputing, withTransfers) = {
    val (computed, transferred) = (new Steps(computing), new Steps(transfers))
    val ofSamples = trace.machines.toSeq.flatMap { case (executor, all) =>
      val samples = all.filter(_.coveredMillis > 0).sortBy(_.fromMillis).toIndexedSeq
      val ofHost = within(samples, computed.ofHost(executor))
      val together = samples.map(used).sum >= ofHost.sum
      val c = if (together) ofHost else within(samples, computed.ofExecutor(executor))
      val t = within(samples, if (together) transferred.ofHost(executor) else transferred.ofExecutor(executor))
      samples.indices.map { s =>
        val beside = used(samples(s)) - c(s)
        val withTransfers = if (t(s) > 0) beside * t(s) / (c(s) + t(s)) else 0.0
        ((beside - withTransfers, c(s)), (withTransfers, t(s)))
      }
    }
    (each(ofSamples.map(_._1)), each(ofSamples.map(_._2)))
  }

  private final class Steps(all: Seq[Int]) {
    private def executorOf(step: Int) = trace.tasks.executor(table.task(step))
    val ofExecutor: Map[Int, Seq[Int]] = all.groupBy(executorOf).withDefaultValue(Nil)
    private val ofHosts = all.groupBy(step => trace.executors(executorOf(step)).host).withDefaultValue(Nil)
    def ofHost(executor: Int): Seq[Int] = ofHosts(trace.executors(executor).host)
  }

  /** Of what was beside steps, and what they had, in each sample. */
  private def each(samples: Seq[(Double, Double)]): Double = {
    val had = samples.map(_._2).sum
    if (had > 0) math.max(0, samples.map(_._1).sum / had) else 0
  }

  /** That comes with each microsecond of the step. */
  def of(step: Int): Double =
    if (kind(step) == Resource.Cpu) withComputing else if (usesNetwork(step)) withTransfers else 0

  /** Microseconds of CPU time in the part of a sample that is in the application. */
  private def used(m: MachineSample): Double = {
    val inside = math.max(0, math.min(m.untilMillis, trace.endMillis) - math.max(m.fromMillis, trace.startMillis))
    m.usedCpuMillis * 1e3 * inside / (m.untilMillis - m.fromMillis)
  }

  /** What the steps had of their resource in each of the samples, as if they had had it evenly. */
  private def within(samples: IndexedSeq[MachineSample], steps: Seq[Int]): Array[Double] = {
    val had = new Array[Double](samples.size)
    var first = 0
    for (step <- steps.sortBy(begin) if micros(step) > 0) {
      while (first < samples.size && samples(first).untilMillis * 1000 <= begin(step)) first += 1
      var s = first
      while (s < samples.size && samples(s).fromMillis * 1000 < end(step)) {
        val from = math.max(samples(s).fromMillis * 1000, begin(step))
        val until = math.min(samples(s).untilMillis * 1000, end(step))
        had(s) += micros(step) * (until - from) / (end(step) - begin(step))
        s += 1
      }
    }
    had
  }
}
