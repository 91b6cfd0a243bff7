package pellucid.cost

import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.demand.Use
import pellucid.trace.{ApplicationInfo, PathUse, Tasks, Trace}

/** What a recorded application asks of any cluster.
  *
  * A stock log does not tell waiting for a disk from other waiting: all waiting that its input, output or spill can
  * explain is taken to be I/O. It does not tell cached input from input on disk either. An observed or monotask log has
  * both measured. In a monotask log tasks wait for cores, too, which is not their computing.
  */
object Demands {

  /** Of HDFS. */
  private final val BlockBytes = 134217728.0

  /** @param perCore T of these kinds of I/O, in bytes per second: what of it is a core's own work is in no other computing */
  def of(trace: Trace, perCore: Map[IoKind, Double] = Map.empty): JobDemand = {
    val notes = Seq.newBuilder[String]
    val replicas = trace.application.replication.getOrElse(ApplicationInfo.DefaultReplication)
    val own = new OwnTime(trace)
    val slots = math.max(1, Use.slots(trace))
    val phases = new TaskPhases(trace.tasks)
    val paths = trace.paths.groupBy(_.stage)
    val ran = trace.stages.indices.groupMapReduce(trace.stages(_).id)(trace.tasksOfStage(_).length)(math.max)
    val tasksOfId = trace.jobs.iterator.flatMap(_.stageTasks).toMap ++ ran.filter(_._2 > 0)
    var anyObserved, unknownMappers = false
    var elsewhere = 0.0 // bytes of input
    val name = if (trace.application.name.nonEmpty) trace.application.name else trace.application.id
    notes ++= trace.intake.lacks.map(lack => s"$name: $lack")
    val stages = for (s <- trace.stages.indices; rows = trace.tasksOfStage(s) if rows.nonEmpty) yield {
      val info = trace.stages(s)
      val sums = new TaskSums(trace.tasks, rows, phases)
      val measured = if (sums.observed) paths.getOrElse(s, Nil) else Nil
      def of(uses: Seq[PathUse], kind: String) = uses.filter(_.kind == kind).map(_.bytes).sum.toDouble
      def total(kind: String) = of(measured, kind)
      if (sums.observed) anyObserved = true
      val mappers = info.parentIds.flatMap(tasksOfId.get).sum
      if (sums.shuffleRead > 0 && mappers == 0) unknownMappers = true
      val perTask = 1.0 / rows.length
      // of local blocks the requests that were measured are the decompression's
      val blocks = measured.filter(_.kind == "shuffleFetch")
      // of file systems that the plugin does not measure Spark itself knows how much
      val isMeasured = measured.exists(_.kind == "output")
      val output = if (isMeasured) total("output") else sums.output
      val inHdfs =
        if (isMeasured) of(measured.filter(use => use.path.startsWith("hdfs") || use.inStore), "output") else output
      val file = math.min(BlockBytes, output * perTask)
      val persistedRead = total("blockRead") + sums.spilled
      val persistedWrite = total("blockWrite") + sums.spilled
      val input = if (sums.observed) total("input") else sums.input
      if (sums.observed && input == 0) elsewhere += sums.input
      val io = Seq(
        Io(IoKind.HdfsRead, input, math.min(BlockBytes, input * perTask)),
        // what HDFS is given it writes several times; a local file system once
        Io(IoKind.HdfsWrite, inHdfs * replicas, file, replicas = replicas),
        Io(IoKind.HdfsWrite, output - inHdfs, file),
        Io(
          IoKind.ShuffleRead,
          sums.shuffleRead,
          meanRequest(blocks).getOrElse(sums.shuffleRead * perTask / (if (mappers > 0) mappers else rows.length))
        ),
        Io(IoKind.ShuffleWrite, sums.shuffleWrite, sums.shuffleWrite * perTask),
        Io(IoKind.PersistRead, persistedRead, persistedRead * perTask),
        Io(IoKind.PersistWrite, persistedWrite, persistedWrite * perTask)
      ).filter(_.bytes > 0).map(io => io.copy(coreBytesPerSecond = perCore.get(io.kind)))
      val told = io.filter(_.coreBytesPerSecond.isDefined)
      val ioComputed =
        if (told.isEmpty) 0.0
        else {
          val atT = told.map(io => io.bytes / io.replicas / io.coreBytesPerSecond.get).sum
          val waited = // for which I/O it was a stock log does not say
            if (sums.observed) sums.waited(told.map(_.kind))
            else sums.blockedSeconds * told.map(_.bytes).sum / io.map(_.bytes).sum
          math.max(0.0, atT - waited)
        }
      val taskSeconds = sums.durationSeconds * perTask
      val seconds = own.ofStage(s)
      val leastWaves = if (taskSeconds > 0) math.min(1.0, seconds / taskSeconds) else 1.0
      val serial = math.max(0.0, seconds - math.max(leastWaves, rows.length.toDouble / slots) * taskSeconds)
      StageDemand(
        name,
        info.id,
        info.name,
        rows.length,
        math.max(0.0, sums.computeSeconds - ioComputed) * perTask,
        io,
        StageDemand.serial(serial),
        leastWaves,
        seconds,
        if (info.numTasks > 0) math.max(0, rows.length - info.numTasks) else 0,
        trace.application.taskCpus
      )
    }
    def bytes(of: IoKind)(stage: StageDemand) = stage.io.filter(_.kind == of).map(_.bytes).sum
    if (!anyObserved)
      notes +=
        s"$name: a stock log; all waiting of tasks that read, write or spill is taken to be for I/O, " +
          "and all input to be on disk"
    if (elsewhere > 0) notes += f"$name: ${elsewhere / 1e6}%,.0f MB of input came from no disk that was measured: " +
      "from memory, it is taken (where it came from a store that the plugin does not measure, a log without it has it as input)"
    val input = stages.map(bytes(IoKind.HdfsRead)).maxOption.getOrElse(0.0)
    if (input + stages.map(bytes(IoKind.HdfsWrite)).sum > 0 && trace.application.replication.isEmpty) notes +=
      s"$name: HDFS is taken to have $replicas replicas of input and output, which the log does not say"
    if (unknownMappers)
      notes += s"$name: of a shuffle whose writers are not in the log, as many are taken to have written as read"
    JobDemand(
      Seq(name),
      stages,
      own.driverSeconds,
      stages.map(s => bytes(IoKind.ShuffleWrite)(s) + bytes(IoKind.PersistWrite)(s)).sum,
      Seq(Replicated(input * replicas, replicas)),
      notes.result()
    )
  }

  private def meanRequest(uses: Seq[PathUse]): Option[Double] = {
    val requests = uses.map(_.requests).sum
    Option.when(requests > 0)(uses.map(_.bytes).sum.toDouble / requests).filter(_ > 0)
  }

  private final class TaskSums(tasks: Tasks, rows: Array[Int], phases: TaskPhases) {
    var input, output, shuffleRead, shuffleWrite, spilled, durationSeconds, blockedSeconds, computeSeconds = 0.0
    var observed = false

    /** Seconds, where they were measured. */
    def waited(kinds: Seq[IoKind]): Double = {
      val of = kinds.map {
        case IoKind.HdfsRead => Phase.InputRead
        case IoKind.HdfsWrite => Phase.OutputWrite
        case IoKind.ShuffleRead => Phase.ShuffleRead
        case IoKind.ShuffleWrite => Phase.ShuffleWrite
        case IoKind.PersistRead | IoKind.PersistWrite => Phase.Spill
      }.distinct
      rows.iterator.map { row => phases.load(row); of.map(phases(_)).sum }.sum / 1e9
    }

    for (row <- rows) {
      phases.load(row)
      val duration = tasks.durationMillis(row) * 1000000L
      durationSeconds += duration / 1e9
      val blocked = if (tasks.is(row, Tasks.Observed)) phases.neitherLogged else phases.diskAtMost
      blockedSeconds += blocked / 1e9
      computeSeconds += math.max(0L, duration - blocked - phases(Phase.CpuQueue)) / 1e9
      input += tasks.inputBytes(row).toDouble
      output += tasks.outputBytes(row).toDouble
      shuffleRead += tasks.shuffleReadBytes(row).toDouble
      shuffleWrite += tasks.shuffleWriteBytes(row).toDouble
      spilled += tasks.diskSpilledBytes(row).toDouble
      if (tasks.is(row, Tasks.Observed)) observed = true
    }
  }
}

/** The application's time by stage: of a moment in which tasks of several stages ran each has its tasks' share. So the
  * stages' times and the time without tasks add up to the application's, as in Doppio's sum over stages.
  */
private[cost] final class OwnTime(trace: Trace) {
  private val tasks = trace.tasks
  private val seconds = new Array[Double](trace.stages.size)

  def ofStage(row: Int): Double = seconds(row)
  lazy val driverSeconds: Double = math.max(0.0, (trace.endMillis - trace.startMillis) / 1e3 - seconds.sum)

  private val starts = trace.byLaunch
  private val running = new Array[Int](trace.stages.size)
  private val since = new Array[Double](trace.stages.size) // of `each`, when the stage's number of tasks changed
  private var all = 0
  private var each = 0.0 // seconds that a task would have had which ran all along
  private var now = 0L

  private def change(row: Int, millis: Long, by: Int): Unit = {
    if (all > 0) each += math.max(0L, millis - now) / 1e3 / all
    now = math.max(now, millis)
    val s = tasks.stage(row)
    seconds(s) += running(s) * (each - since(s))
    since(s) = each
    running(s) += by
    all += by
  }

  {
    val ends = starts.sortBy(tasks.finishMillis(_))
    var next = 0
    for (row <- starts) {
      while (next < ends.length && tasks.finishMillis(ends(next)) <= tasks.launchMillis(row) && ends(next) != row) {
        change(ends(next), tasks.finishMillis(ends(next)), -1)
        next += 1
      }
      change(row, tasks.launchMillis(row), 1)
    }
    while (next < ends.length) { change(ends(next), tasks.finishMillis(ends(next)), -1); next += 1 }
  }
}
