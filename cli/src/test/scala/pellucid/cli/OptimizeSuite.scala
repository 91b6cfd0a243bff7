package pellucid.cli

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import pellucid.cost.Optimization

class OptimizeSuite extends CommandSuite {
  private val prices = above("docs/prices/aws.json").toString

  test("the cheapest, the fastest, the front, what bounds the stages, the rules of thumb and what was assumed") {
    val (status, out, err) = run("optimize", log, "--prices", prices)
    assertEquals((status, err), (0, ""))
    Seq(
      "Amazon EC2",
      "configurations compared",
      "cheapest",
      "fastest",
      "R1, one disk for two cores",
      "R2, one disk for each core",
      "bound by",
      "a machine with more than B cores",
      "Pareto front",
      "What was assumed",
      "list price, check before use",
      "a stock log"
    ).foreach(s => assert(out.contains(s), s"no '$s' in\n$out"))
    assert(out.linesIterator.forall(_.length <= 130), out)
  }

  private def answer(args: String*): Optimization = {
    val (status, out, err) = run("optimize" +: args :+ "--json": _*)
    assertEquals((status, err), (0, ""))
    Optimization.read(out.trim.getBytes(UTF_8))
  }

  test("--json is the whole answer; several logs run one after another") {
    val one = answer(log, "--prices", prices, "--machines", "3")
    assert(one.stages.nonEmpty && one.front.nonEmpty && one.front.forall(_.machines == 3))
    val other = logs.resolve("spark-4.0.5-rolling").toString
    val two = answer(log, other, "--prices", prices, "--machines", "3")
    assertEquals(two.jobs.size, 2)
    assertEqualsDouble(
      two.recordedSeconds,
      one.recordedSeconds + answer(other, "--prices", prices, "--machines", "3").recordedSeconds,
      1e-6
    )
  }

  test("--per-core tells T, and with it b, which no log does; what it costs is told to two digits") {
    val (_, without, _) = run("optimize", log, "--prices", prices)
    assert(!without.contains("    b  "), without)
    val (status, out, err) = run("optimize", log, "--prices", prices, "--per-core", "hdfsRead:30,shuffleRead:60.5")
    assertEquals((status, err), (0, ""))
    assert(out.linesIterator.exists(_.matches("  stage +bytes +request +disk +b +B *")), out)
    val told = answer(log, "--prices", prices, "--per-core", "shuffleRead:60.5").stages.flatMap(_.io)
    assertEquals(told.filter(_.breakPoint.isDefined).map(_.kind).distinct, Seq("shuffleRead"))
    told.filter(_.kind == "shuffleRead").foreach { io =>
      assertEqualsDouble(io.breakPoint.get, math.max(1, io.bytesPerSecond / 60.5e6), 1e-6)
    }
    // of jobs of seconds
    assert("\\$0\\.00\\d{2} ".r.findFirstIn(without).nonEmpty && !without.contains("$0.00 "), without)
  }

  test("however many logs there are, their time is told") {
    val (_, out, _) = run("optimize" +: Seq.fill(9)(log) :++ Seq("--prices", prices, "--machines", "3"): _*)
    assert(out.linesIterator.next().matches(".*: recorded .* (s|m|min|h)"), out.linesIterator.next())
  }

  test("--deadline: the cheapest that meets it, or that none does") {
    val free = answer(log, "--prices", prices)
    val deadline = math.ceil(free.fastest.seconds) + 1
    val met = answer(log, "--prices", prices, "--deadline", s"${deadline}s")
    assert(met.chosen.seconds <= deadline && met.deadlineMet.contains(true))
    val (_, out, _) = run("optimize", log, "--prices", prices, "--deadline", "0.01")
    assert(out.contains("none within 10 ms: fastest"), out)
  }

  folder.test("profiles lie beside the price file, or in the folder that is named; ours and Doppio's") { dir =>
    val far = Files.createDirectory(dir.resolve("profiles"))
    write(
      far,
      "ours.json",
      """{"schemaVersion":1,"name":"sda","read":[{"requestBytes":4096,"bytesPerSecond":1e8}],
      |"write":[{"requestBytes":4096,"bytesPerSecond":9e7}]}""".stripMargin
    )
    write(far, "doppio.csv", ",,,100GB\nblock size,bw in KB,bw in MB,iops\n4,1024,1,256\n128,4096,4,32\n")
    val file = write(dir, "prices.json", priceFile("ours.json", "doppio.csv"))
    val o = answer(log, "--prices", file, "--profiles", far.toString, "--machines", "1..4")
    assertEquals(o.configurations, 16L) // 4 counts, 2 disks each for HDFS and local
    assert(
      o.assumptions.contains("doppio.csv: only reads were measured: writes are taken to be as fast"),
      o.assumptions
    )
    mistake("optimize", log, "--prices", file)("ours.json: no such file")
    write(far, "doppio.csv", ",,,100GB\nblock size,bw in KB\n4,fast\n")
    mistake("optimize", log, "--prices", file, "--profiles", far.toString)("doppio.csv: line 3: column 2: 'fast'")
    write(far, "ours.json", "{\n\"schema\": 1}")
    mistake("optimize", log, "--prices", file, "--profiles", far.toString)("ours.json: line 2", "schema")
    mistake("optimize", log, "--prices", file, "--profiles", dir.resolve("none").toString)(
      "--profiles",
      "no such folder"
    )
  }

  private def write(dir: Path, name: String, text: String): String = Files.writeString(dir.resolve(name), text).toString

  private def priceFile(profiles: String*): String =
    """{"schemaVersion":1,"name":"n","date":"d","source":"s","machines":[{"name":"m","cores":[4],"dollarsPerHour":1}],"disks":[""" +
      profiles.map(p => s"""{"name":"$p","gigabytes":[100],"dollarsPerGigabyteMonth":0.1,"profile":"$p"}""").mkString(
        ","
      ) + "]}"

  folder.test("mistakes in flags, prices and logs are named in one line, with status 2") { dir =>
    mistake("optimize", log)("prices")
    mistake("optimize", "--prices", prices)("which event log")
    mistake("optimize", log, "--prices", "no-such-file")("no-such-file: no such file")
    mistake("optimize", log, "--prices", "no-such-folder/aws.json")("no-such-folder/aws.json: no such file")
    mistake("optimize", log, "--prices", prices, "--profiles", "no-such-folder")("--profiles no-such-folder")
    mistake("optimize", log, "--prices", write(dir, "broken.json", "{\n\"name\": }"))("broken.json: line 2")
    mistake("optimize", log, "--prices", prices, "--machines", "few")("--machines few")
    mistake("optimize", log, "--prices", prices, "--machines", "9..2")("--machines 9..2")
    mistake("optimize", log, "--prices", prices, "--machines", "0")("--machines 0")
    mistake("optimize", log, "--prices", prices, "--deadline", "soon")("--deadline soon", "2h, 90m")
    mistake("optimize", log, "--prices", prices, "--deadline", "2026-11-20T10:15:00Z")("--deadline 2026")
    mistake("optimize", log, "--prices", prices, "--per-core", "60")("--per-core 60", "KIND:MB")
    mistake("optimize", log, "--prices", prices, "--per-core", "read:60")("--per-core read:60", "hdfsRead, hdfsWrite")
    mistake("optimize", log, "--prices", prices, "--per-core", "hdfsRead:0")("--per-core hdfsRead:0")
    mistake("optimize", log, "--prices", prices, "--wrong")("--wrong")
    mistake("optimize", "no-such-log", "--prices", prices)("no-such-log")
    mistake("optimize", write(dir, "log", "{}"), "--prices", prices)("log: no Spark event log")
    mistake("optimize", log, "--prices", prices, "--samples", "gp3:500,st1:500")("1 logs; four are wanted")
    mistake("optimize", log, "--prices", prices, "--samples", "gp3:500,gp9:500")("no disk 'gp9', but gp3, st1")
    mistake("optimize", log, "--prices", prices, "--samples", "gp3")("FAST:GB,SLOW:GB")
    mistake(
      "optimize",
      log,
      log,
      log,
      log,
      "--prices",
      prices,
      "--samples",
      "gp3:500,st1:500"
    )("runs 1 and 2 both have")
    val other = logs.resolve("spark-4.0.5-rolling").toString
    mistake("optimize", log, other, log, log, "--prices", prices, "--samples", "gp3:500,st1:500")(
      "run 2 has not the stages and tasks of run 1"
    )
  }
}
