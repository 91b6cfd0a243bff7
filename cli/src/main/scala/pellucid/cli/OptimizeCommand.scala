package pellucid.cli

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import pellucid.cost._
import pellucid.demand.Use
import pellucid.disk.{DiskProfile, DiskSpeed, DoppioCsv, MeasuredSizes}
import pellucid.text.{OptimizationText, Text}
import pellucid.trace.Trace

/** `pellucid optimize`. */
object OptimizeCommand {
  final case class Asked(
      logs: Seq[String],
      prices: String,
      profiles: Option[String],
      deadline: Option[String],
      machines: String,
      samples: Option[String],
      perCore: Option[String],
      json: Boolean
  )

  /** Flags that a value follows. */
  val Valued: Set[String] = Set("--prices", "--profiles", "--deadline", "--machines", "--samples", "--per-core")

  private val Range = """(\d{1,5})(?:\.\.(\d{1,5}))?""".r
  private val Named = """(.+):(\d+(?:\.\d+)?)""".r

  def run(asked: Asked): Unit = {
    val deadline = asked.deadline.map(seconds)
    val (fewest, most) = asked.machines match {
      case Range(from, null) if from.toInt > 0 => (from.toInt, from.toInt)
      case Range(from, to) if from.toInt > 0 && from.toInt <= to.toInt => (from.toInt, to.toInt)
      case other => throw new Usage(s"--machines $other: expected a number, or a range such as 2..50")
    }
    asked.logs.find(_.startsWith("--")).foreach(flag => throw new Usage(s"Unknown argument: $flag"))
    if (asked.logs.isEmpty) throw new Usage("optimize: which event log?")
    val (prices, notes) = readPrices(asked.prices, asked.profiles)
    val perCore = asked.perCore.fold(Map.empty[IoKind, Double])(rates)
    def demand(trace: Trace) = Demands.of(trace, perCore)
    val job = asked.samples match {
      case None =>
        asked.logs.flatMap(Sources.of(_).sources).iterator.map(source => demand(read(source))).reduce(_ + _)
      case Some(disks) => fitted(asked.logs, disks, prices, demand)
    }
    if (job.stages.isEmpty) throw new Usage(s"${asked.logs.mkString(", ")}: no task ended")
    val space = new Space(prices, fewest, most)
    val answer = Optimization.of(job, prices.copy(notes = prices.notes ++ notes), space, deadline).getOrElse(
      throw new Usage(
        f"none of the ${space.size}%,d configurations has disks for the data: ${job.localBytes / 1e9}%.1f GB on local disks, ${job
            .hdfsBytes(most) / 1e9}%.1f GB in HDFS"
      )
    )
    if (asked.json) { Console.out.write(Optimization.json(answer)); Console.println() }
    else Console.print(Text.harmless(OptimizationText.of(answer)))
  }

  private def seconds(text: String): Double = Moments.seconds(text).filter(_ > 0)
    .getOrElse(throw new Usage(s"--deadline $text: expected a time such as 2h, 90m or 5400"))

  /** T of each kind of I/O that is named. */
  private def rates(text: String): Map[IoKind, Double] = text.split(',').map { part =>
    val rate = part match {
      case Named(key, megabytes) => IoKind.all.find(_.key == key).map(_ -> megabytes.toDouble * 1e6).filter(_._2 > 0)
      case _ => None
    }
    rate.getOrElse(throw new Usage(
      s"--per-core $text: expected KIND:MB such as hdfsRead:30,shuffleRead:60; kinds are ${IoKind.all.map(_.key).mkString(", ")}"
    ))
  }.toMap

  /** One after the other, and no longer than what is asked of it: each may need most of the memory. */
  private def read(source: Source): Trace = ReportCommand.read(source, Terminal.isThere)

  /** Of four logs and `FAST:GB,SLOW:GB`, the disks of the price file that the runs were on. */
  private def fitted(logs: Seq[String], disks: String, prices: Prices, demand: Trace => JobDemand): JobDemand = {
    def disk(text: String): DiskOption = text match {
      case Named(name, gigabytes) =>
        val kind = prices.disks.find(_.name == name).getOrElse(
          throw new Usage(
            s"--samples $disks: the price file has no disk '$name', but ${prices.disks.map(_.name).mkString(", ")}"
          )
        )
        DiskOption(kind, gigabytes.toDouble)
      case _ => throw new Usage(s"--samples $disks: expected FAST:GB,SLOW:GB such as ssd:500,standard:200")
    }
    val (fast, slow) = disks.split(',') match {
      case Array(fast, slow) => (disk(fast), disk(slow))
      case _ => throw new Usage(s"--samples $disks: expected FAST:GB,SLOW:GB such as ssd:500,standard:200")
    }
    val sources = logs.flatMap(Sources.of(_).sources)
    if (sources.size != 4)
      throw new Usage(
        s"--samples: ${sources.size} logs; four are wanted: few cores, more cores, slow local disk, slow HDFS disk"
      )
    def run(source: Source, hdfs: DiskOption, local: DiskOption) = {
      val trace = read(source)
      val machines = math.max(1, Use.machines(trace, trace.executors.indices))
      val cores = math.max(1, Use.slots(trace) * trace.application.taskCpus / machines)
      def profile(disk: DiskOption) = disk.kind.speed.of(disk.gigabytes, cores)
      SampleRun(demand(trace), Cluster(machines, cores, profile(hdfs), profile(local)))
    }
    try
      SampleRuns.fit(
        run(sources(0), fast, fast),
        run(sources(1), fast, fast),
        run(sources(2), fast, slow),
        run(sources(3), slow, fast)
      )
    catch { case e: IllegalArgumentException => throw new Usage(s"--samples: ${e.getMessage}") }
  }

  /** With what is to be said of the profiles. Those lie beside the price file, or in the folder that is named. */
  private def readPrices(file: String, profiles: Option[String]): (Prices, Seq[String]) = {
    val path = Paths.get(file)
    val folder = profiles.map(Paths.get(_)).getOrElse(path.toAbsolutePath.getParent)
    if (profiles.isDefined && !Files.isDirectory(folder)) throw new Usage(s"--profiles $folder: no such folder")
    val notes = Seq.newBuilder[String]
    val prices = UserFile.read(path)(Prices.read(
      _,
      name => {
        val (speed, said) = profile(folder.resolve(name), name)
        notes ++= said.map(note => s"$name: $note")
        speed
      }
    ))
    (prices, notes.result())
  }

  private def profile(path: Path, name: String): (DiskSpeed, Seq[String]) = UserFile.read(path) { text =>
    if (name.endsWith(".csv")) {
      val sizes: MeasuredSizes = DoppioCsv.read(name, new String(text, UTF_8))
      (sizes, sizes.notes)
    } else (DiskSpeed.same(DiskProfile.read(text)), Nil)
  }
}
