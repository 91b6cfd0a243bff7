package pellucid.monotask

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import pellucid.observe.QueueLevel
import pellucid.sched.MonotaskPhase
import pellucid.sched.MonotaskPhase.{InputRead, OutputWrite, ShuffleRead}

class ResourcesSuite extends munit.FunSuite {
  private val resources = new Resources(cores = 2, new DiskSlots(Some(1), Nil), networkSlots = 4, outputSlots = 1)
  private val (a, b) = (resources.of("disk:a", InputRead), resources.of("disk:b", InputRead))
  private def enter(gate: Gate, phase: MonotaskPhase) = assert(gate.enter(new Turn(1, phase)))

  test(
    "one more task finds what it wants first where the youngest and most others wait in no queue, or it only for one of the disks"
  ) {
    assert(resources.areFreeAfter(None, longest = 1, begun = 3))
    assert(!resources.areFreeAfter(None, longest = 2, begun = 3), "it would come to a queue")
    enter(a, InputRead)
    assert(
      !resources.areFreeAfter(Some(a -> InputRead), longest = 2, begun = 3),
      "nothing was read from the other disk yet"
    )
    enter(b, InputRead)
    assert(!resources.areFreeAfter(Some(a -> InputRead), longest = 2, begun = 3), "both are in use")
    b.leave()
    assert(resources.areFreeAfter(Some(a -> InputRead), longest = 2, begun = 3))
    assert(
      !resources.areFreeAfter(Some(a -> ShuffleRead), longest = 2, begun = 3),
      "which the other disk has not served"
    )
    assert(
      !resources.areFreeAfter(Some(resources.network -> InputRead), longest = 2, begun = 3),
      "that it would be read from the disk is not known"
    )
    a.leave()
    val output = resources.of("hdfs", OutputWrite)
    assert(resources.areFreeAfter(None, longest = 1, begun = 2))
    enter(output, OutputWrite)
    assert(!resources.areFreeAfter(None, longest = 1, begun = 1), "disks have nothing to write yet")
    assert(resources.areFreeAfter(None, longest = 1, begun = 0))
    output.leave()
    enter(output, OutputWrite)
    assert(resources.areFreeAfter(None, longest = 1, begun = 1), "none follows the one that writes")
    assert(!resources.areFreeAfter(None, longest = 1, begun = 2), "one does")
  }

  test("for a second at most no task follows the first output, also of a stage after one without") {
    val several = new Resources(cores = 2, new DiskSlots(Some(1), Nil), networkSlots = 4, outputSlots = 2)
    val output = several.of("hdfs", OutputWrite)
    def isFree = several.areFreeAfter(None, longest = 1, begun = 2)
    for (stage <- 1 to 2) {
      enter(output, OutputWrite)
      enter(output, OutputWrite)
      assert(!isFree, stage)
      Thread.sleep(1000)
      assert(isFree, stage)
      output.leave()
      output.leave()
      enter(output, OutputWrite)
      assert(isFree, s"$stage: one has just ended")
      output.leave()
      Thread.sleep(1000)
    }
  }

  test(
    "an object store has as many at once as there are cores, or on the network if that is more, in both directions"
  ) {
    val store = resources.of("store:s3a", InputRead)
    assertEquals(store.resource, "store:s3a=4")
    assert(resources.of("store:s3a", OutputWrite) eq store)
    assert(resources.of("store:gs", InputRead) ne store)
    val ofManyCores = new Resources(cores = 16, new DiskSlots(Some(1), Nil), networkSlots = 4, outputSlots = 1)
    assertEquals(ofManyCores.of("store:s3a", InputRead).slots, 16)
  }

  /** Monotasks of threads of their own, which come to the gate one after the other and use it until they are told to leave. */
  private final class Waiting(gate: Gate, phases: MonotaskPhase*) {
    private val entered = new LinkedBlockingQueue[MonotaskPhase]
    for ((phase, i) <- phases.zipWithIndex) {
      val thread = new Thread(() => if (gate.enter(new Turn(i.toLong, phase))) { entered.add(phase); () })
      thread.setDaemon(true)
      val before = gate.waits
      thread.start()
      while (gate.waits == before) Thread.sleep(1)
    }
    def next(): MonotaskPhase = entered.poll(60, TimeUnit.SECONDS)
    def isIdle: Boolean = entered.isEmpty
  }

  test("where nothing ends for long one more begins, which is counted once") {
    val disk = resources.of("disk:hangs", InputRead)
    enter(disk, InputRead)
    assert(!disk.overdrawAfter(0), "nobody waits")
    val waiting = new Waiting(disk, InputRead, InputRead)
    assert(!disk.overdrawAfter(60000000000L))
    assertEquals(disk.level(), QueueLevel("disk:hangs=1", 1, 2, 0))
    assert(disk.overdrawAfter(0))
    assertEquals(waiting.next(), InputRead)
    assertEquals(disk.level(), QueueLevel("disk:hangs=1", 2, 1, 1))
    assertEquals(disk.level(), QueueLevel("disk:hangs=1", 2, 1, 0))
    disk.leave() // the one that hung; the other still has the slot
    assert(waiting.isIdle && disk.waits == 1)
    disk.leave()
    assertEquals(waiting.next(), InputRead)
    disk.leave()
    assert(disk.level().isEmpty)
  }

  test("what is beyond a core's slots and was not seen to be blocked is counted, what was is not") {
    val one = new Resources(cores = 1, new DiskSlots(Some(1), Nil), networkSlots = 1, outputSlots = 1)
    enter(one.cpu, MonotaskPhase.Compute)
    val waiting = new Waiting(one.cpu, MonotaskPhase.Compute, MonotaskPhase.Compute)
    assert(one.cpu.overdraw())
    waiting.next()
    assertEquals(one.levels(), Seq(QueueLevel("cpu=1", 2, 1, 0)))
    assert(one.cpu.overdrawUnseen())
    waiting.next()
    assert(!one.cpu.overdrawUnseen(), "nobody waits")
    assertEquals(one.levels(), Seq(QueueLevel("cpu=1", 3, 0, 1)))
  }

  test("while memory is short what frees it goes before what takes more") {
    for (short <- Seq(false, true)) {
      val all = new Resources(cores = 1, new DiskSlots(Some(1), Nil), networkSlots = 1, outputSlots = 1)
      val disk = all.of("disk:a", InputRead)
      enter(disk, OutputWrite) // whose turn is over: reads are next
      val waiting = new Waiting(disk, InputRead, OutputWrite)
      all.freeingFirst(short)
      disk.leave()
      assertEquals(waiting.next(), if (short) OutputWrite else InputRead, short)
      disk.leave()
      waiting.next()
      disk.leave()
    }
  }

  test("once they are open nobody waits, not for what is used first after that either") {
    val opened = new Resources(cores = 1, new DiskSlots(Some(1), Nil), networkSlots = 1, outputSlots = 1)
    val before = Seq(opened.cpu, opened.network, opened.of("disk:a", InputRead), opened.of("hdfs", OutputWrite))
    before.foreach(enter(_, InputRead))
    opened.open()
    val gates = before :+ opened.of("disk:b", InputRead)
    for (gate <- gates; _ <- 1 to 3) { assertEquals(gate.waits, 0); enter(gate, InputRead) }
    assertEquals(gates.map(_.runs), Seq(4, 4, 4, 4, 3))
  }
}
