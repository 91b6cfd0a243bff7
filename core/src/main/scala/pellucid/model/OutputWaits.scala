package pellucid.model

import scala.collection.mutable

import pellucid.trace.Trace

/** How long the recorded tasks waited, of the time that they took for output to other machines, until page caches there had room for it. Which machines
  * got which replicas the log does not tell: they are taken for one disk, the mean of all, that writes what goes to any of them.
  *
  * @param micros that each step had of the network alone, if it waited for nothing else
  */
private final class OutputWaits(trace: Trace, work: Work, output: Output, micros: Array[Double]) {
  import work.{begin, end, table}
  private val written = (0 until table.size).filter(work.kind(_) == Resource.Output)

  /** Those of each task, in their order, of which the last closes its file. */
  private val files: Seq[IndexedSeq[Int]] = written.groupBy(table.task(_)).values.toSeq

  /** Something is written to disks whose speed is known. */
  def areKnown: Boolean = files.nonEmpty && output.disk > 0

  /** What the mean disk needs of what the step writes, to other machines or its own. */
  private def needs(step: Int): Double =
    if (work.kind(step) == Resource.Output) work.needs(step) else work.needs(step) / work.disks

  /** When the mean disk has written the file so far, if it goes on writing; and what its page cache held before each step. */
  private val (clean, held): (Map[Int, Double], Map[Int, Double]) = {
    val inTurn = (0 until table.size).filter(s => written.nonEmpty && needs(s) > 0).sortBy(begin)
    val cache = new PageCache(work.idle)
    val before, after = mutable.HashMap.empty[Int, Double]
    for (s <- inTurn) { before(s) = cache.holds(begin(s)); after(s) = cache.write(begin(s), needs(s)) }
    (
      files.flatMap(file => file.zip(file.scanLeft(0.0)((before, s) => after.getOrElse(s, before)).tail)).toMap,
      before.toMap
    )
  }

  /** What the network needs for the step's bytes beside others: what it took beyond that it may have waited. */
  private def ofNetwork(step: Int): Double = {
    val bytes = table.bytes(step) * output.network * 1e6
    if (micros(step) <= bytes) table.serviceMicros(step).toDouble else table.serviceMicros(step) * bytes / micros(step)
  }

  /** What a disk needs for one replica. */
  private def needed(file: IndexedSeq[Int]): Double = file.map(table.bytes(_) * output.disk * 1e6).sum

  /** What a stage's output kept busy for most of the time, disks or network cards, if it did: then its files waited for that. For disks whatever the mean
    * one had written, as none is: some get more replicas, and those with fewer idle meanwhile; but not where none can have had so much that anything
    * waits for it.
    */
  private val busy: Map[Int, Resource] =
    written.groupBy(s => trace.tasks.stage(table.task(s))).flatMap { case (stage, steps) =>
      val needed = steps.map(needs).sum
      val before = steps.filter(held.contains).minByOption(begin).fold(0.0)(held)
      // of each file a replica is on its own machine
      val own = steps.groupMapReduce(s => work.hostOf(table.task(s)))(table.bytes(_) * output.disk * 1e6)(_ + _)
      val most = math.max(needed * OutputWaits.MostOfMean, own.values.max / work.disksOfMachine) +
        before * OutputWaits.MostOfMean
      val disk = if (work.room.exists(_ >= most)) 0.0 else needed
      val network = steps.map(table.bytes(_) * output.network * 1e6).sum / work.machines
      Option.when(math.max(disk, network) > (steps.map(end).max - steps.map(begin).min) * OutputWaits.Busy)(
        stage -> (if (disk > network) Resource.Disk else Resource.Network)
      )
    }

  def waitedFor(stage: Int): Option[Resource] = busy.get(stage)

  /** Files that were closed while disks were behind, after more than copying them to memory takes. */
  private val waited = files.filter { file =>
    val beyond = file.map(s => table.serviceMicros(s) - ofNetwork(s)).sum
    val behind = clean(file.last) > end(file.last) ||
      waitedFor(trace.tasks.stage(table.task(file.last))).contains(Resource.Disk)
    behind && needed(file) > 0 && beyond >= needed(file) * Work.Waited
  }
  private val ofWaited = waited.flatten.toSet

  /** What was left for the disk to write when those went on that had waited for it, in the mean of their bytes, as the time that it needs for it; None
    * where none had.
    */
  val left: Option[Double] = Option.when(waited.nonEmpty)(
    waited.map(f => needed(f) * math.max(0, clean(f.last) - end(f.last))).sum / waited.map(needed).sum
  )

  /** What each step had of the network alone.
    *
    * @param room of a page cache, as the time that a disk needs for it
    */
  def without(room: Double): Array[Double] = {
    val out = micros.clone()
    for (s <- written if table.serviceMicros(s) > 0) out(s) *= 1 - wait(s, room) / table.serviceMicros(s)
    out
  }

  private def wait(step: Int, room: Double): Double = {
    val hadRoom = if (ofWaited(step)) end(step).toDouble else math.min(end(step).toDouble, clean(step) - room)
    math.max(0, hadRoom - begin(step) - ofNetwork(step))
  }
}

private object OutputWaits {

  /** A part of the time: disks that have to do for longer than that are what is waited for. */
  private final val Busy = 0.5

  /** What the disk with the most replicas has, to the mean. */
  private final val MostOfMean = 1.5
}
