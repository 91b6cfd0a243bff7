package pellucid.monotask

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import pellucid.observe.QueueLevel
import pellucid.sched.MonotaskPhase
import pellucid.trace.PathTable

/** The resources of an executor, each with its own scheduler (thesis section 5.3.3). */
private[monotask] final class Resources(cores: Int, disks: DiskSlots, networkSlots: Int, outputSlots: Int) {
  val cpu = new Gate("cpu", cores)
  val network = new Gate("network", networkSlots)

  /** As many tasks as may be at once. The others wait here for their first monotask, where Spark cannot be told to hand out fewer; elsewhere it is open. */
  val tasks = new Gate("tasks", cores)
  private val others = new ConcurrentHashMap[String, Gate]
  @volatile private var opened = false

  /** Where nothing ends for long while others wait, one more may begin: a machine that is slow or gone should not keep them from the rest. What is
    * written goes to machines that HDFS chooses, and so may what is read from a datanode's disk. Returns at which but the network, where a second is
    * enough, one more has begun.
    */
  def overdraw(): Seq[String] = {
    network.overdrawAfter(Resources.SlowNanos)
    others.values.asScala.filter(_.overdrawAfter(Resources.GoneNanos)).map(_.resource).toSeq
  }

  /** Whether memory is `short` is asked only where something waits for it. */
  def freeingFirst(short: => Boolean): Unit = {
    lazy val now = short
    others.values.forEach(gate => if (gate.waits > 0) gate.freeingFirst(now))
  }

  /** What one more task wants is free, as far as the youngest one shows: it waits for a disk that has another one beside it which is free, or in no
    * queue, and there is none that is long: the next task would come to that later. Nor has what is written to other machines all its slots in use while a
    * task is there to follow: what one more fetched would only keep that from the network. Of a stage's first output disks have nothing yet, so none follows
    * until some of it is written, or a second has gone by.
    *
    * @param waits in whose queue it is, and for what
    * @param longest how many tasks wait in the longest queue
    * @param begun tasks
    */
  def areFreeAfter(waits: Option[(Gate, MonotaskPhase)], longest: Int, begun: Int): Boolean = {
    def isFull(place: String, gate: Gate) =
      !Resources.isDisk(place) && (if (gate.beginsAnew) begun >= gate.slots else begun > gate.slots && !gate.isFree)
    !others.asScala.exists { case (place, gate) => isFull(place, gate) } && waits.fold(longest <= 1) {
      case (gate, phase) =>
        val ofDisks = others.asScala.collect { case (place, disk) if Resources.isDisk(place) => disk }.toSeq
        ofDisks.contains(gate) && ofDisks.exists(_.isFreeFor(phase))
    }
  }

  /** How many monotasks of all resources run or wait, and tasks that wait for their first one or have begun. */
  def busy: Int = gates.map(_.busy).sum

  /** Of those where there is something. */
  def levels(): Seq[QueueLevel] = gates.filterNot(_ eq tasks).map(_.level()).filterNot(_.isEmpty)

  private def gates = Seq(cpu, network, tasks) ++ others.values.asScala

  /** `disk:NAME` is a disk of this machine; all else comes through the network. What is written through it waits for
    * disks of several machines, and has slots of its own. An object store takes its time for each request, and sends each no more than a part of what
    * the network can take: as many as in stock Spark have it at once.
    */
  def of(place: String, phase: MonotaskPhase): Gate =
    if (Resources.isDisk(place)) other(place, disks.of)
    else if (place.startsWith(PathTable.Store)) other(place, _ => math.max(cores, networkSlots))
    else if (phase == MonotaskPhase.OutputWrite) other(s"network:$place", _ => outputSlots)
    else network

  private def other(name: String, slots: String => Int): Gate = {
    val gate = others.computeIfAbsent(name, name => new Gate(name, slots(name)))
    if (opened) gate.open()
    gate
  }

  /** Nobody waits for any of them any more. */
  def open(): Unit = { opened = true; gates.foreach(_.open()) }
}

object Resources {
  final val Disk = "disk:"
  private final val SlowNanos = 1000000000L

  /** More than a slow disk takes for one monotask. */
  private final val GoneNanos = 10000000000L

  /** Of this machine. */
  def isDisk(place: String): Boolean = place.startsWith(Disk) || place == "disk"
}
