package pellucid.log

import pellucid.trace.{PathTable, PathUse, Tasks, TraceBuilder}

/** What Pellucid's plugin measured of a task, as it stands in the task's end event (docs/observed.md):
  *
  * `[1;CPU-QUEUE;KIND,PATH,REQUESTS,BYTES,MICROS,SIZES;...|MONOTASKS]`
  */
final class ObservedTask(builder: TraceBuilder) {
  import ObservedTask.natural
  private val tasks = builder.tasks
  private val monotasks = new MonotaskText(builder)

  /** Takes nothing, and counts it, where it is not written like that. */
  def read(text: String, row: Int): Unit = if (!understood(text, row)) builder.unreadObservations += 1

  private def understood(text: String, row: Int): Boolean =
    try {
      val parts = text.stripPrefix("[").stripSuffix("]").split("\\|", 2)
      val fields = parts(0).split(";", -1)
      if (fields.length < 2 || fields(0) != "1") false
      else {
        val queued = if (fields(1).isEmpty) 0L else natural(fields(1))
        val uses = fields.drop(2).map(use(_, row))
        tasks.cpuQueueNanos(row) = queued * 1000
        parts.drop(1).foreach(monotasks.read(_, row))
        uses.foreach(add(_, row))
        tasks.set(row, Tasks.Observed)
        // what is read or written through a file system that is not observed stays unmeasured
        def most(kinds: Set[String], of: Long) = uses.iterator.filter(u => kinds(u.kind)).map(_.bytes).sum >= of * Most
        val isBytes = tasks.inputBytes(row) > 0 ||
          tasks.inputRecords(row) == 0 // records without bytes come from elsewhere
        if (isBytes && most(Set("input", "blockRead"), tasks.inputBytes(row))) tasks.set(row, Tasks.InputLogged)
        if (most(Set("output"), tasks.outputBytes(row))) tasks.set(row, Tasks.OutputLogged)
        true
      }
    } catch { case _: IllegalArgumentException => false }

  /** Spark's own number of output bytes has the checksum files of local file systems too. */
  private final val Most = 0.9

  private def use(text: String, row: Int): PathUse = {
    val f = text.split(",", -1)
    require(f.length == 6 && f(0).nonEmpty && f(1).nonEmpty)
    val sizes = new Array[Long](PathTable.Buckets)
    if (f(5).nonEmpty)
      f(5).split(' ').foreach { one =>
        val colon = one.indexOf(':')
        require(colon > 0)
        val bucket = natural(one.take(colon))
        require(bucket < sizes.length)
        sizes(bucket.toInt) = natural(one.drop(colon + 1))
      }
    PathUse(tasks.stage(row), tasks.executor(row), f(0), f(1), natural(f(2)), natural(f(3)), natural(f(4)), sizes)
  }

  private def add(u: PathUse, row: Int): Unit = {
    val column = u.kind match {
      case "input" | "blockRead" => tasks.inputBlockedNanos
      case "output" | "blockWrite" => tasks.outputBlockedNanos
      case "spillWrite" | "spillRead" | "spillWait" => tasks.spillBlockedNanos
      // a sort of a reduce task spills to what Spark names a shuffle file
      case "shuffleWrite" if tasks.shuffleWriteBytes(row) == 0 => tasks.spillBlockedNanos
      case "shuffleWrite" => tasks.shuffleWriteBlockedNanos
      case "shuffleRead" => tasks.localReadNanos
      case "metadata" => tasks.metadataNanos
      case "python" => tasks.pythonWorkerNanos
      case "driver" => tasks.driverWaitNanos
      case "wait" => tasks.lockWaitNanos
      case _ => null // decoding is computing; a fetch overlaps with it: Spark logs how long the task waited
    }
    val nanos = u.micros * 1000
    if (column != null) column(row) = column(row) + nanos
    if ((u.kind == "input" || u.kind == "output") && !u.onDiskOf(builder.host(u.executor)))
      tasks.remoteBlockedNanos(row) = tasks.remoteBlockedNanos(row) + nanos
    builder.paths.add(u)
  }
}

private[log] object ObservedTask {

  /** A number of what the plugin writes: none of them is negative. */
  def natural(text: String): Long = {
    val n = text.toLong
    require(n >= 0)
    n
  }
}
