package pellucid.cause

import java.util.BitSet

import pellucid.breakdown.Phase
import pellucid.trace.Tasks

/** One reason for stragglers (thesis section 4.7.3). A new one is an object here or in a file of its own, and a line in
  * [[Cause.all]].
  */
trait Cause {
  def key: String
  def label: String

  /** What to do about it, in a few words. */
  def remedy: String

  /** Which stragglers of the stage it explains, as positions in `stage.rows`. */
  def explains(stage: StageTasks, nodes: SlowNodes): BitSet
}

object Cause {

  /** A straggler only because of the time in one phase: it would be none had that taken no time in any task of the stage. */
  final case class Time(phase: Phase, remedy: String) extends Cause {
    val key: String = phase.key
    val label: String = phase.label
    def explains(stage: StageTasks, nodes: SlowNodes): BitSet = stage.explainedWithout(phase)
  }

  /** A straggler only because it belongs to a slower kind of task: among those it is none. */
  final case class Group(key: String, label: String, remedy: String, members: StageTasks => BitSet) extends Cause {
    def explains(stage: StageTasks, nodes: SlowNodes): BitSet = stage.explainedAmong(members(stage))
  }

  /** By the time that spilling took, where that was measured; or a straggler that spilled, and is none among those that did. */
  case object Spill extends Cause {
    val key: String = Phase.Spill.key
    val label: String = Phase.Spill.label
    val remedy = "more memory per task, or more partitions"
    def explains(stage: StageTasks, nodes: SlowNodes): BitSet = {
      val explained = stage.explainedAmong(stage.tasksWhere(stage.trace.tasks.diskSpilledBytes(_) > 0))
      explained.or(stage.explainedWithout(Phase.Spill))
      explained
    }
  }

  /** A straggler by what it read, but not by what it wrote. */
  case object OutputSkew extends Cause {
    val key = "outputSkew"
    val label = "output skew"
    val remedy = "spread the rows that each task produces (salt the hot keys, split exploding inputs)"
    def explains(stage: StageTasks, nodes: SlowNodes): BitSet = {
      val written = stage.rows.map(stage.trace.tasks.writtenBytes(_).toDouble)
      if (Median.of(written) <= 0) new BitSet
      else stage.minus(stage.stragglers, stage.slow(stage.durations, StageTasks.weights(written), null))
    }
  }

  /** A straggler that would be none had its node been as fast as the others. */
  case object SlowNode extends Cause {
    val key = "slowNode"
    val label = "slow node"
    val remedy = "look at the node's disks, network and other load, or exclude it"
    def explains(stage: StageTasks, nodes: SlowNodes): BitSet =
      if (nodes.isEmpty) new BitSet
      else {
        val faster = Array.tabulate(stage.size)(i => stage.durations(i) / nodes.slowdown(stage.trace, stage.rows(i)))
        stage.minus(stage.stragglers, stage.slow(faster, stage.weights, null))
      }
  }

  private final val SmallerResults = "smaller results: write them instead of collecting them"

  val all: Seq[Cause] = Seq(
    Time(
      Phase.SchedulerDelay,
      "the driver ships and collects tasks too slowly: fewer, larger tasks or a less busy driver"
    ),
    Time(Phase.InputRead, "faster or more evenly used input disks"),
    Time(Phase.ShuffleRead, "less shuffle data, or a faster network and shuffle disks"),
    Time(Phase.ShuffleWrite, "faster local disks, or less shuffle data"),
    Time(Phase.OutputWrite, "faster or more evenly used disks and network for the output, or fewer, larger files"),
    Time(Phase.Metadata, "fewer files and folders, or a less busy name server"),
    Time(Phase.Gc, "more memory per task, or fewer objects"),
    Time(Phase.Deserialize, "smaller closures and broadcasts"),
    Time(Phase.CpuQueue, "fewer threads than CPUs on the machine, or a higher limit for its container"),
    Time(Phase.PythonWorker, "faster or vectorised Python code, or rows spread evenly over its tasks"),
    Time(Phase.Driver, "smaller broadcasts, or a less busy driver"),
    Time(Phase.Lock, "fewer tasks that share one lock or connection"),
    Time(Phase.Waiting, "measure it with the plugin: input, output, spill or locks"),
    Time(Phase.ResultSerialize, SmallerResults),
    Time(Phase.GettingResult, SmallerResults),
    OutputSkew,
    Group(
      "firstTask",
      "first task on its executor",
      "keep executors alive between jobs: code is not yet compiled, caches are cold",
      firstTasks
    ),
    Spill,
    Group(
      "nonLocal",
      "non-local input",
      "more replicas or a longer locality wait, if the network is the slow part",
      nonLocal
    ),
    SlowNode
  )

  /** Tasks that began before any other of the stage had ended on the same executor. */
  private def firstTasks(stage: StageTasks): BitSet = {
    val tasks = stage.trace.tasks
    val firstEnd = Array.fill(stage.trace.executors.size)(Long.MaxValue)
    stage.rows.foreach { row =>
      val e = tasks.executor(row)
      firstEnd(e) = math.min(firstEnd(e), tasks.finishMillis(row))
    }
    stage.tasksWhere(row => tasks.launchMillis(row) < firstEnd(tasks.executor(row)))
  }

  /** Tasks farther from their data than the nearest of the stage, where that was on its node. */
  private def nonLocal(stage: StageTasks): BitSet = {
    val tasks = stage.trace.tasks
    val remote = Set("RACK_LOCAL", "ANY").map(Tasks.LocalityNames.indexOf(_))
    stage.tasksWhere(row => remote(tasks.locality(row)) && tasks.inputBytes(row) > 0)
  }
}
