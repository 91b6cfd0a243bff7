package pellucid.model

import java.util.SplittableRandom
import java.util.concurrent.ConcurrentHashMap

import pellucid.disk.DiskProfile

/** What writing to other machines takes while all machines write: all replicas go to disks, and all but the first through the network.
  *
  * @param disk seconds of a byte of each disk of a machine, in the mean, and `network` of its network card
  * @param secondsOfByte until the byte is written: more than either, as some machines happen to get more replicas than others
  */
final case class Output(disk: Double, network: Double, secondsOfByte: Double) {

  /** While a machine writes, of each disk, and of the network. */
  val ofDisk: Double = if (disk > 0) disk / secondsOfByte else 0
  val ofNetwork: Double = if (network > 0) network / secondsOfByte else 0
}

object Output {

  /** As if it took nothing. */
  val Free: Output = Output(0, 0, 0)

  /** Datanodes' page caches make large requests of small files. */
  private final val RequestBytes = 128e6

  /** Enough to know a mean; of more machines, or tasks that write at once, it is as of so many (within 5 %). */
  private final val DrawnReplicas = 40000
  private final val DrawnFlows = 666
  private final val MostBlocks = 20000
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
    val others = math.min(1.0, ofMachine) // of the other machines so many write, too
    val ofDisk = if (c.without(Resource.Disk)) 0 else c.disk.fold(0.0)(secondsOfByte(_) / c.disks)
    val ofCard =
      if (c.without(Resource.Network) || c.replicas == 1) 0 else c.networkBytesPerSecond.fold(0.0)(1 / _)
    val seconds = math.max(
      if (ofDisk > 0) ofDisk * bytesOfDisks(c, ofMachine) else 0,
      if (ofCard > 0) ofCard * bytesOfCard(c, ofMachine, atOnce) else 0
    )
    val (disk, network) = (ofDisk * (1 + (c.replicas - 1) * others), ofCard * math.max(1, (c.replicas - 1) * others))
    Output(math.min(disk, seconds), math.min(network, seconds), seconds)
  }

  private val known = new ConcurrentHashMap[(String, Int, Int, Int), Double]

  /** Of a byte that each machine writes: those of the disks of the machine that gets most of all blocks, as page caches make up for what is uneven
    * only at a moment.
    */
  private def bytesOfDisks(c: Cluster, ofMachine: Double): Double = known.computeIfAbsent(
    ("disks", c.machines, c.replicas, math.min(math.round(ofMachine * c.machines), MostBlocks).toInt),
    { case (_, machines, replicas, blocks) =>
      val draw = new Draw(machines, replicas)
      mean(math.max(4, DrawnReplicas / (blocks * replicas))) {
        val of = new Array[Int](machines)
        for (b <- 0 until blocks) draw(b % machines).foreach(of(_) += 1)
        of.max / math.max(1.0, blocks.toDouble / machines)
      }
    }
  )

  /** Of a byte that each machine writes: those of a network card while it is on its way. Nothing makes up for what is uneven: what machines send each
    * other goes at the speeds at which none can have more without another that has no more having less (max-min fairness).
    */
  private def bytesOfCard(c: Cluster, ofMachine: Double, atOnce: Int): Double = {
    val some = math.min(c.machines, math.max(MostMachines, c.replicas))
    val flows = math.min(ofMachine, math.min(atOnce, MostAtOnce).toDouble) * some
    known.computeIfAbsent(
      ("cards", some, c.replicas, math.max(1, math.round(flows).toInt)),
      { case (_, machines, replicas, flows) =>
        val draw = new Draw(machines, replicas)
        // cards of machine m: as it sends, 2m, and receives, 2m + 1
        def chain(writer: Int) = {
          val of = draw(writer)
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
  private final class Draw(machines: Int, replicas: Int) {
    private val random = new SplittableRandom(1)
    private val all, placeOf = Array.tabulate(machines)(identity)

    def apply(writer: Int): Array[Int] = {
      swap(0, placeOf(writer))
      for (i <- 1 until replicas) swap(i, random.nextInt(i, machines))
      all.take(replicas)
    }

    private def swap(i: Int, j: Int): Unit = {
      val (m, n) = (all(i), all(j))
      all(i) = n
      placeOf(n) = i
      all(j) = m
      placeOf(m) = j
    }
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
