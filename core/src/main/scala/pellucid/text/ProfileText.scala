package pellucid.text

import pellucid.disk.DiskProfile

/** A [[DiskProfile]] on a terminal. */
object ProfileText {
  def of(profile: DiskProfile): String = {
    val sizes = (profile.read.points ++ profile.write.points).map(_.requestBytes).distinct.sorted
    Text.title(s"${profile.name}: effective bandwidth by request size") +
      Text.table(
        Seq("request", "read", "write", "reads/s", "writes/s"),
        sizes.map { size =>
          val (read, write) = (profile.readBytesPerSecond(size), profile.writeBytesPerSecond(size))
          Seq(binary(size), perSecond(read), perSecond(write), f"${read / size}%.0f", f"${write / size}%.0f")
        },
        left = 5
      )
  }

  private def perSecond(bytes: Double) = f"${bytes / 1e6}%.2f MB/s"

  /** Request sizes are powers of two. */
  private def binary(bytes: Double): String =
    if (bytes >= (1 << 20)) f"${bytes / (1 << 20)}%.0f MiB" else f"${bytes / 1024}%.0f KiB"
}
