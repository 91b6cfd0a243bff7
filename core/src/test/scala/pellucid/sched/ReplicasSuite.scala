package pellucid.sched

import scala.util.Random

import pellucid.sched.Replicas.Write

class ReplicasSuite extends munit.FunSuite {
  private val Minute = 60L * 1000 * 1000 * 1000

  /** Replicas that know machines m1 to m`machines`, in `racks` racks by turns. */
  private def knowing(machines: Int, racks: Int = 1, random: Random = new Random(1)) = {
    val replicas = new Replicas[String](random.nextInt)
    val all = (1 to machines).map(m => s"m$m" -> s"/r${(m - 1) % racks}")
    for (_ <- 0 to machines) replicas.chose(all, 0)
    replicas
  }

  private def write(machine: Int, number: Long = 0) = Write(s"$machine", number)

  test("each machine takes as many replicas when each writes one file") {
    for (seed <- 1 to 50) {
      val random = new Random(seed)
      val replicas = knowing(4, random = random)
      val chosen = random.shuffle((1 to 4).toList).map(m => m -> replicas.begins(write(m), Some(s"m$m"), 3, 0).get)
      for ((m, machines) <- chosen) {
        assertEquals(machines.head, s"m$m")
        assertEquals(machines.distinct.size, 3)
      }
      // 4 files of 3 replicas on 4 machines; the last writer's own is among its three, so that one may have a fourth
      val loads = (1 to 4).map(m => chosen.count(_._2.contains(s"m$m")))
      assertEquals(loads.sum, 12)
      assert(loads.min >= 2 && loads.max <= 4, loads)
    }
  }

  test("of those that are as little busy the one that took fewest before: in the end all have as many") {
    for (seed <- 1 to 50) {
      val random = new Random(seed)
      val replicas = knowing(4, random = random)
      val chosen = for (n <- 1 to 32) yield {
        val own = 1 + random.nextInt(4)
        val machines = replicas.begins(write(own, n.toLong), Some(s"m$own"), 3, 0).get
        replicas.ends(write(own, n.toLong))
        machines
      }
      // 32 files of 3 replicas on 4 machines are 24 each; with the writer's own always among them the last few may not even out
      val loads = (1 to 4).map(m => chosen.count(_.contains(s"m$m")))
      assertEquals(loads.sum, 96)
      assert(loads.min >= 23 && loads.max <= 25, loads)
    }
  }

  test("what has ended counts no more, nor what an executor that is gone wrote") {
    val replicas = knowing(4)
    replicas.begins(write(1, 1), Some("m1"), 2, 0)
    val second = replicas.begins(write(1, 2), Some("m1"), 2, 0)
    val third = replicas.begins(write(1, 3), Some("m1"), 2, 0)
    replicas.ends(write(1, 2))
    // of m2, m3 and m4 only the one of the second file is free
    assertEquals(replicas.begins(write(1, 4), Some("m1"), 2, 0), second)
    assertEquals(third.map(_.size), Some(2))
    replicas.gone("1")
    replicas.ends(write(1, 3)) // told twice
    val others = (1 to 3).map(n => replicas.begins(write(2, n), Some("m1"), 2, 0).get(1))
    assertEquals(others.toSet, Set("m2", "m3", "m4"))
  }

  test("a file's next block counts instead of the one before") {
    val replicas = knowing(3)
    val first = replicas.begins(write(1), Some("m1"), 2, 0)
    for (_ <- 1 to 10) replicas.begins(write(1), Some("m1"), 2, 0)
    replicas.ends(write(1))
    val both = Seq(write(1), write(2)).map(w => replicas.begins(w, Some("m1"), 2, 0).get(1))
    assertEquals(both.toSet, Set("m2", "m3")) // nothing else is counted
    assertEquals(first.map(_.size), Some(2))
  }

  test("the file system chooses until its choices show no new machine, and again after ten minutes") {
    val replicas = new Replicas[String](_ => 0)
    def chooses(now: Long) = replicas.begins(write(1), Some("a"), 2, now)
    replicas.chose(Seq("a" -> "/r", "b" -> "/r"), Minute)
    replicas.chose(Seq("a" -> "/r", "c" -> "/r"), Minute)
    replicas.chose(Seq("a" -> "/r", "b" -> "/r"), Minute)
    replicas.chose(Seq("a" -> "/r", "c" -> "/r"), Minute)
    assertEquals(chooses(Minute), None) // three are known, two choices without a new one
    replicas.chose(Seq("a" -> "/r", "c" -> "/r"), Minute)
    assertEquals(chooses(Minute), Some(Seq("a", "b")))
    assertEquals(chooses(11 * Minute), Some(Seq("a", "c"))) // b has had one
    assertEquals(chooses(12 * Minute), None)
    for (_ <- 0 to 3) replicas.chose(Seq("a" -> "/r", "c" -> "/r", "d" -> "/r"), 12 * Minute)
    assertEquals(chooses(12 * Minute), Some(Seq("a", "c"))) // b is gone
  }

  test("where all machines have a replica there is nothing to choose") {
    assertEquals(knowing(3).begins(write(1), Some("m1"), 3, 0), Some(Nil))
  }

  test("replicas are in racks as HDFS has them: one in the writer's, two in another") {
    for (seed <- 1 to 50) {
      val replicas = knowing(6, racks = 2, new Random(seed)) // m1, m3, m5 and m2, m4, m6
      for (m <- 1 to 6) {
        val odd = replicas.begins(write(m), Some(s"m$m"), 3, 0).get.map(_.drop(1).toInt % 2)
        assertEquals(odd, Seq(m % 2, 1 - m % 2, 1 - m % 2))
      }
    }
  }

  test("the file system chooses for a writer whose machine it has not shown") {
    assertEquals(knowing(4).begins(write(1), Some("m5"), 3, 0), Some(Nil))
  }

  test("on several racks the file system chooses for a writer on none of the machines, and two replicas") {
    assertEquals(knowing(4, racks = 2).begins(write(1), None, 3, 0), Some(Nil))
    assertEquals(knowing(4, racks = 2).begins(write(1), Some("m1"), 2, 0), Some(Nil))
  }

  test("of machines without end no more than a thousand choices are learned from") {
    val replicas = new Replicas[String](_ => 0)
    for (n <- 1 to 1000) {
      assertEquals(replicas.begins(write(1), Some("m1"), 3, 0), None)
      replicas.chose(Seq("m1" -> "/r", s"m$n" -> "/r"), 0)
    }
    assertEquals(replicas.begins(write(1), Some("m1"), 3, 0), Some(Nil))
  }

  test("a writer on none of the machines has the least busy ones") {
    val replicas = knowing(4)
    val first = replicas.begins(write(1), None, 2, 0)
    val second = replicas.begins(write(2), None, 2, 0)
    assertEquals((first ++ second).flatten.toSet, Set("m1", "m2", "m3", "m4"))
  }
}
