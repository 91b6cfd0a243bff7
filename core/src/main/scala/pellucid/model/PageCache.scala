package pellucid.model

/** What is written to a disk before it is there. The disk writes it in turn, at its speed, but begins only when there is enough: with the last of it, it
  * idles.
  *
  * @param idle what is in there before the disk begins, as the time that the disk needs for it
  */
private[model] final class PageCache(idle: Double) {
  private var left = idle
  private var clean = 0.0

  /** What the disk needs `micros` for; returns when it has written that, too, but for what it idles with, if it goes on writing. */
  def write(now: Long, micros: Double): Double = {
    val stays = math.min(left, micros)
    left -= stays
    clean = math.max(clean, now.toDouble) + micros - stays
    clean
  }

  /** What is in there, as the time that the disk needs for it. */
  def holds(now: Long): Double = idle - left + math.max(0, clean - now)
}

/** Linux' rule (`balance_dirty_pages`), as parts of what may be written but not yet on the disk (`vm.dirty_ratio`). */
private[model] object PageCache {

  /** From here on the disk writes, if `vm.dirty_background_ratio` is half of the other as by default. */
  final val Begins = 0.5

  /** From the middle of the two on those wait that write. */
  final val Waits = 0.75
}
