package pellucid.model

import java.util.SplittableRandom
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import pellucid.disk.DiskProfile

/** What writing to other machines takes: all replicas go to disks, by way of page caches, and all but the first through the network.
  *
  * @param disk seconds of a byte of the disk of each replica
  * @param network seconds of a byte until it is through the network while all machines write: more than a network card needs, as some machines
  *                happen to send or receive more than others at a time
  * @param ofCard the part of a network card that a machine which writes uses meanwhile, in the mean
  * @param replicas machines that have each block
  */
final case class Output(disk: Double, network: Double, ofCard: Double, replicas: Int)

object Output {

  /** As if it took nothing. */
  val Free: Output = Output(0, 0, 0, 1)

  /** HDFS' own (`dfs.blocksize`), which Spark's log does not have. */
  final val BlockBytes = 128L << 20

  /** Of a file that a task writes on while they are on their way: 80 packets of 64 KB (HDFS' `dfs.client.write.max-packets-in-flight`). */
  final val OnTheWayBytes = 80 << 16

  /** Datanodes' page caches make large requests of small files. */
  private final val RequestBytes = 128e6

  /** Enough to know a mean; of more machines, or tasks that write at once, it is as of so many (within 5 %). */
  private final val DrawnFlows = 666
  private final val MostMachines = 12
  private final val MostAtOnce = 8

  /** That one such disk needs to write it. */
  def secondsOfByte(disk: DiskProfile): Double = 1 / disk.writeBytesPerSecond(RequestBytes)

  /** What is not known of a cluster takes no time.
    *
    * @param blocks that are written, and `atOnce` of each machine
    */
  def of(c: Cluster, blocks: Int, atOnce: Int): Output = {
    val ofMachine = math.max(1, blocks).toDouble / c.machines
    val disk = if (c.without(Resource.Disk)) 0 else c.disk.fold(0.0)(secondsOfByte)
    val card = if (c.without(Resource.Network) || c.replicas == 1) 0 else c.networkBytesPerSecond.fold(0.0)(1 / _)
    if (card == 0) Output(disk, 0, 0, c.replicas)
    else {
      val bytes = bytesOfCard(c, ofMachine, atOnce)
      val mean = math.max(1, (c.replicas - 1) * math.min(1.0, ofMachine)) // of the other machines so many write, too
      Output(disk, card * bytes, math.min(1, mean / bytes), c.replicas)
    }
  }

  private val known = new ConcurrentHashMap[(Int, Int, Int), Double]

  /** Of a byte that each machine writes: those of a network card while it is on its way. Nothing makes up for what is uneven: what machines send each
    * other goes at the speeds at which none can have more without another that has no more having less (max-min fairness).
    */
  private def bytesOfCard(c: Cluster, ofMachine: Double, atOnce: Int): Double = {
    val some = math.min(c.machines, math.max(MostMachines, c.replicas))
    val flows = math.min(ofMachine, math.min(atOnce, MostAtOnce).toDouble) * some
    known.computeIfAbsent(
      (some, c.replicas, math.max(1, math.round(flows).toInt)),
      { case (machines, replicas, flows) =>
        val random = new SplittableRandom(1)
        // cards of machine m: as it sends, 2m, and receives, 2m + 1
        def chain(writer: Int) = {
          val of = placement(writer, machines, replicas, random)
          of.init.map(2 * _) ++ of.tail.map(2 * _ + 1)
        }
        mean(math.max(4, DrawnFlows / flows)) {
          val speeds = fair(Array.tabulate(flows)(f => chain(f % machines)), 2 * machines)
          speeds.map(1 / _).sum / flows / math.max(1.0, flows.toDouble / machines)
        }
      }
    )
  }

  private def mean(times: Int)(value: => Double): Double = Seq.fill(times)(value).sum / times

  /** The machines of a block: the one that writes it, which sends it on to another, and that to the next, drawn at random. */
  def placement(writer: Int, machines: Int, replicas: Int, random: SplittableRandom): Array[Int] = {
    val of = mutable.LinkedHashSet(writer)
    while (of.size < replicas) of += random.nextInt(machines)
    of.toArray
  }

  /** How fast each flow goes through its cards, of which each has a speed of 1 for all of them together. */
  private def fair(flows: Array[Array[Int]], cards: Int): Array[Double] = {
    val left = Array.fill(cards)(1.0)
    val count = new Array[Int](cards)
    flows.foreach(_.foreach(count(_) += 1))
    val speed = new Array[Double](flows.length)
    var rising: IndexedSeq[Int] = flows.indices
    while (rising.nonEmpty) {
      val full = (0 until cards).filter(count(_) > 0).minBy(card => left(card) / count(card))
      val more = left(full) / count(full)
      for (card <- 0 until cards) left(card) -= more * count(card)
      rising.foreach(speed(_) += more)
      val (done, others) = rising.partition(flows(_).contains(full))
      done.foreach(flows(_).foreach(count(_) -= 1))
      rising = others
    }
    speed
  }
}
