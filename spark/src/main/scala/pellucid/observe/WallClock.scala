package pellucid.observe

/** Moments of `System.nanoTime` as microseconds since 1970: by one clock in all that this JVM tells. */
private[pellucid] object WallClock {
  private val zeroMicros = {
    val now = java.time.Instant.now()
    now.getEpochSecond * 1000000 + now.getNano / 1000 - System.nanoTime() / 1000
  }

  def micros(nanoTime: Long): Long = zeroMicros + nanoTime / 1000
}
