package pellucid.observe

/** What a resource of an executor's monotasks has to do.
  *
  * @param resource `NAME=SLOTS`
  * @param running how many use it now
  * @param overdrawn how many began beyond its slots, as nothing had ended for long, since this was last asked for
  */
private[pellucid] final case class QueueLevel(resource: String, running: Int, waiting: Int, overdrawn: Int) {
  def isEmpty: Boolean = running == 0 && waiting == 0 && overdrawn == 0
}
