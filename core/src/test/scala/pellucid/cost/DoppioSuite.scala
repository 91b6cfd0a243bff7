package pellucid.cost

import org.scalacheck.Gen
import org.scalacheck.Prop._

import pellucid.Properties
import pellucid.disk.{BandwidthCurve, DiskProfile}

class DoppioSuite extends Properties {
  import Demanded._
  private final val MB = 1e6

  // Fig. 6: T = 60 MB/s, λ = 4: a task reads 60 MB in 1 s and computes for 3 s; BW = 120 MB/s
  private val fig6 =
    StageDemand("job", 0, "shuffle", 96, 3, Seq(Io(IoKind.ShuffleRead, 96 * 60 * MB, 30e3, Some(60 * MB))))
  private def onCores(cores: Int) = Doppio.stage(fig6, Cluster(1, cores, disk(1e9), disk(120 * MB)))

  test("Fig. 6: b = BW / T = 2 and B = λ b = 8") {
    val io = onCores(4).io.head
    assertEquals((io.breakPoint, io.taskOverIo, io.turningPoint), (Some(2.0), 4.0, 8.0))
  }

  test("Fig. 6: up to B cores the stage scales, beyond it the disk is the bound and more cores do nothing") {
    // 96 tasks of 4 s; 96 x 60 MB at 120 MB/s take 48 s, as 8 cores do
    assertEquals(Seq(1, 2, 4, 8).map(onCores(_).seconds), Seq(384.0, 192.0, 96.0, 48.0))
    assertEquals(Seq(9, 16, 36).map(onCores(_).seconds), Seq(48.0, 48.0, 48.0))
    assertEquals(Seq(2, 8, 9, 36).map(onCores(_).bound), Seq("cores", "cores", "localRead", "localRead"))
  }

  test("of tasks with two cores each all is as with half the cores: b and B are twice as many") {
    val wide = Doppio.stage(fig6.copy(coresPerTask = 2), Cluster(1, 8, disk(1e9), disk(120 * MB)))
    assertEquals((wide.seconds, wide.io.head.breakPoint, wide.io.head.turningPoint), (96.0, Some(4.0), 16.0))
  }

  test("reads of one disk add up, the other disk and the other direction are limits of their own; each has its own δ") {
    // on two machines: HDFS 100 MB at 100 MB/s = 0.5 s; local 300 + 100 MB at 50 MB/s = 4 s; written 60 MB at 50 MB/s =
    // 0.6 s
    val stage = StageDemand(
      "job",
      0,
      "s",
      10,
      1,
      Seq(
        Io(IoKind.HdfsRead, 100 * MB, 1e6),
        Io(IoKind.ShuffleRead, 300 * MB, 1e4),
        Io(IoKind.PersistRead, 100 * MB, 1e6),
        Io(IoKind.ShuffleWrite, 60 * MB, 1e6)
      ),
      serialSeconds = Vector(0.25, 10, 0, 0.5, 0)
    )
    def on(cores: Int) = Doppio.stage(stage, Cluster(2, cores, disk(100 * MB), disk(50 * MB)))
    // the HDFS limit with its δ of 10 s is the longest; a task: 1 + 0.1 + 0.6 + 0.2 + 0.12 = 2.02 s
    assertEquals((on(4).bound, on(4).seconds), ("hdfsRead", 10.5))
    val without = stage.copy(serialSeconds = Vector(0.25, 0, 0, 0.5, 0))
    assertEquals(Doppio.stage(without, Cluster(2, 4, disk(100 * MB), disk(50 * MB))).seconds, 4.5)
    val few = Doppio.stage(without, Cluster(2, 1, disk(100 * MB), disk(50 * MB)))
    assertEqualsDouble(few.seconds, 10.0 / 2 * 2.02 + 0.25, 1e-9)
  }

  test("no stage is shorter than one task") {
    val small = StageDemand("job", 0, "s", 3, 2, Nil)
    assertEquals(Doppio.stage(small, Cluster(10, 8, disk(1), disk(1))).seconds, 2.0)
  }

  property("more bandwidth, more machines or more cores are never slower") {
    forAll(jobs, clusters, Gen.choose(1.0, 10.0), Gen.choose(1, 5)) { (job, on, faster, more) =>
      val now = Doppio.seconds(job, on)
      def times(d: DiskProfile) = d.times(faster)
      for (
        better <- Seq(
          on.copy(local = times(on.local)),
          on.copy(hdfs = times(on.hdfs)),
          on.copy(machines = on.machines + more),
          on.copy(cores = on.cores + more)
        )
      ) assert(Doppio.seconds(job, better) <= now * (1 + 1e-12), s"$better")
    }
  }

  test("each machine has one replica of a file at most: two machines write two of three") {
    // 3 GB with all replicas: 0.75 GB for each of four disks of 100 MB/s; on two, 1 GB for each
    val stage = StageDemand("job", 0, "s", 1000, 0, Seq(Io(IoKind.HdfsWrite, 3e9, 1e8, replicas = 3)))
    def seconds(machines: Int) = Doppio.stage(stage, Cluster(machines, 100, disk(1e8), disk(1e8))).seconds
    assertEqualsDouble(seconds(4), 7.5, 1e-9)
    assertEqualsDouble(seconds(2), 10, 1e-9)
    assertEqualsDouble(seconds(1), 10, 1e-9)
  }

  test("a task waits for all replicas of what it writes at once, the disks have them one after another") {
    // a task of 1 s writes 128 MB, 1.28 s of a disk of 100 MB/s: 100 tasks take 22.8 s on 10 cores; 38.4 GB take ten disks 38.4 s
    val stage = StageDemand("job", 0, "s", 100, 1, Seq(Io(IoKind.HdfsWrite, 3 * 12.8e9, 1.28e8, replicas = 3)))
    def predicted(cores: Int) = Doppio.stage(stage, Cluster(10, cores, disk(1e8), disk(1e8)))
    assertEqualsDouble(predicted(1).seconds, 38.4, 1e-9)
    assertEquals(predicted(1).bound, "hdfsWrite")
    assertEqualsDouble(predicted(1).io.head.turningPoint, 22.8 / 38.4, 1e-9)
  }

  property(
    "B is where computing and the disk take equally long, also of two kinds of I/O: below it the disk is no bound"
  ) {
    forAll(stagesOf(Seq(IoKind.ShuffleRead, IoKind.PersistRead)), clusters) { (stage, on) =>
      val simple = stage.copy(serialSeconds = StageDemand.NoSerial, leastWaves = 0)
      val p = Doppio.stage(simple, on)
      val cores = on.cores.toDouble
      for (io <- p.io if math.abs(cores - io.turningPoint) > 1e-6 * cores)
        assertEquals(p.bound, if (cores < io.turningPoint) "cores" else "localRead")
    }
  }
}

/** Stages and clusters for tests. */
object Demanded {
  def disk(bytesPerSecond: Double): DiskProfile =
    DiskProfile("flat", BandwidthCurve.flat(bytesPerSecond), BandwidthCurve.flat(bytesPerSecond))

  private def io(kind: IoKind) = for {
    bytes <- Gen.choose(1e3, 1e11)
    request <- Gen.choose(1e3, 2e8)
    perCore <- Gen.option(Gen.choose(1e5, 1e9))
  } yield Io(kind, bytes, request, perCore)

  def stagesOf(kinds: Seq[IoKind]): Gen[StageDemand] = for {
    some <- Gen.someOf(kinds)
    io <- Gen.sequence[Seq[Io], Io](some.toSeq.map(io))
    tasks <- Gen.choose(1, 2000)
    compute <- Gen.choose(0.0, 30.0)
    serial <- Gen.listOfN(Term.all.size, Gen.choose(0.0, 20.0))
    least <- Gen.oneOf(1.0, 0.25)
    cores <- Gen.choose(1, 3)
  } yield StageDemand("job", 0, "stage", tasks, compute, io, serial.toVector, least, coresPerTask = cores)

  val jobs: Gen[JobDemand] = for {
    stages <- Gen.nonEmptyListOf(stagesOf(IoKind.all))
    driver <- Gen.choose(0.0, 10.0)
  } yield JobDemand(Seq("job"), stages.take(5).toVector, driver, 0, Nil, Nil)

  private val disks = pellucid.disk.DiskProfileSuite.curves.flatMap(read =>
    pellucid.disk.DiskProfileSuite.curves.map(DiskProfile("disk", read, _))
  )

  val clusters: Gen[Cluster] = for {
    machines <- Gen.choose(1, 40)
    cores <- Gen.choose(1, 40)
    hdfs <- disks
    local <- disks
  } yield Cluster(machines, cores, hdfs, local)
}
