package pellucid.plugin

/** For who caught an `InterruptedException` that others still have to learn of. */
object Interrupted {
  private final val MostNanos = 100000000L

  /** Marks this thread as interrupted again. A task's thread (Spark's `UninterruptibleThread`) lets that pass unheard until the thread that interrupted
    * it is back from that (SPARK-51821), so it is said until it is heard; but not for long: where Spark puts interrupts off none is heard before the end.
    */
  def again(): Unit = {
    val thread = Thread.currentThread
    val until = System.nanoTime() + MostNanos
    while ({ thread.interrupt(); !thread.isInterrupted && System.nanoTime() - until < 0 }) Thread.`yield`()
  }
}
