package pellucid.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Base64

import scala.collection.mutable.ArrayBuffer

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._
import pellucid.breakdown.{Phase, TaskPhases}
import pellucid.trace.Trace

/** What the page's swim lanes show: blocks of tasks, one lane per slot.
  *
  * `blocks` is base64 of little-endian 32-bit integers, `fields` per block, the blocks in order of start: lane, start (ticks from
  * the origin), duration (ticks), row in `stages`, number of tasks in the block, task id (of the first), outcome (the largest of
  * the block's), 1 if it has tasks of several stages, and then the ticks of each phase in the order of `phases`. A tick is a
  * millisecond, unless the log spans more than 2^30 of them. Beyond [[Timeline.MostBlocks]] tasks, neighbours in a lane are joined, the shortest first, so that the page stays
  * fluid; a block then stands for several tasks: of one stage, or where that is not enough (of stages with a task or two per lane) for those that
  * begin within one of equal stretches of time, and its stage is the longest's.
  */
final case class Timeline(
    lanes: Seq[Lane],
    stages: Seq[TimelineStage],
    phases: Seq[TimelinePhase],
    outcomes: Seq[String],
    tickMillis: Int,
    fields: Int,
    count: Int,
    joined: Boolean,
    blocks: String
)
final case class Lane(executor: String, host: String, slot: Int, fromSeconds: Double, toSeconds: Double)
final case class TimelineStage(id: Int, attempt: Int)
final case class TimelinePhase(key: String, label: String)

object Timeline {
  final val MostBlocks = 150000
  private final val MostTicks = 1 << 30
  private final val Fixed = 8
  private final val Start = 1
  private final val Duration = 2
  private final val Stage = 3

  def json(trace: Trace): String = writeToString(of(trace))
  private implicit val codec: JsonValueCodec[Timeline] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientDefault(false).withTransientEmpty(false))

  def of(trace: Trace, mostBlocks: Int = MostBlocks): Timeline = {
    val tasks = trace.tasks
    val order = trace.executors.indices.sortBy(e => (trace.executors(e).host, naturalKey(trace.executors(e).id)))
    val firstLane = new Array[Int](trace.executors.size)
    val lanes = ArrayBuffer.empty[Lane]
    order.foreach { e =>
      val executor = trace.executors(e)
      firstLane(e) = lanes.size
      val to = trace.leftMillis(e)
      for (slot <- 0 until trace.lanes.count(e))
        lanes += Lane(
          executor.id,
          executor.host,
          slot,
          trace.secondsSinceOrigin(executor.addedMillis),
          trace.secondsSinceOrigin(to)
        )
    }

    val tickMillis = ((trace.endMillis - trace.originMillis) / MostTicks + 1).toInt
    val shortest = joinBelow(trace, mostBlocks)
    val slot = (row: Int) => firstLane(tasks.executor(row)) + trace.lanes.lane(row)
    val stretchTicks = (trace.endMillis - trace.startMillis) / tickMillis * lanes.size / math.max(1, mostBlocks / 2) + 1
    val ofStages = blocks(trace, slot, lanes.size, tickMillis, shortest)((block, stage, _) => block(Stage) == stage)
    val out =
      if (ofStages.size <= mostBlocks) ofStages
      else
        blocks(trace, slot, lanes.size, tickMillis, shortest)((block, _, start) =>
          block(Start) / stretchTicks == start / stretchTicks
        )

    val bytes = ByteBuffer.allocate(out.size * (Fixed + Phase.Count) * 4).order(ByteOrder.LITTLE_ENDIAN)
    out.foreach(_.foreach(bytes.putInt))
    Timeline(
      lanes.toSeq,
      trace.stages.map(s => TimelineStage(s.id, s.attempt)),
      Phase.all.map(p => TimelinePhase(p.key, p.label)),
      Seq("success", "failed", "killed", "resubmitted", "running"),
      tickMillis,
      Fixed + Phase.Count,
      out.size,
      shortest > 0,
      Base64.getEncoder.encodeToString(bytes.array)
    )
  }

  /** @param slot of a task row
    * @param joins whether a short task of a stage that starts then joins the block before it in its slot, which has only short ones
    */
  private def blocks(trace: Trace, slot: Int => Int, slots: Int, tickMillis: Int, shortest: Int)(
      joins: (Array[Int], Int, Int) => Boolean
  ): ArrayBuffer[Array[Int]] = {
    val tasks = trace.tasks
    val open = Array.fill[Array[Int]](slots)(null) // the block that a slot's next short task may join
    val longest = new Array[Int](slots) // ticks of a task in it
    val nanos = Array.ofDim[Long](slots, Phase.Count) // of its phases
    val out = ArrayBuffer.empty[Array[Int]]
    val times = new TaskPhases(tasks)
    for (row <- trace.byLaunch) {
      times.load(row)
      val lane = slot(row)
      val isShort = tasks.durationMillis(row) < shortest
      val stage = tasks.stage(row)
      val start = ((tasks.launchMillis(row) - trace.originMillis) / tickMillis).toInt
      val duration = tasks.durationMillis(row) / tickMillis
      val last = open(lane)
      val block =
        if (isShort && last != null && last(Duration) < Int.MaxValue / 2 && joins(last, stage, start)) last
        else {
          val fresh = new Array[Int](Fixed + Phase.Count)
          fresh(0) = lane
          fresh(Start) = start
          fresh(Stage) = stage
          fresh(5) = tasks.taskId(row).toInt
          out += fresh
          longest(lane) = 0
          java.util.Arrays.fill(nanos(lane), 0)
          fresh
        }
      if (block(Stage) != stage) block(7) = 1
      if (duration >= longest(lane)) { longest(lane) = duration; block(Stage) = stage }
      block(Duration) = math.max(block(Duration), start + duration - block(Start))
      block(4) += 1
      block(6) = math.max(block(6), tasks.outcome(row))
      var p = 0
      while (p < Phase.Count) {
        nanos(lane)(p) += times.nanos(p)
        block(Fixed + p) = (nanos(lane)(p) / (1000000L * tickMillis)).toInt
        p += 1
      }
      open(lane) = if (isShort) block else null
    }
    out
  }

  /** Tasks shorter than this many milliseconds may join their neighbours: 0 where all tasks fit. */
  private def joinBelow(trace: Trace, mostBlocks: Int): Int = {
    val n = trace.byLaunch.length
    if (n <= mostBlocks) 0
    else {
      val durations = trace.byLaunch.map(trace.tasks.durationMillis(_))
      java.util.Arrays.sort(durations)
      durations(n - mostBlocks / 2) + 1
    }
  }

  private def naturalKey(id: String): (Int, String) = (id.toIntOption.getOrElse(-1), id)
}
