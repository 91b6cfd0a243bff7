package pellucid.cost

/** A machine kind with so many cores, of which all run tasks. */
final case class MachineOption(kind: MachineKind, cores: Int) {
  def dollarsPerHour: Double = kind.dollarsPerCoreHour * cores
}

final case class DiskOption(kind: DiskKind, gigabytes: Double) {
  def dollarsPerHour: Double = kind.dollarsPerGigabyteHour * gigabytes
}

/** One configuration of a cluster. */
final case class Configuration(machine: MachineOption, machines: Int, hdfs: DiskOption, local: DiskOption) {
  def dollarsPerHour: Double =
    machines * (machine.dollarsPerHour + hdfs.dollarsPerHour + local.dollarsPerHour)

  def cluster: Cluster = Cluster(
    machines,
    machine.cores,
    hdfs.kind.speed.of(hdfs.gigabytes, machine.cores),
    local.kind.speed.of(local.gigabytes, machine.cores)
  )
}

/** All configurations that are compared: each kind of machine with each of its numbers of cores, from `fewest` to
  * `most` of them, each disk for HDFS, each for the local one.
  */
final class Space(prices: Prices, val fewest: Int, val most: Int) {
  val machines: IndexedSeq[MachineOption] = prices.machines.flatMap(kind => kind.cores.map(MachineOption(kind, _)))
  val disks: IndexedSeq[DiskOption] = prices.disks.flatMap(kind => kind.gigabytes.map(DiskOption(kind, _)))
  val counts: Int = most - fewest + 1

  def size: Long = machines.size.toLong * disks.size * disks.size * counts

  /** The number of the configuration with the machine, the disks and the count of these numbers. */
  def point(machine: Int, hdfs: Int, local: Int, count: Int): Long =
    ((machine.toLong * disks.size + hdfs) * disks.size + local) * counts + count

  /** By number, from 0 until [[size]]. */
  def apply(point: Long): Configuration = {
    val count = (point % counts).toInt
    val local = (point / counts % disks.size).toInt
    val hdfs = (point / counts / disks.size % disks.size).toInt
    val machine = (point / counts / disks.size / disks.size).toInt
    Configuration(machines(machine), fewest + count, disks(hdfs), disks(local))
  }
}
