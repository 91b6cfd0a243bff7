package pellucid.disk

/** `bytesPerSecond` that a disk moves when it is asked for `requestBytes` at a time. */
final case class BandwidthPoint(requestBytes: Double, bytesPerSecond: Double) {

  /** Of one request. */
  def seconds: Double = requestBytes / bytesPerSecond
}

/** Effective bandwidth by request size (Doppio, section III-C). Between two points the time of a request is linear in
  * its size, as that of a seek and a transfer is, so the bandwidth lies between theirs. Beyond the ends it is that of
  * the nearest point.
  *
  * @param points at least one; sizes ascending, all numbers positive
  */
final case class BandwidthCurve(points: IndexedSeq[BandwidthPoint]) {
  BandwidthCurve.mistake(points).foreach(m => throw new IllegalArgumentException(m))

  def apply(requestBytes: Double): Double = {
    val above = points.indexWhere(_.requestBytes >= requestBytes)
    if (above < 0) points.last.bytesPerSecond
    else if (above == 0 || points(above).requestBytes == requestBytes) points(above).bytesPerSecond
    else {
      val (low, high) = (points(above - 1), points(above))
      val share = (requestBytes - low.requestBytes) / (high.requestBytes - low.requestBytes)
      requestBytes / (low.seconds + share * (high.seconds - low.seconds))
    }
  }

  /** That a request of hardly any bytes takes, which is a seek, on the line of the smallest two: a byte's transfer where there is but one. */
  def seekSeconds: Double = {
    val byte = 1 / points.last.bytesPerSecond
    points.take(2) match {
      case Seq(small, large) =>
        val ofByte = (large.seconds - small.seconds) / (large.requestBytes - small.requestBytes)
        math.min(small.seconds, math.max(byte, small.seconds - small.requestBytes * ofByte))
      case _ => byte
    }
  }

  /** Of a disk that is so many times as fast. */
  def times(factor: Double): BandwidthCurve =
    BandwidthCurve(points.map(p => p.copy(bytesPerSecond = p.bytesPerSecond * factor)))
}

object BandwidthCurve {

  /** What is wrong with points, if anything. */
  def mistake(points: Seq[BandwidthPoint]): Option[String] =
    if (points.isEmpty) Some("no request size at all")
    else
      points.find(p => !good(p.requestBytes) || !good(p.bytesPerSecond))
        .map(p => s"requests of ${p.requestBytes} bytes at ${p.bytesPerSecond} bytes/s: not positive")
        .orElse(points.sliding(2).collectFirst {
          case Seq(a, b) if a.requestBytes >= b.requestBytes =>
            s"request sizes are not ascending: ${a.requestBytes}, ${b.requestBytes}"
        })

  private def good(x: Double) = x > 0 && !x.isInfinite

  /** The same at every size. */
  def flat(bytesPerSecond: Double): BandwidthCurve = BandwidthCurve(Vector(BandwidthPoint(1, bytesPerSecond)))
}
