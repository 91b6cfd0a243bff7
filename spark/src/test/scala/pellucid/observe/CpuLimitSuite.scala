package pellucid.observe

class CpuLimitSuite extends munit.FunSuite {
  private var counted = (0L, 0L)
  private def counts(periods: Long, heldUp: Long) = counted = (periods, heldUp)
  private def at(tenths: Long) = tenths * CpuLimit.EveryNanos / 10
  override def beforeEach(context: BeforeEach): Unit = counts(100, 60)

  test("it leaves some where threads were held up in fewer than three of four periods, once that was seen") {
    val limit = new CpuLimit(counted)
    assert(!limit.leavesSome(at(0)))
    counts(108, 65) // five of eight
    assert(!limit.leavesSome(at(9)))
    assert(limit.leavesSome(at(10)))
    counts(112, 68) // three of four
    assert(limit.leavesSome(at(19)))
    assert(!limit.leavesSome(at(20)))
  }

  test("what was seen of other tasks is of no use") {
    val limit = new CpuLimit(counted)
    limit.leavesSome(at(0))
    counts(110, 60)
    assert(limit.leavesSome(at(10)))
    limit.forget()
    assert(!limit.leavesSome(at(11)))
    counts(114, 64) // held up in each of the four since
    assert(!limit.leavesSome(at(21)))
    counts(118, 64)
    assert(limit.leavesSome(at(31)))
  }

  test("what was long ago is of no use either") {
    val limit = new CpuLimit(counted)
    limit.leavesSome(at(0))
    counts(200, 60)
    assert(!limit.leavesSome(at(20)))
    counts(204, 62)
    assert(limit.leavesSome(at(39)))
  }

  test("without a limit it always does, and with one where nothing ran at all") {
    val none = new CpuLimit((0L, 0L))
    assert(none.leavesSome(at(0)) && none.leavesSome(at(10)))
    none.forget()
    assert(none.leavesSome(at(11)))
    val limit = new CpuLimit(counted)
    limit.leavesSome(at(0))
    assert(limit.leavesSome(at(10)))
  }
}
