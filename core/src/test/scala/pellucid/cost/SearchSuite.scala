package pellucid.cost

import org.scalacheck.Gen
import org.scalacheck.Prop._

import pellucid.Properties
import pellucid.disk.{DiskSpeed, SizeLimit, PublishedLimits}

class SearchSuite extends Properties {
  import Demanded._
  import SearchSuite._

  property("the front is every point that no other beats, found one by one") {
    forAll(Gen.listOf(Gen.zip(Gen.choose(0, 20), Gen.choose(0, 20)))) { points =>
      val front = new Front
      for (((seconds, dollars), i) <- points.zipWithIndex) front.offer(seconds.toDouble, dollars.toDouble, i.toLong)
      val found = (0 until front.size).map(i => (front.seconds(i).toInt, front.dollars(i).toInt))
      val best = points.distinct.filterNot(p => points.exists(q => q != p && q._1 <= p._1 && q._2 <= p._2))
      assertEquals(found.toList, best.sorted)
      for (i <- 0 until front.size) assertEquals(points(front.point(i).toInt), found(i))
      for (i <- 0 until front.size)
        assertEquals(front.point(i).toInt, points.indexOf(found(i)), "the first of equal ones")
    }
  }

  test("a front of a thousand points") {
    val front = new Front
    for (i <- 0 until 1000) front.offer((i * 7 % 1000).toDouble, 1000.0 - i * 7 % 1000, i.toLong)
    assertEquals(front.size, 1000)
    front.offer(-1, -1, 5000)
    assertEquals((front.size, front.point(0)), (1, 5000L))
  }

  property("the search finds what the model says of each configuration, one by one") {
    forAll(jobs, Gen.choose(0.0, 3e12), Gen.choose(0.0, 3e12), Gen.choose(1, 3)) { (job, local, hdfs, replicas) =>
      val stages = job.stages.map(s =>
        s.copy(io = s.io.map(io => if (io.kind == IoKind.HdfsWrite) io.copy(replicas = replicas) else io))
      )
      val sized = job.copy(stages = stages, localBytes = local, hdfsInputs = Seq(Replicated(hdfs, replicas)))
      val search = Search.of(sized, space)
      val all = (0L until space.size).map(space(_))
      val fit =
        all.filter(c =>
          c.machines * c.local.gigabytes * 1e9 >= local &&
            c.machines * c.hdfs.gigabytes * 1e9 >= hdfs * math.min(c.machines, replicas) / replicas +
            stages.flatMap(_.io).filter(_.kind == IoKind.HdfsWrite).map(_.bytesOn(c.machines)).sum
        )
      assertEquals(search.tooSmall, all.size.toLong - fit.size)
      val choices = fit.map(Optimization.choice(sized, _))
      assertEquals(search.front.size > 0, choices.nonEmpty)
      for (i <- 0 until search.front.size) {
        val c = Optimization.choice(sized, space(search.front.point(i)))
        assertEqualsDouble(search.front.seconds(i), c.seconds, 1e-9 * c.seconds)
        assertEqualsDouble(search.front.dollars(i), c.dollars, 1e-9 * c.dollars)
        for (o <- choices)
          assert(!(o.seconds < c.seconds * (1 - 1e-9) && o.dollars < c.dollars * (1 - 1e-9)), s"$o beats $c")
      }
      if (choices.nonEmpty) {
        val n = search.front.size
        assertEqualsDouble(search.front.dollars(n - 1), choices.map(_.dollars).min, 1e-9 * search.front.dollars(n - 1))
        assertEqualsDouble(search.front.seconds(0), choices.map(_.seconds).min, 1e-9 * search.front.seconds(0))
      }
    }
  }

  // 800 tasks of 9 s that read 1 GB: the cores are the bound, whatever the disk
  private val job = JobDemand(
    Seq("job"),
    Vector(StageDemand("job", 0, "s", 800, 9, Seq(Io(IoKind.ShuffleRead, 1e9, 1e6)), recordedSeconds = 100)),
    10,
    1e9,
    Nil,
    Seq("a note")
  )

  test("with a deadline the cheapest that meets it, and the fastest where none does") {
    def within(seconds: Double) = Optimization.of(job, prices, space, Some(seconds)).get
    val free = Optimization.of(job, prices, space, None).get
    assertEquals((free.chosen, free.deadlineMet), (free.cheapest, None))
    val some = within((free.cheapest.seconds + free.fastest.seconds) / 2)
    assertEquals(some.deadlineMet, Some(true))
    assert(some.chosen.seconds <= some.deadlineSeconds.get)
    assert(free.front.filter(_.seconds <= some.deadlineSeconds.get).forall(_.dollars >= some.chosen.dollars))
    val none = within(1)
    assertEquals((none.deadlineMet, none.chosen), (Some(false), none.fastest))
    assertEquals(none.stages.map(_.id), Seq(0))
    assertEquals(within(1e9).chosen, free.cheapest)
  }

  test("the rules of thumb change the local disk only: 1 TB for two cores, and for each") {
    val o = Optimization.of(job, prices, space, None).get
    val c = o.cheapest
    for ((rule, perCore) <- o.rules.zip(Seq(0.5, 1.0))) {
      val r = rule.choice
      assertEquals((r.machine, r.cores, r.machines, r.hdfsGigabytes), (c.machine, c.cores, c.machines, c.hdfsGigabytes))
      assertEquals((r.localDisk, r.localGigabytes), ("slow", 1000 * perCore * c.cores))
      assertEqualsDouble(rule.cheaper, 1 - c.dollars / r.dollars, 1e-12)
    }
  }

  test("the answer as JSON can be read back; nothing where no disk holds the data") {
    val o = Optimization.of(job, prices, space, Some(60)).get
    assertEquals(Optimization.read(Optimization.json(o)), o)
    assertEquals(Optimization.of(job.copy(localBytes = 1e18), prices, space, None), None)
  }
}

object SearchSuite {
  private def speed(name: String, megabytes: Double): DiskSpeed = {
    val (iops, rate) = (SizeLimit(megabytes * 3, most = 1e6), SizeLimit(megabytes * 1e6, most = 1e12))
    PublishedLimits(name, iops, iops, rate, rate)
  }

  private val prices = Prices(
    "test",
    "today",
    "made up",
    Nil,
    Vector(MachineKind("small", Vector(2, 4), None, 0.05), MachineKind("large", Vector(16), None, 0.04)),
    Vector(
      DiskKind("slow", Vector(100, 500, 2000), 0.04 / 730, speed("slow", 0.12)),
      DiskKind("fast", Vector(50, 500), 0.17 / 730, speed("fast", 0.48))
    )
  )
  private val space = new Space(prices, 2, 5)
}
