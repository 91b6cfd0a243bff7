package pellucid.observe

class CpuLimitSuite extends munit.FunSuite {
  private var counted = (0L, 0L)
  private def counts(periods: Long, heldUp: Long) = counted = (periods, heldUp)
  override def beforeEach(context: BeforeEach): Unit = counts(100, 60)
  private def at(tenths: Long) = tenths * CpuLimit.EveryNanos / 10

  test("it is reached where threads were held up in three of four periods since it was looked at") {
    val limit = new CpuLimit(counted)
    assert(!limit.isReached(at(0))) // no period has been
    counts(104, 63)
    assert(limit.isReached(at(10)))
    counts(112, 68) // five of eight
    assert(!limit.isReached(at(20)))
  }

  test("it is asked seldom, and says meanwhile what it said") {
    val limit = new CpuLimit(counted)
    assert(!limit.isReached(at(0)))
    counts(110, 70)
    assert(!limit.isReached(at(9)))
    assert(limit.isReached(at(10)))
    counts(120, 70)
    assert(limit.isReached(at(19)))
    assert(!limit.isReached(at(20)))
  }

  test("where nothing is limited, or nothing ran, it is not") {
    val none = new CpuLimit((0L, 0L))
    assert(!none.isReached(at(0)) && !none.isReached(at(10)))
    val limit = new CpuLimit(counted)
    counts(110, 70)
    limit.isReached(at(0))
    assert(!limit.isReached(at(10)))
  }
}
