package pellucid.monotask

import org.apache.spark.{FetchFailed, TaskFailedReason}

/** Which failures more tasks than cores may have brought about, by what Spark says of them. */
private[pellucid] object WantOfMemory {

  /** Of the JVM's memory or Spark's, or of a Python worker, which the kernel kills in the executor's place. A spill that met a full disk is called
    * so too, and a task whose blocks another executor could not send says what went wrong there.
    */
  def of(why: TaskFailedReason): Boolean = why match {
    case _: FetchFailed => false
    case _ =>
      val text = why.toErrorString
      text.contains("OutOfMemory") && !text.contains("SPILL_OUT_OF_MEMORY") ||
      text.contains("Python worker exited unexpectedly")
  }

  /** Of an executor that its container killed, in the words of YARN ("exceeding physical memory limits") and Kubernetes ("possible container OOM",
    * "OOMKilled").
    */
  def lost(reason: String): Boolean = Killed.findFirstIn(reason).isDefined

  private val Killed = "(?i)memory limit|\\bOOM(Killed)?\\b".r
}
