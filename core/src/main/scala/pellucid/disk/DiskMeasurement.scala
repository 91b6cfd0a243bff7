package pellucid.disk

import java.util.SplittableRandom

/** How a disk is measured: for each request size, as many requests as fit into a while, at random places of one
  * file.
  */
object DiskMeasurement {

  /** Requests under way at once, as of tasks that ask at the same time; fewer of the largest, so that their buffers
    * stay small.
    */
  final val MostAtOnce = 8
  private final val MostBytesAtOnce = 1L << 27

  def atOnce(requestBytes: Long): Int = math.max(1L, math.min(MostAtOnce.toLong, MostBytesAtOnce / requestBytes)).toInt

  /** Places in a file for requests of one size: multiples of it, so that none crosses another's, each as likely. */
  final class Places(fileBytes: Long, requestBytes: Long, seed: Long) {
    private val random = new SplittableRandom(seed)
    private val places = fileBytes / requestBytes
    if (places < 1) throw new IllegalArgumentException(s"$fileBytes bytes hold no request of $requestBytes")

    def next(): Long = random.nextLong(places) * requestBytes
  }

  /** What was moved in how long, in requests of one size. */
  final case class Moved(requestBytes: Long, bytes: Long, nanos: Long) {
    def point: BandwidthPoint = BandwidthPoint(requestBytes.toDouble, bytes * 1e9 / math.max(1L, nanos))
  }

  /** Of at least one measurement each. */
  def profile(name: String, read: Seq[Moved], write: Seq[Moved]): DiskProfile = {
    def curve(moved: Seq[Moved]) = BandwidthCurve(moved.map(_.point).sortBy(_.requestBytes).toVector)
    DiskProfile(name, curve(read), curve(write))
  }
}
