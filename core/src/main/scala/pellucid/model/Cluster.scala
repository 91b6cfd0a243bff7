package pellucid.model

import pellucid.disk.DiskProfile

/** Machines that are all alike.
  *
  * @param replication how often HDFS writes each block, where it has so many machines
  * @param cores of a machine that run tasks
  * @param cpus  that these really have together: fewer where a container is limited to them
  * @param disk  how fast each is, and `networkBytesPerSecond` of a machine in each direction; None where nothing tells
  * @param inputInMemory input is cached deserialized: neither read from a disk nor deserialized
  * @param partitions so many tasks has each stage that reads a shuffle ([[Division]]); None: as recorded
  * @param plainShuffles map output is not compressed ([[Compression]])
  * @param without these are infinitely fast
  */
final case class Cluster(
    machines: Int,
    replication: Int,
    cores: Int,
    cpus: Double,
    disks: Int,
    disk: Option[DiskProfile],
    networkBytesPerSecond: Option[Double],
    inputInMemory: Boolean = false,
    partitions: Option[Int] = None,
    plainShuffles: Boolean = false,
    without: Set[Resource] = Set.empty
) {

  /** Of each block of a file that is written. */
  def replicas: Int = math.min(replication, machines)

  def slots: Long = machines.toLong * cores

  /** Which properties differ, by the flags that change them. */
  def differs(from: Cluster): Set[String] = Set(
    "machines" -> (machines != from.machines),
    "cores" -> (cores != from.cores),
    "disks" -> (disks != from.disks),
    "disk" -> (disk != from.disk),
    "network" -> (networkBytesPerSecond != from.networkBytesPerSecond),
    "input" -> (inputInMemory != from.inputInMemory),
    "partitions" -> (partitions != from.partitions),
    "compression" -> (plainShuffles != from.plainShuffles)
  ).collect { case (name, true) => name }
}

/** Machines as an application uses them. */
final case class Setup(cluster: Cluster, slots: Slots, output: Output)

/** How many monotasks run at once of each kind of resource of a machine, and how many tasks at most. */
final case class Slots(cores: Int, disk: Int, network: Int, output: Int, tasks: Int)
