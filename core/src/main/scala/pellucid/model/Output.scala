package pellucid.model

import java.util.SplittableRandom
import java.util.concurrent.ConcurrentHashMap

import pellucid.disk.DiskProfile

/** What writing to other machines takes: all replicas go to disks, by way of page caches, and all but the first through the network.
  *
  * @param disk seconds of a byte of the disk of each replica
  * @param network seconds of a byte until it is through the network while all machines write: more than a network card needs, as some machines
  *                happen to send or receive more than others, at a time and in all
  * @param ofCard the part of a network card that a machine which writes uses meanwhile, in the mean
  * @param replicas machines that have each block
  * @param balanced they are those that fewest write to, and not drawn at random
  */
final case class Output(disk: Double, network: Double, ofCard: Double, replicas: Int, balanced: Boolean = false)

object Output {

  /** As if it took nothing. */
  val Free: Output = Output(0, 0, 0, 1)

  /** HDFS' own (`dfs.blocksize`), which Spark's log does not have. */
  final val BlockBytes = 128L << 20

  /** Datanodes' page caches make large requests of small files. */
  private final val RequestBytes = 128e6

  /** Enough to know a mean; of more machines, blocks of each, or tasks that write at once, it is as of so many (within 5 %, where replicas are drawn). */
  private final val DrawnBlocks = 666
  private final val MostMachines = 12
  private final val MostOfMachine = 32
  private final val MostAtOnce = 8
  private final val Rounding = 1e-9

  /** That one such disk needs to write it. */
  def secondsOfByte(disk: DiskProfile): Double = 1 / disk.writeBytesPerSecond(RequestBytes)

  /** What is not known of a cluster takes no time.
    *
    * @param blocks that are written, and `atOnce` of each machine
    */
  def of(c: Cluster, blocks: Int, atOnce: Int, balanced: Boolean = false): Output = {
    val ofMachine = math.max(1, blocks).toDouble / c.machines
    val disk = if (c.without(Resource.Disk)) 0 else c.disk.fold(0.0)(secondsOfByte)
    val card = if (c.without(Resource.Network) || c.replicas == 1) 0 else c.networkBytesPerSecond.fold(0.0)(1 / _)
    if (card == 0) Output(disk, 0, 0, c.replicas, balanced)
    else {
      val bytes = bytesOfCard(c, ofMachine, atOnce, balanced)
      val mean = math.max(1, (c.replicas - 1) * math.min(1.0, ofMachine)) // of the other machines so many write, too
      Output(disk, card * bytes, math.min(1, mean / bytes), c.replicas, balanced)
    }
  }

  private final case class Case(machines: Int, replicas: Int, blocks: Int, atOnce: Int, balanced: Boolean)
  private val known = new ConcurrentHashMap[Case, Double]

  /** Of a byte that each machine writes: those of a network card until all have written. Nothing makes up for what is uneven: what machines send each
    * other goes at the speeds at which none can have more without another that has no more having less (max-min fairness), and in the end some still
    * wait for the machines that happen to get the most replicas. The fewer blocks there are, the longer.
    */
  private def bytesOfCard(c: Cluster, ofMachine: Double, atOnce: Int, balanced: Boolean): Double = {
    val machines = math.min(c.machines, math.max(MostMachines, c.replicas))
    val blocks = math.max(1, math.round(math.min(ofMachine, MostOfMachine) * machines).toInt)
    known.computeIfAbsent(
      Case(machines, c.replicas, blocks, math.min(atOnce, MostAtOnce), balanced),
      { of =>
        val random = new SplittableRandom(1)
        mean(math.max(2, DrawnBlocks / blocks))(untilWritten(of, random.split()) /
          math.max(1.0, blocks.toDouble / machines))
      }
    )
  }

  /** A block on its way, of which a card of a machine moves one in a second: as machine m sends, card 2m, and as it receives, 2m + 1. */
  private final class Flow(val block: Int, val cards: Array[Int], var left: Double)

  /** Seconds. Machines write in turns, each so many blocks at once. */
  private def untilWritten(of: Case, random: SplittableRandom): Double = {
    import of.machines
    val placement = Placement.of(of.balanced, machines, of.replicas, _ => random)
    def flow(block: Int) = {
      val placed = placement.begins(block.toLong, block % machines)
      new Flow(block, placed.init.map(2 * _) ++ placed.tail.map(2 * _ + 1), left = 1)
    }
    val blocks = Array.tabulate(machines)(Iterator.range(_, of.blocks, machines))
    var seconds = 0.0
    var flows = (0 until of.atOnce).flatMap(_ => blocks.flatMap(_.nextOption())).map(flow).toArray
    while (flows.nonEmpty) {
      val speeds = fair(flows.map(_.cards), 2 * machines)
      val some = flows.indices.map(f => flows(f).left / speeds(f)).min
      for (f <- flows.indices) flows(f).left -= speeds(f) * some
      seconds += some
      val (done, others) = flows.partition(_.left < Rounding)
      done.foreach(flow => placement.ends(flow.block.toLong))
      flows = others ++ done.flatMap(flow => blocks(flow.block % machines).nextOption()).map(flow)
    }
    seconds
  }

  private def mean(times: Int)(value: => Double): Double = Seq.fill(times)(value).sum / times

  /** How fast each flow goes through its cards, of which each has a speed of 1 for all of them together. */
  private def fair(flows: Array[Array[Int]], cards: Int): Array[Double] = {
    val left = Array.fill(cards)(1.0)
    val count = new Array[Int](cards)
    flows.foreach(_.foreach(count(_) += 1))
    val speed = new Array[Double](flows.length)
    var rising = Array.range(0, flows.length)
    while (rising.nonEmpty) {
      var full = 0
      var more = Double.MaxValue
      for (card <- 0 until cards if count(card) > 0 && left(card) / count(card) < more) {
        full = card
        more = left(card) / count(card)
      }
      for (card <- 0 until cards) left(card) -= more * count(card)
      rising.foreach(speed(_) += more)
      val (done, others) = rising.partition(flows(_).contains(full))
      done.foreach(flows(_).foreach(count(_) -= 1))
      rising = others
    }
    speed
  }
}
