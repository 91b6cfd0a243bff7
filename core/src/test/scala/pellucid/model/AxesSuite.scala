package pellucid.model

import pellucid.TraceOf
import pellucid.disk.{BandwidthCurve, DiskKinds, DiskProfile}
import pellucid.trace.Trace

class AxesSuite extends munit.FunSuite {

  /** Two machines of a core: two tasks read 40 MB in 400 ms and compute 600 ms. */
  private def reading: Trace = {
    val of = new TraceOf(Seq(1, 1))
    of.stage(0, 0, 1000).job(0, 0, 1000, 0)
    for (i <- 0 to 1)
      of.task(0, 0, 1000, executor = i) { (t, row) =>
        t.cpuNanos(row) = 600000000L
        t.inputBytes(row) = 40 << 20
      }
    of.result()
  }

  /** Two tasks on one core that only compute. */
  private def computing: Trace =
    new TraceOf().stage(0, 0, 2000).job(0, 0, 2000, 0).task(0, 0, 1000)().task(0, 1000, 2000)().result()

  private val told = Known(disk = Some(DiskProfile("told", BandwidthCurve.flat(1e8), BandwidthCurve.flat(1e8))))
  private def axes(trace: Trace, asked: Change, most: Int, known: Known = told) =
    new Axes(new Models(trace, known), known, asked, most)
  private def axis(of: Axes, name: String): Axis = of.axes.find(_.name == name).get
  private def labels(of: Axes, name: String): Seq[String] = axis(of, name).values.map(_.label)

  test("no more combinations than wanted, and more where more are") {
    var before = 0
    for (most <- Seq(1, 2, 7, 30, 200, 1200)) {
      val n = axes(reading, Change(), most).changes.size
      assert(n <= most && n >= before, s"$n of $most")
      before = n
    }
    assert(before > 600, before)
  }

  test("the recorded values and those asked for are among the others, in order, whatever the limit") {
    val asked = Change(machines = Some(7), disk = Some(DiskKinds.all("ssd")), inputInMemory = true)
    for (most <- Seq(1, 100)) {
      val of = axes(reading, asked, most)
      assert(of.axes.forall(a => a.now < a.values.size && a.asked < a.values.size))
      val machines = axis(of, "machines")
      assertEquals(machines.values(machines.now), AxisValue("2", ""))
      assertEquals(machines.values(machines.asked), AxisValue("7", "--machines 7"))
      val numbers = labels(of, "machines").map(_.toInt)
      assertEquals(numbers, numbers.sorted)
      val disk = axis(of, "disk")
      assertEquals((disk.values(disk.now).label, disk.values(disk.asked).label), ("told", "ssd"))
      assertEquals(axis(of, "input").values.map(_.flag), Seq("", "--input memory"))
    }
    assertEquals(axes(reading, asked, 1).changes.size, 8)
  }

  test("one change per combination, that of the last property first") {
    val of = axes(reading, Change(cores = Some(3)), 100)
    assertEquals(of.changes.size, of.axes.map(_.values.size).product)
    assertEquals(of.changes.distinct.size, of.changes.size)
    def at(position: Axis => Int) = of.axes.foldLeft(0)((n, a) => n * a.values.size + position(a))
    assertEquals(of.changes(at(_.now)), Change())
    assertEquals(of.changes(at(_.asked)), Change(cores = Some(3)))
  }

  test("what the log says nothing about is fixed, and why") {
    val of = axes(computing, Change(), 1000)
    assertEquals(
      of.axes.map(a => (a.name, a.fixed)),
      Seq(
        ("machines", None),
        ("cores", None),
        ("disks", Some("no task used a disk")),
        ("disk", Some("no task used a disk")),
        ("network", Some("no task used the network")),
        ("input", Some("no task waited for input"))
      )
    )
    assert(of.axes.filter(_.fixed.isDefined).forall(_.values.size == 1))
    assertEquals(axis(axes(reading, Change(), 1000), "disk").fixed, None)
    val untold = axis(axes(reading, Change(), 1000, Known()), "disk").fixed
    assert(untold.exists(_.contains("say it with --disk-now")), untold)
  }

  test("disks that the machines have are not offered again; a file's are") {
    val mine = DiskProfile("mine", BandwidthCurve.flat(1e8), BandwidthCurve.flat(1e8))
    val known = Known(disk = Some(DiskKinds.all("hdd")))
    assertEquals(labels(axes(reading, Change(), 1000, known), "disk"), Seq("hdd", "ssd"))
    def values(asked: DiskProfile) =
      axis(
        new Axes(new Models(reading, known), known, Change(disk = Some(asked)), 1000, "'my disk.json'"),
        "disk"
      ).values
    val ssd = AxisValue("ssd", "--disk ssd")
    assertEquals(
      values(mine),
      Seq(AxisValue("hdd", ""), AxisValue("mine", "--disk 'my disk.json'"), ssd)
    )
    // another disk of the same name can be told from it
    val namesake = mine.copy(name = "hdd")
    assertEquals(
      values(namesake),
      Seq(AxisValue("hdd", ""), AxisValue("hdd (--disk 'my disk.json')", "--disk 'my disk.json'"), ssd)
    )
  }

  test("networks around the one that there is") {
    val fetching = {
      val of = new TraceOf(Seq(1, 1))
      of.stage(0, 0, 1000).job(0, 0, 1000, 0)
      of.task(0, 0, 1000) { (t, row) =>
        t.cpuNanos(row) = 100000000L
        t.fetchWaitMillis(row) = 500
        t.shuffleRemoteBytes(row) = 10000000L
      }
      of.result()
    }
    assertEquals(axis(axes(fetching, Change(), 1000), "network").fixed.map(_.takeRight(13)), Some("--network-now"))
    val known = Known(networkBytesPerSecond = Some(25e6))
    val of = axes(fetching, Change(networkBytesPerSecond = Some(5e8)), 1000, known)
    assertEquals(labels(of, "network"), Seq("100 Mbit/s", "200 Mbit/s", "1 Gbit/s", "4 Gbit/s", "10 Gbit/s"))
    assertEquals(axis(of, "network").values.map(_.flag)(3), "--network 4000mbit")
  }
}
