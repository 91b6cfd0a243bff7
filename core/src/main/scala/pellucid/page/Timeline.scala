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
  * the block's), and then the ticks of each phase in the order of `phases`. A tick is a millisecond, unless the log spans more
  * than 2^30 of them. Beyond [[Timeline.MostBlocks]] tasks, neighbours of one stage in a lane are joined, the shortest first, so
  * that the page stays fluid; a block then stands for several tasks.
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
  private final val Fixed = 7

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
      val to = trace.leftMillis(executor)
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
    val fields = Fixed + Phase.Count
    val open = Array.fill[Array[Int]](lanes.size)(null) // the block that a lane's next short task may join
    val out = ArrayBuffer.empty[Array[Int]]
    val times = new TaskPhases(tasks)
    for (row <- trace.byLaunch) {
      times.load(row)
      val lane = firstLane(tasks.executor(row)) + trace.lanes.lane(row)
      val start = ((tasks.launchMillis(row) - trace.originMillis) / tickMillis).toInt
      val duration = tasks.durationMillis(row) / tickMillis
      val last = open(lane)
      val joins = tasks.durationMillis(row) < shortest && last != null && last(3) == tasks.stage(row) &&
        last(2) < Int.MaxValue / 2
      val block =
        if (joins) last
        else {
          val fresh = new Array[Int](fields)
          fresh(0) = lane
          fresh(1) = start
          fresh(3) = tasks.stage(row)
          fresh(5) = tasks.taskId(row).toInt
          out += fresh
          fresh
        }
      block(2) = math.max(block(2), start + duration - block(1))
      block(4) += 1
      block(6) = math.max(block(6), tasks.outcome(row))
      var p = 0
      while (p < Phase.Count) { block(Fixed + p) += (times.nanos(p) / (1000000L * tickMillis)).toInt; p += 1 }
      open(lane) = if (tasks.durationMillis(row) < shortest) block else null
    }

    val bytes = ByteBuffer.allocate(out.size * fields * 4).order(ByteOrder.LITTLE_ENDIAN)
    out.foreach(_.foreach(bytes.putInt))
    Timeline(
      lanes.toSeq,
      trace.stages.map(s => TimelineStage(s.id, s.attempt)),
      Phase.all.map(p => TimelinePhase(p.key, p.label)),
      Seq("success", "failed", "killed", "resubmitted", "running"),
      tickMillis,
      fields,
      out.size,
      shortest > 0,
      Base64.getEncoder.encodeToString(bytes.array)
    )
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
