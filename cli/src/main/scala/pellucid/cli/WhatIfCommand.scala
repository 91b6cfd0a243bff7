package pellucid.cli

import java.nio.file.{Files, Paths}

import pellucid.disk.{DiskKinds, DiskProfile}
import pellucid.model.{Change, Known, Machines, Models, WhatIf}
import pellucid.page.WhatIfPage
import pellucid.text.{Text, WhatIfText}

/** `pellucid whatif`. */
object WhatIfCommand {
  def run(
      log: String,
      change: Change,
      known: Known,
      diskAsked: Option[String],
      told: String,
      sweep: Option[Sweep],
      html: Option[String],
      json: Boolean,
      from: Option[Moment],
      to: Option[Moment]
  ): Unit = {
    if (html.isDefined && json)
      throw new Usage("--html and --json: one of them; the page has the JSON's numbers inside")
    if (html.isDefined && sweep.isDefined)
      throw new Usage("--html and --sweep: one of them; the page has a control for what a sweep changes")
    for ((flag, asked) <- Seq("--partitions" -> change.partitions.isDefined, "--compression" -> change.plainShuffles))
      if (html.isDefined && asked) throw new Usage(s"--html and $flag: one of them; the page has no control for it")
    if (known.dirtyBytes.isDefined && known.disk.isEmpty)
      throw new Usage("--dirty-now: how fast the disks write it must be known: say it with --disk-now")
    for (s <- sweep if s.isSet(change)) throw new Usage(s"--sweep ${s.what}=… and --${s.what}: one of them")
    val source = ReportCommand.one(log)
    val page = html.map(new OutputFile("--html", _, source.files))
    val trace = ReportCommand.restrict(ReportCommand.read(source, Terminal.isThere), from, to)
    if (trace.byLaunch.isEmpty) throw new Usage(s"$log: no task in it")
    val models = new Models(trace, known)
    if ((change.partitions.isDefined || sweep.exists(_.what == "partitions")) && !models.dividesShuffles)
      throw new Usage("--partitions: no stage of several tasks reads a shuffle, and nothing else")
    if (change.plainShuffles && !trace.application.compressesShuffles)
      throw new Usage("--compression off: shuffles were not compressed (spark.shuffle.compress)")
    if (change.plainShuffles && !models.knowsPlainShuffles)
      throw new Usage(
        "--compression off: nothing in the log tells how large map output is uncompressed; SQL's exchanges do"
      )
    val answers = sweep.fold(Seq(change))(_.changes(change)).map(models.predict)
    if (change.disk.isDefined && answers.head.now.disk.isEmpty)
      throw new Usage("--disk: nothing in the log tells how fast the disks are now: say it with --disk-now")
    if (change.networkBytesPerSecond.isDefined && answers.head.now.networkMbits.isEmpty)
      throw new Usage("--network: nothing in the log tells how fast the network is now: say it with --network-now")
    if (json) { Console.out.write(WhatIf.json(answers)); Console.println() }
    else Console.print(Text.harmless(sweep.fold(WhatIfText.one(answers.head))(s =>
      WhatIfText.sweep(s.what, answers, s.value)
    )))
    page.foreach { file =>
      file.write(WhatIfPage.html(GridCommand.simulate(models, known, change, diskAsked, told, Terminal.isThere)))
      println(s"\nThe page is in $file")
    }
  }
}

/** One number of the machines, from one value to another. */
final case class Sweep(what: String, from: Int, to: Int) {
  private val number = Sweep.Of(what)
  def changes(of: Change): Seq[Change] = (from to to).map(n => number.set(of, n))
  def value(machines: Machines): Option[Int] = number.has(machines)
  def isSet(by: Change): Boolean = number.asked(by).isDefined
}

object Sweep {
  private final case class Number(
      set: (Change, Int) => Change,
      asked: Change => Option[Int],
      has: Machines => Option[Int]
  )
  private val Of: Map[String, Number] = Map(
    "machines" -> Number((c, n) => c.copy(machines = Some(n)), _.machines, m => Some(m.count)),
    "cores" -> Number((c, n) => c.copy(cores = Some(n)), _.cores, m => Some(m.cores)),
    "disks" -> Number((c, n) => c.copy(disks = Some(n)), _.disks, m => Some(m.disks)),
    "partitions" -> Number((c, n) => c.copy(partitions = Some(n)), _.partitions, _.partitions)
  )
  private val Range = """(\w+)=(\d{1,6})\.\.(\d{1,6})""".r
  private final val MostSteps = 200

  /** @throws Usage naming the flag */
  def parse(text: String): Sweep = text match {
    case Range(what, from, to)
        if Of.contains(what) && from.toInt >= 1 && to.toInt >= from.toInt && to.toInt - from.toInt < MostSteps &&
          to.toInt <= MachineFlags.Most =>
      Sweep(what, from.toInt, to.toInt)
    case _ => throw new Usage(
        s"--sweep $text: expected ${Of.keys.toSeq.sorted.mkString(", ")} and at most $MostSteps numbers from 1 to ${MachineFlags.Most}, such as machines=5..40"
      )
  }
}

/** The machines' properties as the user writes them. Each throws Usage naming the flag. */
object MachineFlags {
  private val Size = """(\d+(?:\.\d+)?)([kmgt])b?""".r
  private val Rate = """(\d+(?:\.\d+)?)([kmg])bit""".r

  /** Of machines, or of anything that each of them has: more would take more memory than there is. */
  final val Most = 100000

  def count(flag: String, n: Option[Int]): Option[Int] = {
    n.filterNot(n => n >= 1 && n <= Most).foreach(bad => throw new Usage(s"$flag $bad: expected 1 to $Most"))
    n
  }

  def cpus(flag: String, n: Option[Double]): Option[Double] = {
    n.filterNot(c => c > 0 && !c.isInfinite).foreach(bad => throw new Usage(s"$flag $bad: expected more than 0"))
    n
  }

  /** Bytes per second of `100mbit`, `10gbit`. */
  def network(flag: String, text: Option[String]): Option[Double] = text.map {
    case Rate(number, unit) if number.toDouble > 0 =>
      number.toDouble * Map("k" -> 1e3, "m" -> 1e6, "g" -> 1e9)(unit) / 8
    case other => throw new Usage(s"$flag $other: expected a rate such as 200mbit or 10gbit")
  }

  /** As Spark's settings have them: `512m`, `4g`, of 1024. */
  def bytes(flag: String, text: Option[String]): Option[Double] = text.map {
    case Size(number, unit) => number.toDouble * math.pow(1024, 1 + "kmgt".indexOf(unit))
    case other => throw new Usage(s"$flag $other: expected a size such as 512m or 4g")
  }

  def disk(flag: String, text: Option[String]): Option[DiskProfile] = text.map { name =>
    DiskKinds.all.getOrElse(
      name, {
        val path = Paths.get(name)
        if (!Files.isRegularFile(path))
          throw new Usage(
            s"$flag $name: expected ${DiskKinds.all.keys.toSeq.sorted.mkString(", ")}, or a file that `pellucid profile-disk` wrote"
          )
        UserFile.read(path)(DiskProfile.read)
      }
    )
  }

  def plainShuffles(text: Option[String]): Boolean = text match {
    case None => false
    case Some("off") => true
    case Some(other) =>
      throw new Usage(
        s"--compression $other: expected off; how much smaller compression makes shuffles no log without it tells"
      )
  }

  def inMemory(text: Option[String]): Boolean = text match {
    case None => false
    case Some("memory") => true
    case Some(other) => throw new Usage(s"--input $other: expected memory")
  }
}
