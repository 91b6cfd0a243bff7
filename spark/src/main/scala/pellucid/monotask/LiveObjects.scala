package pellucid.monotask

/** How much of a heap's old generation is in use, of what is there: most of what has been promoted for a while is garbage that its next collection
  * finds, which may be minutes away. In use is what its last collection left, and what came in the last seconds: a task lives so long.
  *
  * It has no clock.
  */
private[monotask] final class LiveObjects {
  import LiveObjects._
  private var least, leastBefore = Long.MaxValue // in this period, and in the one before it
  private var since = Long.MinValue

  /** @param used bytes that are there now
    * @param left by the last collection, of them
    */
  def bytes(used: Long, left: Long, now: Long): Long = {
    if (since == Long.MinValue || now - since > PeriodNanos) {
      leastBefore = if (since == Long.MinValue || now - since > 2 * PeriodNanos) used else least
      least = used
      since = now
    }
    least = math.min(least, used)
    left + math.max(0L, used - math.max(left, math.min(least, leastBefore)))
  }
}

private object LiveObjects {
  private[monotask] final val PeriodNanos = 10000000000L
}
