package pellucid.model

import java.util.SplittableRandom
import java.util.concurrent.ConcurrentHashMap

/** What writing to other machines takes while all machines write: all replicas go to disks, and all but the first through the network.
  *
  * @param disk seconds of a byte of each disk of a machine, in the mean, and `network` of its network card
  * @param secondsOfByte until the byte is written; more than either, as some machines happen to get more replicas than others
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

  /** Of more machines it takes as long as of so many (within 5 %); of each number of them so many blocks are drawn. */
  private final val MostMachines = 12
  private final val Blocks = 600

  private val known = new ConcurrentHashMap[(Int, Int, Double, Double), Double]

  /** What is not known of a cluster takes no time. */
  def of(c: Cluster): Output = {
    val disk =
      if (c.without(Resource.Disk)) 0
      else c.disk.fold(0.0)(d => 1 / (c.disks * d.writeBytesPerSecond(RequestBytes)))
    val network = if (c.without(Resource.Network)) 0 else c.networkBytesPerSecond.fold(0.0)(1 / _)
    val seconds = known.computeIfAbsent(
      (math.min(c.machines, math.max(MostMachines, c.replicas)), c.replicas, disk, network),
      { case (machines, replicas, _, _) =>
        if (disk > 0 || network > 0 && replicas > 1) secondsOfByte(machines, replicas, disk, network) else 0.0
      }
    )
    Output(c.replicas * disk, (c.replicas - 1) * network, seconds)
  }

  /** Each machine writes a block: to a disk of its own, which sends it on to another machine, and that to the next, drawn at random; all at
    * the speeds at which none can have more without another that has no more having less (max-min fairness).
    *
    * @param disk seconds that a byte of one replica takes of a machine's disks, and `network` of its network card, in each direction
    */
  private def secondsOfByte(machines: Int, replicas: Int, disk: Double, network: Double): Double = {
    val random = new SplittableRandom(1)
    val others = Array.tabulate(machines)(identity)
    // resources of machine m: its disks, 3m; its card as it sends, 3m + 1, and receives, 3m + 2
    val takes = Array.tabulate(3 * machines)(r => if (r % 3 == 0) disk else network)
    def chain(writer: Int): Array[Int] = {
      def swap(i: Int, j: Int): Unit = { val m = others(i); others(i) = others(j); others(j) = m }
      swap(0, others.indexOf(writer))
      for (i <- 1 until replicas) swap(i, random.nextInt(i, machines))
      val machinesOfBlock = others.take(replicas).map(3 * _)
      (machinesOfBlock ++ machinesOfBlock.init.map(_ + 1) ++ machinesOfBlock.tail.map(_ + 2)).filter(takes(_) > 0)
    }
    val rounds = math.max(1, Blocks / machines)
    (1 to rounds).iterator.map(_ => fair(Array.tabulate(machines)(chain), takes).map(1 / _).sum).sum /
      (rounds * machines)
  }

  /** Bytes per second of each flow through its resources, of which a byte takes so many seconds each. */
  private def fair(flows: Array[Array[Int]], takes: Array[Double]): Array[Double] = {
    val left = Array.fill(takes.length)(1.0)
    val count = new Array[Int](takes.length)
    flows.foreach(_.foreach(count(_) += 1))
    val speed = new Array[Double](flows.length)
    var rising = flows.indices.filter(flows(_).nonEmpty)
    while (rising.nonEmpty) {
      val full = takes.indices.filter(count(_) > 0).minBy(r => left(r) / (count(r) * takes(r)))
      val more = left(full) / (count(full) * takes(full))
      for (r <- takes.indices) left(r) -= more * count(r) * takes(r)
      rising.foreach(speed(_) += more)
      val (done, others) = rising.partition(flows(_).contains(full))
      done.foreach(flows(_).foreach(count(_) -= 1))
      rising = others
    }
    speed
  }
}
