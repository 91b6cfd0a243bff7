package pellucid.sched

import org.scalacheck.{Gen, Prop}
import pellucid.Properties
import pellucid.sched.MonotaskPhase._

final class ResourceSchedulerSuite extends Properties {
  private final class M(val multitask: Long, val phase: MonotaskPhase) extends Monotask {
    override def toString = s"${phase.name} of $multitask"
  }

  /** The order in which they run one after another; the first that is submitted starts at once. */
  private def order(scheduler: ResourceScheduler[M], monotasks: M*): Seq[M] = {
    val first = monotasks.flatMap(scheduler.submit)
    first ++ Iterator.continually(scheduler.finish()).takeWhile(_.nonEmpty).flatten
  }

  test("one slot: the next starts when one ends; phases take turns; the oldest multitask of a phase goes first") {
    val running = new M(0, InputRead)
    val (w1, w2, w3) = (new M(1, OutputWrite), new M(2, OutputWrite), new M(3, OutputWrite))
    val (r5, r4) = (new M(5, InputRead), new M(4, InputRead))
    // after a read it is a write's turn: w1, then the older read r4, w2, r5, and then what is left
    assertEquals(order(new ResourceScheduler[M](1), running, w2, w1, w3, r5, r4), Seq(running, w1, r4, w2, r5, w3))
  }

  test("one multitask's monotasks of a phase run as they came") {
    val first +: others = Seq.fill(5)(new M(7, InputRead)): @unchecked
    assertEquals(order(new ResourceScheduler[M](1), first +: others: _*), first +: others)
  }

  test("where memory is short, what moves data out of it goes first") {
    val scheduler = new ResourceScheduler[M](1)
    scheduler.freeingFirst = true
    val (running, read) = (new M(0, OutputWrite), new M(1, InputRead))
    val (write, shuffle) = (new M(2, OutputWrite), new M(3, ShuffleWrite))
    // of the two that move data out, the turn decides
    assertEquals(order(scheduler, running, read, write, shuffle), Seq(running, shuffle, write, read))
  }

  test("a blocked one lets one more run, and the slots hold again when one has ended") {
    val scheduler = new ResourceScheduler[M](1)
    val ms = IndexedSeq.tabulate(4)(i => new M(i.toLong, Compute))
    ms.foreach(scheduler.submit)
    assertEquals(scheduler.overdraw(), Seq(ms(1)))
    assertEquals(scheduler.finish(), Nil) // one of the two ended, the other still runs
    assertEquals(scheduler.finish(), Seq(ms(2)))
    assertEquals((scheduler.runs, scheduler.waits), (1, 1))
  }

  test("more slots start those that wait, fewer let the running ones end") {
    val scheduler = new ResourceScheduler[M](1)
    val ms = IndexedSeq.tabulate(5)(i => new M(i.toLong, Compute))
    ms.foreach(scheduler.submit)
    assertEquals(scheduler.resize(3), Seq(ms(1), ms(2)))
    assertEquals(scheduler.resize(1), Nil)
    assertEquals(scheduler.finish() ++ scheduler.finish(), Nil)
    assertEquals(scheduler.finish(), Seq(ms(3)))
  }

  test("multitasks after the youngest that may go on wait, blocked ones or not, until they may again") {
    val scheduler = new ResourceScheduler[M](2)
    val ms = IndexedSeq.tabulate(5)(i => new M(i.toLong, Compute))
    assertEquals(scheduler.upTo(2), Nil)
    assertEquals(ms.reverse.flatMap(scheduler.submit), Seq(ms(2), ms(1)))
    assertEquals(scheduler.finish(), Seq(ms(0)))
    assertEquals(scheduler.finish() ++ scheduler.overdraw(), Nil)
    assertEquals((scheduler.runs, scheduler.waits), (1, 2))
    assertEquals(scheduler.upTo(3), Seq(ms(3)))
    assertEquals(scheduler.finish() ++ scheduler.upTo(Long.MaxValue), Seq(ms(4)))
  }

  private val events = Gen.listOf(Gen.oneOf(
    Gen.zip(Gen.choose(0L, 5L), Gen.oneOf(MonotaskPhase.all)).map { case (t, p) => Submit(t, p) },
    Gen.const(Finish),
    Gen.const(Withdraw),
    Gen.choose(1, 4).map(Resize(_))
  ))
  private sealed trait Event
  private case class Submit(multitask: Long, phase: MonotaskPhase) extends Event
  private case object Finish extends Event
  private case object Withdraw extends Event
  private case class Resize(slots: Int) extends Event

  property("each monotask runs once or is withdrawn, none waits beside a free slot, none is started beyond the slots") {
    Prop.forAll(Gen.choose(1, 4), events) { (first: Int, happened: List[Event]) =>
      val scheduler = new ResourceScheduler[M](first)
      var slots = first
      var waiting, running = Set.empty[M]
      def started(ms: Seq[M]): Unit = {
        assert(ms.forall(waiting) && ms.distinct == ms)
        waiting --= ms
        running ++= ms
        assert(ms.isEmpty || running.size <= slots)
      }
      happened.foreach {
        case Submit(multitask, phase) =>
          val m = new M(multitask, phase)
          waiting += m
          started(scheduler.submit(m))
        case Finish => running.headOption.foreach { m => running -= m; started(scheduler.finish()) }
        case Withdraw =>
          (running.headOption ++ waiting.headOption).foreach(m => assertEquals(scheduler.withdraw(m), waiting(m)))
          waiting = waiting.drop(1)
        case Resize(to) => slots = to; started(scheduler.resize(to))
      }
      assertEquals((scheduler.runs, scheduler.waits), (running.size, waiting.size))
      waiting.isEmpty || running.size >= slots
    }
  }
}
