package pellucid.disk

/** How fast the disks of one kind are: a cloud's are the faster the larger they are, and the more cores their machine
  * has.
  */
trait DiskSpeed {

  /** @param gigabytes of 10^9 bytes */
  def of(gigabytes: Double, cores: Int): DiskProfile
}

object DiskSpeed {

  /** Whatever its size. */
  def same(profile: DiskProfile): DiskSpeed = (_, _) => profile
}

/** One measured disk; `cores` of its machine, 0 where it is not told. */
final case class MeasuredDisk(gigabytes: Double, cores: Int, profile: DiskProfile)

/** Disks of some sizes, measured. Of each size counts the machine with the most cores of those that do not exceed the
  * asked for, or the smallest. Between two sizes the bandwidth is linear in the size; below the smallest it is in
  * proportion to the size, as the clouds' limits are; above the largest it stays.
  *
  * @param disks at least one; all curves have the same request sizes
  * @param notes what was odd in the measurements, and what was assumed
  */
final case class MeasuredSizes(name: String, disks: IndexedSeq[MeasuredDisk], notes: Seq[String]) extends DiskSpeed {
  def of(gigabytes: Double, cores: Int): DiskProfile = {
    val bySize = disks.groupBy(_.gigabytes).values.map(forCores(_, cores)).toIndexedSeq.sortBy(_.gigabytes)
    val label = f"$name $gigabytes%.0f GB"
    val above = bySize.indexWhere(_.gigabytes >= gigabytes)
    if (above < 0) bySize.last.profile.copy(name = label)
    else if (above == 0) bySize.head.profile.times(gigabytes / bySize.head.gigabytes).copy(name = label)
    else {
      val (low, high) = (bySize(above - 1), bySize(above))
      val share = (gigabytes - low.gigabytes) / (high.gigabytes - low.gigabytes)
      def between(curve: DiskProfile => BandwidthCurve) = BandwidthCurve(
        curve(low.profile).points.lazyZip(curve(high.profile).points).map((a, b) =>
          a.copy(bytesPerSecond = a.bytesPerSecond + share * (b.bytesPerSecond - a.bytesPerSecond))
        )
      )
      DiskProfile(label, between(_.read), between(_.write))
    }
  }

  private def forCores(sameSize: IndexedSeq[MeasuredDisk], cores: Int): MeasuredDisk = {
    val (within, beyond) = sameSize.partition(_.cores <= cores)
    if (within.nonEmpty) within.maxBy(_.cores) else beyond.minBy(_.cores)
  }
}

/** What a cloud publishes of a limit: so much per gigabyte, at least and at most so much; the most whatever the size
  * where nothing is said per gigabyte.
  */
final case class SizeLimit(perGigabyte: Double = Double.PositiveInfinity, least: Double = 0, most: Double) {
  def of(gigabytes: Double): Double = math.min(most, math.max(least, perGigabyte * gigabytes))
}

/** A disk that does what its cloud publishes and no more: requests of r bytes at min(IOPS x r, throughput). No
  * measurement: latency, bursts and the machine's own limits are not in it.
  */
final case class PublishedLimits(
    name: String,
    readRequestsPerSecond: SizeLimit,
    writeRequestsPerSecond: SizeLimit,
    readBytesPerSecond: SizeLimit,
    writeBytesPerSecond: SizeLimit
) extends DiskSpeed {
  def of(gigabytes: Double, cores: Int): DiskProfile = DiskProfile(
    f"$name $gigabytes%.0f GB",
    PublishedLimits.curve(readRequestsPerSecond.of(gigabytes), readBytesPerSecond.of(gigabytes)),
    PublishedLimits.curve(writeRequestsPerSecond.of(gigabytes), writeBytesPerSecond.of(gigabytes))
  )
}

object PublishedLimits {

  /** Exact at the powers of two from 4 KB to 128 MB. */
  private def curve(requestsPerSecond: Double, bytesPerSecond: Double): BandwidthCurve =
    BandwidthCurve(RequestSizes.all.map(r => BandwidthPoint(r, math.min(requestsPerSecond * r, bytesPerSecond))))
}

object RequestSizes {

  /** From 4 KB to 128 MB. */
  val all: IndexedSeq[Double] = (12 to 27).map(b => (1L << b).toDouble)

  /** Those of whole blocks of a file system: past its page cache there are no others. */
  def of(block: Long): IndexedSeq[Long] = all.map(_.toLong).filter(_ % block == 0)
}
