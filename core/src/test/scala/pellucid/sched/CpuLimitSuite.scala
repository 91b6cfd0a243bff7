package pellucid.sched

class CpuLimitSuite extends munit.FunSuite {
  private var counted = (0L, 0L)

  /** What it says at a moment, when the kernel has counted so much. */
  private def leaves(limit: CpuLimit, millis: Long, periods: Long, heldUp: Long) = {
    counted = (periods, heldUp)
    limit.leavesSome(millis * 1000000)
  }

  test("it leaves some where threads were held up in fewer than three of four periods, once that was seen") {
    val limit = new CpuLimit(counted)
    assert(!leaves(limit, 0, 100, 60))
    assert(!leaves(limit, 90, 108, 65)) // five of eight, but not for long
    assert(leaves(limit, 100, 108, 65))
    assert(leaves(limit, 190, 112, 68))
    assert(!leaves(limit, 200, 112, 68)) // three of four
  }

  test("one period of the kernel's 100 ms says nothing, four do") {
    val limit = new CpuLimit(counted)
    assert(!leaves(limit, 0, 100, 60))
    for (n <- 1 to 3) assert(!leaves(limit, n * 100L, 100L + n, 60))
    assert(leaves(limit, 400, 104, 60))
    // of the next ones all but the first are
    for (n <- 1 to 3) assert(leaves(limit, 400 + n * 100L, 104L + n, 59L + n))
    assert(!leaves(limit, 800, 108, 63))
  }

  test("what was seen of other tasks is of no use, nor what is a second old") {
    val limit = new CpuLimit(counted)
    leaves(limit, 0, 100, 60)
    assert(leaves(limit, 100, 110, 60))
    limit.forget()
    assert(!leaves(limit, 110, 111, 60))
    assert(!leaves(limit, 210, 115, 64)) // held up in each of the four since
    assert(leaves(limit, 310, 119, 64))
    assert(!leaves(limit, 1311, 169, 64))
    assert(leaves(limit, 1411, 173, 64))
  }

  test("without a limit it always does") {
    val limit = new CpuLimit(counted)
    for (millis <- Seq(0L, 10L, 100L, 5000L)) assert(leaves(limit, millis, 0, 0))
    limit.forget()
    assert(leaves(limit, 5001, 0, 0))
  }

  test("without a limit the kernel is asked once a second") {
    var asked = 0
    val limit = new CpuLimit({ asked += 1; (0L, 0L) })
    for (millis <- 0L to 2500L by 2L) assert(limit.leavesSome(millis * 1000000))
    assertEquals(asked, 3) // at 0, 1002 and 2004 ms
  }
}
