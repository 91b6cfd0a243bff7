package pellucid.trace

/** A disk read shuffle blocks that other executors had asked for: a monotask of none of its own executor's tasks.
  *
  * @param executor its row
  * @param resource in [[MonotaskTable.resources]]
  * @param mapTask Spark's number of the one that wrote the last of the blocks, where it is known
  * @param queuedMicros when it was queued, microseconds since 1970 by the executor's clock
  */
final case class ServedMonotask(
    executor: Int,
    resource: Int,
    mapTask: Option[Long],
    bytes: Long,
    queuedMicros: Long,
    waitMicros: Long,
    serviceMicros: Long,
    cpuMicros: Long
) {
  def beginMicros: Long = queuedMicros + waitMicros
  def endMicros: Long = beginMicros + serviceMicros
}
