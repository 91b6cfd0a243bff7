package pellucid.model

import java.math.MathContext

import pellucid.disk.{DiskKinds, DiskProfile}

/** A property of the machines and the values of it that are simulated, in order.
  *
  * @param now   number of the recorded value, and `asked` of the one asked for
  * @param fixed why there is nothing to choose, in words
  */
final case class Axis(
    name: String,
    values: Seq[AxisValue],
    now: Int,
    asked: Int,
    fixed: Option[String] = None
)

/** @param flag of `pellucid whatif` that asks for it; empty of the recorded value */
final case class AxisValue(label: String, flag: String)

/** Which values of each property to combine: the recorded one, the one asked for, and around them as many as `most` combinations allow.
  *
  * @param most of combinations; there are more only where what is asked for differs in many properties from what was recorded
  * @param diskAsked what `--disk` says where `asked` has one, as a shell reads it
  */
final class Axes(models: Models, known: Known, asked: Change, most: Int, diskAsked: String = "") {
  private val now = models.predict(Change()).now

  private val all: Seq[Axes.Candidates] = Seq(
    numbers("machines", now.count, asked.machines, 12, None)((c, n) => c.copy(machines = n)),
    numbers("cores", now.cores, asked.cores, 6, None)((c, n) => c.copy(cores = n)),
    numbers("disks", now.disks, asked.disks, 4, noDisk)((c, n) => c.copy(disks = n)),
    diskKinds,
    networks,
    input
  )

  private def noDisk = Option.when(!models.uses(Resource.Disk) && !models.uses(Resource.Output))("no task used a disk")

  private def numbers(name: String, now: Int, asked: Option[Int], count: Int, fixed: Option[String])(
      set: (Change, Option[Int]) => Change
  ) = {
    val required = (now +: asked.toSeq).distinct
    val wanted = if (fixed.isEmpty) (required ++ Axes.around(now)).distinct.take(count) else required
    Axes.Candidates(
      name,
      wanted.map(n =>
        Axes.Candidate(
          AxisValue(n.toString, if (n == now) "" else s"--$name $n"),
          n.toDouble,
          set(_, Option.when(n != now)(n))
        )
      ),
      asked.fold(0)(wanted.indexOf(_)),
      fixed
    )
  }

  private def diskKinds = {
    val fixed = noDisk.orElse(Option.when(now.disk.isEmpty)(
      "nothing in the log tells how fast the disks are now: say it with --disk-now"
    ))
    val kinds = if (fixed.isEmpty) DiskKinds.all.values.toSeq.sortBy(_.name) else Nil
    val profiles = (asked.disk.toSeq ++ kinds).distinct.filterNot(known.disk.contains(_))
    def flag(d: DiskProfile) = s"--disk ${if (DiskKinds.all.valuesIterator.contains(d)) d.name else diskAsked}"
    Axes.Candidates(
      "disk",
      Axes.Candidate(AxisValue(now.disk.getOrElse("not known"), ""), 0, identity) +: profiles.zipWithIndex.map {
        case (d, i) => Axes.Candidate(AxisValue(d.name, flag(d)), 1.0 + i, _.copy(disk = Some(d)))
      },
      asked.disk.fold(0)(profiles.indexOf(_) + 1),
      fixed
    )
  }

  private def networks = {
    val fixed = Option.when(!models.uses(Resource.Network) && !models.uses(Resource.Output))(
      "no task used the network"
    ).orElse(Option.when(now.networkMbits.isEmpty)(
      "nothing in the log tells how fast the network is now: say it with --network-now"
    ))
    val mbitsNow = now.networkMbits.getOrElse(0.0)
    val mbitsAsked = asked.networkBytesPerSecond.map(_ * 8 / 1e6)
    val (slower, faster) = Axes.Networks.filterNot(mbitsNow == _).partition(_ < mbitsNow)
    val others = if (fixed.isEmpty) faster.take(1) ++ slower.takeRight(1) ++ faster.slice(1, 2) else Nil
    val speeds = (mbitsNow +: (mbitsAsked.toSeq ++ others)).distinct
    Axes.Candidates(
      "network",
      speeds.zipWithIndex.map { case (mbits, i) =>
        val bytesPerSecond = Option.when(i > 0)(mbits * 1e6 / 8)
        Axes.Candidate(
          AxisValue(if (mbits == 0) "not known" else Axes.speed(mbits), if (i == 0) "" else Axes.flag(mbits)),
          mbits,
          _.copy(networkBytesPerSecond = bytesPerSecond)
        )
      },
      mbitsAsked.fold(0)(speeds.indexOf(_)),
      fixed
    )
  }

  private def input = {
    val fixed = Option.when(!models.readsInput)("no task waited for input")
    val memory = Axes.Candidate(AxisValue("in memory", "--input memory"), 1, _.copy(inputInMemory = true))
    Axes.Candidates(
      "input",
      Axes.Candidate(AxisValue("as it was", ""), 0, identity) +:
        (if (fixed.isEmpty || asked.inputInMemory) Seq(memory) else Nil),
      if (asked.inputInMemory) 1 else 0,
      fixed
    )
  }

  /** Of each property the first so many candidates. */
  private val sizes: Array[Int] = {
    val sizes = all.map(c => if (c.asked == 0) 1 else c.asked + 1).toArray
    def combinations(grown: Int) =
      sizes.indices.map(i => (if (i == grown) sizes(i) + 1 else sizes(i)).toLong).product
    def next = sizes.indices.filter(i => sizes(i) < all(i).values.size && combinations(i) <= most)
      .minByOption(i => sizes(i).toDouble / all(i).values.size)
    Iterator.continually(next).takeWhile(_.isDefined).flatten.foreach(sizes(_) += 1)
    sizes
  }

  private val chosen: Seq[Seq[Axes.Candidate]] = all.zip(sizes).map { case (c, n) => c.values.take(n).sortBy(_.order) }

  /** In the order of the numbers in [[changes]]: the last varies fastest. */
  val axes: Seq[Axis] = all.zip(chosen).map { case (c, values) =>
    Axis(
      c.name,
      Axes.apart(values.map(_.value)),
      values.indexOf(c.values.head),
      values.indexOf(c.values(c.asked)),
      c.fixed
    )
  }

  /** Every combination. */
  val changes: IndexedSeq[Change] = chosen.foldLeft(IndexedSeq(Change())) { (changes, values) =>
    changes.flatMap(change => values.map(_.set(change)))
  }
}

object Axes {

  /** The recorded value first, then the one asked for, then the more interesting ones. */
  private final case class Candidates(name: String, values: Seq[Candidate], asked: Int, fixed: Option[String])
  private final case class Candidate(value: AxisValue, order: Double, set: Change => Change)

  private val Factors = Seq(2, 0.5, 1.5, 4, 0.75, 3, 1.25, 0.25, 8, 6, 2.5)
  private def around(n: Int): Seq[Int] = Factors.map(f => math.round(n * f).toInt).filter(_ >= 1)

  /** Mbit/s of network cards. */
  private val Networks = Seq(100.0, 1e3, 1e4, 2.5e4, 1e5)

  /** With the flag beside a label that others have: two disks may be called the same, and two networks be nearly as fast. */
  private def apart(values: Seq[AxisValue]): Seq[AxisValue] = values.map { value =>
    if (value.flag.isEmpty || values.count(_.label == value.label) == 1) value
    else value.copy(label = s"${value.label} (${value.flag})")
  }

  private def plain(x: BigDecimal): String = x.bigDecimal.stripTrailingZeros.toPlainString
  private def flag(mbits: Double): String = s"--network ${plain(BigDecimal(mbits))}mbit"
  def speed(mbits: Double): String = {
    def digits(x: Double) = plain(BigDecimal(x).round(new MathContext(3)))
    if (mbits >= 1e3) s"${digits(mbits / 1e3)} Gbit/s" else s"${digits(mbits)} Mbit/s"
  }
}
