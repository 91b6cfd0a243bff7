package pellucid.model

/** What is written to a disk before it is there: the disk writes it in turn, at its speed, for as long as there is any. */
private[model] final class PageCache {
  private var clean = 0.0

  /** What the disk needs `micros` for; returns when it has written that, too, if it goes on writing. */
  def write(now: Long, micros: Double): Double = {
    clean = math.max(clean, now.toDouble) + micros
    clean
  }
}
