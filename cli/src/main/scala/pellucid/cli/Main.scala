package pellucid.cli

import java.io.{FileDescriptor, FileOutputStream, IOException}
import java.nio.file.{InvalidPathException, Paths}
import java.util.Locale

import mainargs.{Flag, Leftover, ParserForMethods, arg, main}

import pellucid.model.{Change, Known}

/** The `pellucid` command: one method per sub-command. Each gives the exit status: 2 for a mistake in what was asked for. */
object Main {

  @main(doc = "Explain a Spark event log: where the time went, what blocked it, which tasks straggled and why.")
  def report(
      @arg(
        positional = true,
        doc = "An event log, a rolling log's directory, a directory of many logs, or - for standard input"
      )
      log: String,
      @arg(doc = "Write the report as one self-contained page to this file") html: Option[String] = None,
      @arg(doc = "Print the report as JSON (docs/report-schema.md)") json: Flag,
      @arg(doc = "Only from this moment: seconds since the start (90, 90s, 1m30s) or a time (2026-11-20T10:15:00Z)")
      from: Option[String] = None,
      @arg(doc = "Only up to this moment, written like --from") to: Option[String] = None,
      @arg(doc = "Only this stage, in detail") stage: Option[Int] = None
  ): Int =
    status(ReportCommand.run(log, html, json.value, Moments.parse("--from", from), Moments.parse("--to", to), stage))

  @main(doc = "Two event logs of the same jobs side by side: what a change did.")
  def compare(
      @arg(positional = true, doc = "The event log, or rolling log's directory, of before") before: String,
      @arg(positional = true, doc = "That of after") after: String,
      @arg(doc = "Print the comparison as JSON (docs/compare.md)") json: Flag
  ): Int = status(CompareCommand.run(before, after, json.value))

  @main(doc = "What if the machines were others: how long the recorded application would take.")
  def whatif(
      @arg(positional = true, doc = "The event log, or rolling log's directory") log: String,
      @arg(doc = "So many machines") machines: Option[Int] = None,
      @arg(doc = "So many cores of each machine") cores: Option[Int] = None,
      @arg(doc = "So many disks of each machine") disks: Option[Int] = None,
      @arg(doc = "Such disks: hdd, ssd, or a profile's file") disk: Option[String] = None,
      @arg(doc = "A network of this speed per machine: 200mbit, 10gbit") network: Option[String] = None,
      @arg(doc = "memory: input is cached deserialized") input: Option[String] = None,
      @arg(doc = "So many tasks of each stage that reads a shuffle (spark.sql.shuffle.partitions)")
      partitions: Option[Int] = None,
      @arg(doc = "off: shuffles are not compressed (spark.shuffle.compress)") compression: Option[String] = None,
      @arg(name = "cpus-now", doc = "What its cores really have together, in CPUs: less where a container is limited")
      cpusNow: Option[Double] = None,
      @arg(name = "disks-now", doc = "How many disks each machine has now, where the log tells otherwise")
      disksNow: Option[Int] = None,
      @arg(name = "disk-now", doc = "Which disks it has now, written like --disk") diskNow: Option[String] = None,
      @arg(name = "network-now", doc = "How fast the network is now") networkNow: Option[String] = None,
      @arg(
        name = "dirty-now",
        doc = "What may be written to a disk's page cache (vm.dirty_ratio): 512m, 4g"
      )
      dirtyNow: Option[String] = None,
      @arg(doc =
        "An answer for each of several: machines=5..40, cores=1..16, disks=1..4, partitions=8..64"
      ) sweep: Option[String] = None,
      @arg(doc = "Write a page with a control for each of these properties to this file") html: Option[String] = None,
      @arg(doc = "Print the answers as JSON (docs/whatif.md)") json: Flag,
      @arg(doc = "Only of what ran from this moment on, written like report's") from: Option[String] = None,
      @arg(doc = "Only of what ran up to this moment") to: Option[String] = None
  ): Int = status {
    val change = Change(
      MachineFlags.count("--machines", machines),
      MachineFlags.count("--cores", cores),
      MachineFlags.count("--disks", disks),
      MachineFlags.disk("--disk", disk),
      MachineFlags.network("--network", network),
      MachineFlags.inMemory(input),
      MachineFlags.count("--partitions", partitions),
      MachineFlags.plainShuffles(compression)
    )
    val known = Known(
      MachineFlags.cpus("--cpus-now", cpusNow),
      MachineFlags.count("--disks-now", disksNow),
      MachineFlags.disk("--disk-now", diskNow),
      MachineFlags.network("--network-now", networkNow),
      MachineFlags.bytes("--dirty-now", dirtyNow)
    )
    val (start, end) = (Moments.parse("--from", from), Moments.parse("--to", to))
    val told = Seq(
      "--cpus-now" -> cpusNow,
      "--disks-now" -> disksNow,
      "--disk-now" -> diskNow,
      "--network-now" -> networkNow,
      "--dirty-now" -> dirtyNow,
      "--from" -> from,
      "--to" -> to
    ).collect { case (flag, Some(value)) => s"$flag ${quoted(value.toString)}" }.mkString(" ")
    WhatIfCommand.run(log, change, known, disk.map(quoted), told, sweep.map(Sweep.parse), html, json.value, start, end)
  }

  @main(doc = "Find the cheapest and the fastest cluster for the jobs of event logs, by the prices of a cloud.")
  def optimize(
      @arg(doc = "Prices of machines and disks (docs/optimize.md; examples in docs/prices)") prices: String,
      @arg(doc = "The folder of the disk profiles that the prices name; by default the price file's own")
      profiles: Option[String] = None,
      @arg(doc = "Also the cheapest that takes no longer: 2h, 90m, 5400") deadline: Option[String] = None,
      @arg(doc = "How many machines: a number or a range") machines: String = "2..50",
      @arg(doc = "The logs are Doppio's four sample runs on these disks: FAST:GB,SLOW:GB")
      samples: Option[String] = None,
      @arg(name = "per-core", doc = "What one core moves in MB/s where nothing else uses the disk: KIND:MB,...")
      perCore: Option[String] = None,
      @arg(doc = "Print the answer as JSON (docs/optimize.md)") json: Flag,
      @arg(doc = "Event logs, rolling logs' directories, directories of logs: one job after another")
      logs: Leftover[String]
  ): Int = status(
    OptimizeCommand.run(
      OptimizeCommand.Asked(logs.value, prices, profiles, deadline, machines, samples, perCore, json.value)
    )
  )

  @main(name = "profile-disk", doc = "Measure a disk's effective bandwidth by request size, past the page cache.")
  def profileDisk(
      @arg(positional = true, doc = "A directory on the disk; a file is made in it and deleted again")
      directory: String,
      @arg(doc = "Write the profile to this file (docs/profile-disk.md)") to: Option[String] = None,
      @arg(doc = "How long each of the 32 measurements takes") seconds: Double = 1,
      @arg(doc = "How large the file is; larger than the caches of the disk") megabytes: Int = 1024
  ): Int = status(ProfileDiskCommand.run(directory, to, seconds, megabytes))

  @main(doc = "Print the version.")
  def version(): Int = status(Console.println(s"pellucid ${Version.text}"))

  def main(args: Array[String]): Unit = {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT) // numbers are written as flags take them, and JSON has them
    val code = run(args.toIndexedSeq)
    val printed = !Console.out.checkError()
    if (!printed) refused.foreach(fail(_, 1))
    System.exit(if (printed) code else 1)
  }

  /** Why nothing more can be printed; None where it is because the reader of a pipe went away. */
  private def refused: Option[String] =
    try { new FileOutputStream(FileDescriptor.out).write('\n'); None }
    catch {
      case e: IOException =>
        Option.when(e.getMessage != "Broken pipe")(s"standard output: cannot be written: ${e.getMessage}")
    }

  def run(args: Seq[String]): Int = {
    val parser = ParserForMethods(this)
    if (args.headOption.contains("run")) submit(args.tail)
    else if (args.isEmpty || args.head == "help" || args.exists(Set("--help", "-h"))) {
      Console.println(parser.helpText(totalWidth = Width))
      Console.print(RunCommand.Help)
      0
    } else
      parser.runEither(flagsFirst(args), allowPositional = false, totalWidth = Width) match {
        case Left(message) => fail(message, 2)
        case Right(code: Int) => code
        case Right(_) => 0
      }
  }

  /** As a shell takes it for one word. */
  private def quoted(word: String): String =
    if (word.matches("[-\\w./:+=@%,]+")) word else s"'${word.replace("'", "'\\''")}'"

  /** The parser takes all that follows the first of any number of logs for a log. */
  private def flagsFirst(args: Seq[String]): Seq[String] =
    if (!args.headOption.contains("optimize")) args
    else {
      val (flags, logs) = (Seq.newBuilder[String], Seq.newBuilder[String])
      val rest = args.iterator.drop(1)
      for (a <- rest)
        if (OptimizeCommand.Valued(a)) { flags += a; if (rest.hasNext) flags += rest.next() }
        else if (a == "--json" || OptimizeCommand.Valued(a.takeWhile(_ != '='))) flags += a
        else logs += a
      (args.head +: flags.result()) ++ logs.result()
    }

  /** Its arguments are spark-submit's, dashes and all. */
  private def submit(args: Seq[String]): Int = {
    var code = 0
    val mistake =
      status { code = RunCommand.run(args, sys.env.get(_), sys.props.get("pellucid.plugin").map(Paths.get(_))) }
    if (mistake != 0) mistake else code
  }

  private[cli] def status(command: => Unit): Int =
    try { command; 0 }
    catch {
      case e: Usage => fail(e.getMessage, 2)
      case e: InvalidPathException => fail(e.getMessage, 2)
      case e: IOException => fail(e.toString, 2)
      case _: OutOfMemoryError => fail(Usage.OutOfMemory, 1)
      case e: Throwable =>
        e.printStackTrace(Console.err); fail("this is a bug, please report it with the lines above", 1)
    }

  private def fail(message: String, code: Int): Int = {
    Console.err.println(s"pellucid: ${message.stripLineEnd}")
    code
  }

  private final val Width = 100
}

object Version {
  val text: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("(not packaged)")
}
