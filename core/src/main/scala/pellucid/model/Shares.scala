package pellucid.model

/** How fast the devices of one machine go when what is written to other machines wants its disks and its network too. Each of those that want
  * a device at once has the same part of it; what is written has what it gets of the slowest, and leaves the rest of the others. A disk that
  * is behind, with map output that is in its page cache only, writes that first.
  *
  * The devices are numbered: the disks, the network, the output, and of each disk what it is behind with.
  */
private[model] final class Shares(output: Output, disks: Int) {
  val network: Int = disks
  val written: Int = disks + 1
  def behind(disk: Int): Int = disks + 2 + disk
  val devices: Int = 2 * disks + 2

  /** Of each device: the part of its own speed that its steps have together. */
  val speed: Array[Double] = Array.fill(devices)(1.0)

  /** @param running steps of each device */
  def of(running: Array[Int]): Unit = {
    java.util.Arrays.fill(speed, 1.0)
    val outputs = running(written)
    if (outputs > 0) {
      def part(device: Int) = outputs.toDouble / (outputs + running(device)) // all of it where it is alone
      def partOfDisk(disk: Int) = if (running(behind(disk)) > 0) 0.0 else part(disk)
      var parts = 0.0
      var disk = 0
      while (disk < disks) { parts += partOfDisk(disk); disk += 1 }
      def most(part: Double, use: Double) = if (use > 0) part / use else 1.0
      speed(written) =
        math.min(1.0, math.min(most(parts / disks, output.ofDisk), most(part(network), output.ofNetwork)))
      disk = 0
      while (disk < disks) {
        speed(disk) = 1 - math.min(partOfDisk(disk), output.ofDisk * speed(written))
        disk += 1
      }
      speed(network) = 1 - output.ofNetwork * speed(written)
    }
  }
}
