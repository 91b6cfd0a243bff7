package other

/** What a job of somebody else does. */
object Waiting {
  def aSecond(): Unit = Thread.sleep(1000)
}
