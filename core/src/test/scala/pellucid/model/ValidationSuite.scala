package pellucid.model

class ValidationSuite extends munit.FunSuite {
  test("what was predicted 25 % too long, said to take 10 s, takes 8 s") {
    // errors of -0.2, 0, 0.25 of what was measured: 10 s predicted were 12.5, 10, 8 s
    val v = Validation.from(Vector(0.25, 0.0, -0.2), seconds = 10)
    assertEquals(v, Validation(3, medianError = 0.2, worstError = 0.25, low = 8, high = 12.5))
  }

  test("one in ten at each end is left out") {
    // 21 errors of 0, 0.1 .. 2: 10 s predicted were 10, 10/1.1 .. 10/3 s; two are left out at each end
    val v = Validation.from((0 to 20).map(_ / 10.0), seconds = 10)
    assertEqualsDouble(v.low, 10 / 2.8, 1e-9)
    assertEqualsDouble(v.high, 10 / 1.2, 1e-9)
  }

  test("machines that are the same differ in nothing") {
    val a = Cluster(4, 3, 2, 2, 1, None, Some(1e8))
    assertEquals(a.differs(a), Set.empty[String])
    assertEquals(a.differs(a.copy(machines = 5, inputInMemory = true)), Set("machines", "input"))
    assertEquals(Validation.of("monotasks", Set.empty, 10), None)
  }

  test("what was predicted from stock logs says nothing of observed ones") {
    val each = Seq("monotasks", "stock", "observed").map(Validation.of(_, Set("disk"), 10))
    assert(each.forall(_.isDefined))
    assertEquals(each.flatten.map(_.worstError).distinct.size, 3, each)
  }
}
