package pellucid.trace

/** Makes times that were sampled fit the tasks that they were sampled in.
  *
  * A look at a task's stack is charged with the time since the look before. Of tasks shorter than that, few are seen, and those
  * are charged more than they have: each stands for others of its stage that did the same unseen. What a task has no room for
  * goes to the stage's tasks in proportion to the waiting that nothing names in them. So a stage's sums are what was sampled, as
  * far as there is waiting for it.
  */
private[trace] object SampledTime {
  def spread(tasks: Tasks, stages: Int): Unit = {
    val kinds = Array(tasks.pythonWorkerNanos, tasks.driverWaitNanos, tasks.lockWaitNanos)
    val excess = Array.fill(kinds.length)(new Array[Double](stages)) // by kind and stage: what found no room
    val room = new Array[Double](stages)

    def sampled(row: Int) = kinds.iterator.map(_(row)).sum
    def each(f: (Int, Int, Double) => Unit): Unit = { // row, stage, unnamed waiting
      var row = 0
      while (row < tasks.size) {
        if (tasks.is(row, Tasks.Observed)) f(row, tasks.stage(row), unnamedNanos(tasks, row).toDouble)
        row += 1
      }
    }

    each { (row, stage, unnamed) =>
      val seen = sampled(row)
      if (seen > unnamed)
        for (k <- kinds.indices) {
          val own = kinds(k)(row) * unnamed / seen
          excess(k)(stage) += kinds(k)(row) - own
          kinds(k)(row) = own.toLong
        }
      else room(stage) += unnamed - seen
    }
    val all = Array.tabulate(stages)(s => excess.iterator.map(_(s)).sum)
    if (all.exists(_ > 0))
      each { (row, stage, unnamed) =>
        val left = unnamed - sampled(row)
        if (all(stage) > 0 && left > 0) {
          val taken = left * math.min(1, all(stage) / room(stage))
          for (k <- kinds.indices)
            kinds(k)(row) = kinds(k)(row) + (taken * excess(k)(stage) / all(stage)).toLong
        }
      }
  }

  /** Run time that neither Spark nor a measurement names: what [[pellucid.breakdown.TaskPhases]] leaves for samples. */
  private def unnamedNanos(t: Tasks, row: Int): Long = math.max(
    0L,
    t.runMillis(row) * 1000000L - t.cpuNanos(row) - t.gcMillis(row) * 1000000L - t.cpuQueueNanos(row) -
      t.inputBlockedNanos(row) - t.fetchBlockedNanos(row) - t.localReadNanos(row) - t.outputBlockedNanos(row) -
      t.spillBlockedNanos(row) - t.metadataNanos(row) -
      math.max(t.shuffleWriteBlockedNanos(row), t.shuffleWriteNanos(row))
  )
}
