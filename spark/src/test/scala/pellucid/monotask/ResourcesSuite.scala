package pellucid.monotask

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
    assert(resources.areFreeAfter(None, longest = 1, begun = 1), "none follows the one that writes")
    assert(!resources.areFreeAfter(None, longest = 1, begun = 2), "one does")
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
