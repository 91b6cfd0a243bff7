package other

/** What a job of somebody else does. */
object Waiting {
  def twoSeconds(): Unit = Thread.sleep(2000)
}
