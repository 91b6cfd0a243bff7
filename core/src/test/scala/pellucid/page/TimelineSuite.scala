package pellucid.page

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Base64

import pellucid.TraceOf
import pellucid.breakdown.Phase
import pellucid.trace.Window

class TimelineSuite extends munit.FunSuite {
  private def blocks(t: Timeline): Seq[Seq[Int]] = {
    val ints = ByteBuffer.wrap(Base64.getDecoder.decode(t.blocks)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer
    Seq.fill(ints.remaining)(ints.get()).grouped(t.fields).toSeq
  }

  private val trace = new TraceOf(Seq(1, 2)).job(0, 0, 300, 0).stage(0, 0, 300)
    .task(0, 0, 100)((t, r) => t.cpuNanos(r) = 60000000L).task(
      0,
      100,
      110
    )().task(0, 110, 125)().task(0, 0, 300, executor = 1)().result()

  test("a lane for each slot, a block for each task, its time by phase") {
    val t = Timeline.of(trace)
    assertEquals(t.lanes.map(l => (l.executor, l.slot)), Seq(("0", 0), ("1", 0), ("1", 1)))
    val first = blocks(t).find(_(5) == 0).get
    assertEquals(first.take(7), Seq(0, 0, 100, 0, 1, 0, 0))
    assertEquals(first(8 + Phase.Compute.index), 60)
    assertEquals(first(8 + Phase.Waiting.index), 40)
    assertEquals(t.count, 4)
    assert(!t.joined)
  }

  test("too many tasks: short neighbours of a lane are joined, and none is lost") {
    val t = Timeline.of(trace, mostBlocks = 3)
    assert(t.joined)
    assertEquals(blocks(t).map(_(4)).sum, 4)
    assertEquals(
      blocks(t).map(b => (b(1), b(2), b(4))).toSet,
      Set((0, 125, 3), (0, 300, 1))
    ) // 0-100, 100-110 and 110-125
  }

  test("tasks shorter than a tick have their time by phase in the block that they share") {
    // 100 tasks of 1 ms, of which each waits for 0.2
    val short = new TraceOf(Seq(1)).job(0, 0, 100, 0).stage(0, 0, 100)
    for (i <- 0 until 100) short.task(0, i, i + 1)((t, r) => t.cpuNanos(r) = 800000L)
    val all = blocks(Timeline.of(short.result(), mostBlocks = 2))
    def ms(phase: Phase) = all.map(_(8 + phase.index)).sum
    assertEquals((ms(Phase.Compute), ms(Phase.Waiting)), (80, 20))
  }

  test(
    "a streaming application, of stages with a task or two per lane: what begins within one stretch of time is joined"
  ) {
    // two lanes, a task a second in each, of 90 ms and 80 ms, each of a stage of its own
    val batches = new TraceOf(Seq(1, 1)).job(0, 0, 1000000, 0)
    for (i <- 0 until 1000) {
      val at = i * 1000L
      batches.stage(2 * i, at, at + 100).stage(2 * i + 1, at, at + 100)
      batches.task(2 * i, at, at + 90)().task(2 * i + 1, at, at + 80, executor = 1)()
    }
    val all = batches.result()
    val t = Timeline.of(all, mostBlocks = 100)
    // 50 blocks for 2 lanes of 1000 s: 25 for each, of 40 s
    assertEquals(blocks(t).map(_(4)).sum, 2000)
    assert(t.joined && t.count <= 100 && t.count >= 50, t.count)
    assertEquals(
      blocks(t).filter(_(0) == 1).take(2).map(b => (b(1), b(2), b(4))),
      Seq((0, 40080, 41), (41000, 39080, 40))
    )
    assert(blocks(t).forall(_(7) == 1), "of several stages")
    // of the last 100 s of it 75 blocks for the 2 lanes: stretches of 2.67 s, 37.5 in each
    val last = Timeline.of(Window.of(all, TraceOf.Start + 900000, TraceOf.Start + 1000000), mostBlocks = 150)
    assert(last.count >= 75 && last.count <= 78, last.count)
  }

  test("a log of a year: moments in coarser ticks") {
    val day = 86400000L
    val year = new TraceOf().job(0, 0, 365 * day, 0).stage(0, 0, 365 * day).task(0, 364 * day, 365 * day)().result()
    val t = Timeline.of(year)
    // 365 days are 31,536,000,000 ms: 29.4 times 2^30, so 30 ms a tick
    assertEquals(t.tickMillis, 30)
    assertEquals(blocks(t).map(b => (b(1), b(2))), Seq(((364 * day / 30).toInt, (day / 30).toInt)))
  }
}
