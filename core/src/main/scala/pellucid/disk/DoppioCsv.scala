package pellucid.disk

/** The disk profiles of Doppio's authors: fio's read bandwidth by block size, for several disks side by side, each in
  * columns of its own with an empty one between. The first line has each disk's size above its columns, and before it
  * the cores of its machine where that was varied; the second names the columns. KB are 1024 bytes, of blocks and of
  * the bandwidth.
  *
  * Of the three columns that say the same the bandwidth in KB is taken. Only reads were measured; writes are taken to
  * be as fast.
  */
object DoppioCsv {
  private val Gigabytes = "(\\d+)\\s*GB".r
  private val Cores = "vCPU\\s*(\\d+)".r
  private final val BlockSize = "block size"
  private final val Kilobytes = "bw in KB"
  private final val Megabytes = "bw in MB"

  /** By how much the columns may differ. */
  private final val Tolerance = 0.01

  /** @throws NotReadable where the text is no such table */
  def read(name: String, text: String): MeasuredSizes = {
    val lines = text.linesIterator.map(_.split(",", -1).map(_.trim)).toIndexedSeq
    if (lines.size < 3) throw new NotReadable(1, "three lines are the least: disk sizes, column names, one block size")
    val starts = lines(1).indices.filter(lines(1)(_) == BlockSize)
    if (starts.isEmpty) throw new NotReadable(2, s"no column '$BlockSize'")
    val ends = starts.drop(1) :+ math.max(lines(0).length, lines(1).length)
    val notes = Seq.newBuilder[String]
    val disks = starts.zip(ends).map { case (from, until) =>
      val header = (from until until).flatMap(lines(0).lift)
      val gigabytes = header.collectFirst { case Gigabytes(n) => n.toDouble }
        .getOrElse(throw new NotReadable(1, s"no disk size like '100GB' above column ${from + 1}"))
      val cores = header.collectFirst { case Cores(n) => n.toInt }.getOrElse(0)
      val kilobytes = column(lines, from, until, Kilobytes)
        .getOrElse(throw new NotReadable(2, s"no column '$Kilobytes' for ${gigabytes.toInt} GB"))
      val megabytes = column(lines, from, until, Megabytes)
      val points = for (i <- 2 until lines.size if lines(i).exists(_.nonEmpty)) yield {
        def number(c: Int) = lines(i).lift(c).flatMap(_.toDoubleOption).filter(_ > 0).getOrElse(
          throw new NotReadable(i + 1, s"column ${c + 1}: '${lines(i).lift(c).getOrElse("")}' is no positive number")
        )
        val rate = number(kilobytes)
        for (c <- megabytes; told = number(c) * 1024 if math.abs(told - rate) > Tolerance * rate)
          notes +=
            f"line ${i + 1}: $rate%.0f KB/s of the ${gigabytes.toInt} GB disk is taken, not its $told%.0f KB/s in MB"
        BandwidthPoint(number(from) * 1024, rate * 1024)
      }
      val curve = points.sortBy(_.requestBytes)
      BandwidthCurve.mistake(curve).foreach(m => throw new NotReadable(0, s"${gigabytes.toInt} GB: $m"))
      MeasuredDisk(gigabytes, cores, DiskProfile(name, BandwidthCurve(curve), BandwidthCurve(curve)))
    }
    disks.groupBy(d => (d.gigabytes, d.cores)).collectFirst {
      case ((gb, _), same) if same.size > 1 => throw new NotReadable(1, s"two disks of ${gb.toInt} GB")
    }
    if (disks.map(_.profile.read.points.map(_.requestBytes)).distinct.size > 1)
      throw new NotReadable(0, "the disks were not measured with the same block sizes")
    notes += "only reads were measured: writes are taken to be as fast"
    MeasuredSizes(name, disks, notes.result())
  }

  private def column(lines: IndexedSeq[Array[String]], from: Int, until: Int, name: String): Option[Int] =
    (from until until).find(lines(1).lift(_).contains(name))
}
