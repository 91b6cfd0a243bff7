package pellucid.blocked

import java.util.BitSet

import pellucid.trace.{Lanes, Tasks, Trace}

/** Tasks that waited for an executor near their data (`spark.locality.wait`) while another of their stage had a slot free: those that
  * ran near it in the end, and those that another executor was given when they had waited for long enough. What is in the memory of
  * an executor (`PROCESS_LOCAL`) is not meant: elsewhere it would have to be computed again.
  */
object LocalityWait {

  /** Task rows. */
  def of(trace: Trace): BitSet = {
    val tasks = trace.tasks
    def waited(row: Int) = tasks.attempt(row) == 0 &&
      (tasks.locality(row) match {
        case Tasks.NodeLocal => trace.lanes.bound.get(row)
        case Tasks.RackLocal | Tasks.AnyLocality => trace.lanes.idleMillis(row) > Lanes.BoundMillis
        case _ => false
      })
    val rows = new BitSet
    for (stage <- trace.tasksOfStage if stage.exists(tasks.locality(_) == Tasks.NodeLocal))
      stage.filter(waited).foreach(rows.set)
    rows
  }
}
