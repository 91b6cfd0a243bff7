package pellucid.cli

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardOpenOption}

import pellucid.report.Json

class MainSuite extends CommandSuite {
  test("a report names the application and every section") {
    val (status, out, err) = run("report", log)
    assertEquals((status, err), (0, ""))
    Seq(
      "What would help",
      "Where the task time went",
      "Blocked-time analysis",
      "Stragglers",
      "Utilization and demand",
      "Critical path",
      "Jobs",
      "Stages",
      "longest tasks",
      "all understood"
    ).foreach(s => assert(out.contains(s), s"no '$s' in\n$out"))
  }

  test("--json is the whole report, and can be read back") {
    val (status, out, _) = run("report", log, "--json")
    assertEquals(status, 0)
    val report = Json.read(out.getBytes(UTF_8))
    assertEquals(new String(Json.write(report), UTF_8), out.trim)
    assert(report.stages.nonEmpty && report.jobs.nonEmpty)
  }

  test("whatif: the same machines take what they took; more of them, less; and what is taken for granted is said") {
    val (status, out, err) = run("whatif", log)
    assertEquals((status, err), (0, ""))
    Seq("what if", "the application", "bottleneck", "estimated from the phases", "--network-now").foreach(s =>
      assert(out.contains(s), s"no '$s' in\n$out")
    )
    val (_, json, _) = run("whatif", log, "--machines", "4", "--disk", "ssd", "--disk-now", "hdd", "--json")
    val job = json.drop(json.indexOf("\"jobs\""))
    def number(key: String) = s""""$key":([0-9.]+)""".r.findFirstMatchIn(job).get.group(1).toDouble
    assertEqualsDouble(number("slots"), number("seconds") / 4, 1e-9)
    assert(number("replay") < number("seconds"), json)
    assert(json.contains("on one machine no shuffle went through the network"), json)
    val (_, swept, _) = run("whatif", log, "--sweep", "cores=1..3")
    assertEquals(swept.linesIterator.count(_.contains("#")), 3, swept)
    val (_, divided, _) = run("whatif", log, "--partitions", "50")
    Seq("as they were  now", "50  what if", "divide evenly", "No such change has been compared").foreach(s =>
      assert(divided.contains(s), divided)
    )
    val (_, plain, _) = run("whatif", log, "--compression", "off")
    Seq("shuffles", "not compressed  what if", "times as large").foreach(s => assert(plain.contains(s), plain))
    val (_, numbers, _) = run("whatif", log, "--sweep", "partitions=2..4")
    assertEquals(numbers.linesIterator.count(_.matches("  +[234]  .*#+")), 3, numbers)
    assert(run("whatif", log, "--sweep", "machines=1..2")._2.contains("on one machine no shuffle"))
  }

  folder.test("whatif: mistakes are told by flag and file") { dir =>
    mistake("whatif", log, "--machines", "0")("--machines 0")
    mistake("whatif", log, "--cores", "100001")("--cores 100001", "1 to 100000")
    mistake("whatif", log, "--sweep", "machines=100000..100001")("1 to 100000")
    mistake("whatif", log, "--disk", "tape")("--disk tape", "hdd, ssd")
    val broken = Files.writeString(dir.resolve("disk.json"), "{\n\"schemaVersion\":1,\n\"nome\":\"x\"}").toString
    mistake("whatif", log, "--disk-now", broken)("disk.json", "line 3")
    mistake("whatif", log, "--network", "fast")("--network fast", "10gbit")
    mistake("whatif", log, "--network", "1gbit")("--network-now")
    mistake("whatif", log, "--dirty-now", "much")("--dirty-now much", "512m")
    mistake("whatif", log, "--dirty-now", "1g")("--dirty-now", "--disk-now")
    mistake("whatif", log, "--input", "disk")("--input disk")
    mistake("whatif", log, "--partitions", "0")("--partitions 0")
    mistake("whatif", log, "--partitions", "9", "--html", dir.resolve("page.html").toString)("--html and --partitions")
    mistake("whatif", log, "--partitions", "9", "--sweep", "partitions=2..4")("--sweep partitions=", "--partitions")
    mistake("whatif", log, "--compression", "on")("--compression on", "expected off")
    mistake(
      "whatif",
      log,
      "--compression",
      "off",
      "--html",
      dir.resolve("page.html").toString
    )("--html and --compression")
    mistake(
      "whatif",
      logs.resolve("spark-3.5.9-failed-tasks.zstd").toString,
      "--compression",
      "off"
    )("--compression off", "nothing in the log")
    mistake("whatif", log, "--sweep", "machines=9..2")("--sweep machines=9..2")
    mistake("whatif", log, "--sweep", "machines=2..4", "--machines", "3")("--sweep machines=", "--machines")
    mistake("whatif", log, "--sweep", "price=1..2")("cores, disks, machines")
    mistake("whatif", dir.resolve("none").toString)("none: no such file")
    mistake("whatif", dir.resolve("none").toString, "--html", dir.resolve("page.html").toString)("none: no such file")
    assert(Files.notExists(dir.resolve("page.html")))
  }

  folder.test(
    "whatif --html: a page beside the answer; --json and --sweep beside it, or no place for it, are mistakes"
  ) { dir =>
    val page = dir.resolve("whatif.html")
    val (status, out, err) = run("whatif", log, "--machines", "3", "--html", page.toString)
    assertEquals((status, err), (0, ""))
    assert(out.contains("bottleneck") && out.endsWith(s"The page is in $page\n"), out)
    val html = Files.readString(page)
    assert(html.startsWith("<!DOCTYPE html>") && !html.contains("/*{"))
    assert(html.contains("\"flag\":\"--machines 3\""))
    mistake("whatif", log, "--html", page.toString, "--json")("--html and --json")
    mistake("whatif", log, "--html", page.toString, "--sweep", "cores=1..3")("--html and --sweep")
    mistake("whatif", log, "--html", dir.resolve("no/such/folder.html").toString)("--html", "no/such/folder.html")
  }

  folder.test("compare: two logs side by side; the same one twice, a directory and a broken one are mistakes") { dir =>
    val copy = Files.copy(Paths.get(log), dir.resolve("again.zstd")).toString
    val (status, out, err) = run("compare", log, copy)
    assertEquals((status, err), (0, ""))
    Seq("Before:", "After:", "the application", "compute on CPU", "Stages, most changed first (0 of ").foreach(s =>
      assert(out.contains(s), s"no '$s' in\n$out")
    )
    val (ok, json, _) = run("compare", log, copy, "--json")
    assert(ok == 0 && json.startsWith("""{"schemaVersion":1,"before":{"id":""""), json.take(100))
    mistake("compare", log, log)("compared with itself")
    mistake("compare", log, logs.toString)("which one?")
    mistake("compare", log, Files.writeString(dir.resolve("broken"), "{}").toString)("broken: no Spark event log")
    mistake("compare", log)("after")
  }

  folder.test("--html writes one page with the same results") { dir =>
    val page = dir.resolve("report.html")
    assertEquals(run("report", log, "--html", page.toString)._1, 0)
    val html = Files.readString(page)
    assert(html.startsWith("<!DOCTYPE html>"))
    assert(!html.contains("/*{"), "a marker was left unfilled")
    mistake("report", log, "--html", dir.resolve("no/such/folder.html").toString)("--html", "no/such/folder.html")
  }

  folder.test("a page does not replace the log that it is of, nor a link that leads nowhere yet") { dir =>
    val copy = Files.copy(Paths.get(log), dir.resolve("log.zstd"))
    for (command <- Seq("report", "whatif")) mistake(command, copy.toString, "--html", copy.toString)("the log itself")
    assertEquals(Files.mismatch(copy, Paths.get(log)), -1L)
    val link = Files.createSymbolicLink(dir.resolve("page.html"), dir.resolve("elsewhere.html"))
    assertEquals(run("report", copy.toString, "--html", link.toString)._1, 0)
    assert(Files.isSymbolicLink(link) && Files.size(dir.resolve("elsewhere.html")) > 0)
    // what cannot be written to its end takes nothing's place
    Files.writeString(Files.createDirectory(dir.resolve(".old.html.unfinished")).resolve("in the way"), "")
    val old = Files.writeString(dir.resolve("old.html"), "before")
    mistake("report", copy.toString, "--html", old.toString)("cannot be written")
    assertEquals(Files.readString(old), "before")
  }

  folder.test("of a log that lacks something all commands say so") { dir =>
    val lines = Files.readAllLines(logs.resolve("spark-2.4.8-plain"))
    val part = dir.resolve("part")
    Files.write(part, lines.subList(0, lines.size - 40))
    Files.writeString(part, "no event\n", StandardOpenOption.APPEND)
    val prices = above("docs/prices/aws.json").toString
    for (
      command <- Seq(
        Seq("report", part.toString),
        Seq("report", part.toString, "--stage", "0"),
        Seq("whatif", part.toString),
        Seq("compare", part.toString, log),
        Seq("optimize", "--prices", prices, part.toString)
      )
    ) {
      val (status, out, err) = run(command: _*)
      assertEquals((status, err), (0, ""), command.toString)
      val words = out.replaceAll("\\s+", " ")
      assert(words.contains("1 malformed line left out"), out)
      assert(words.contains("he log stops before the application's end"), out)
    }
  }

  test("help is asked for with its own word, and nothing that is called so is a question") {
    assert(run("help")._2.contains("Available subcommands"))
    assert(run("report", "--help")._2.contains("Available subcommands"))
    mistake("report", "help")("help: no such file")
  }

  test("--stage zooms into one stage; an unknown one is a mistake that says which there are") {
    val (status, out, _) = run("report", log, "--stage", "0")
    assertEquals(status, 0)
    assert(out.startsWith("Stage 0"), out)
    val one = Json.read(run("report", log, "--stage", "0", "--json")._2.getBytes(UTF_8))
    assert(one.intake.notes.exists(_.startsWith("Only stage 0")), one.intake.notes)
    mistake("report", log, "--stage", "999")("--stage 999", "no such stage")
    mistake("report", log, "--stage", "x")("stage")
  }

  test("--from and --to restrict the report to what ran between them") {
    val whole = Json.read(run("report", log, "--json")._2.getBytes(UTF_8))
    val middle = whole.stages(whole.stages.size / 2)
    val (from, to) = (middle.startSeconds, middle.startSeconds + middle.seconds)
    val part = Json.read(run("report", log, "--json", "--from", from.toString, "--to", s"${to}s")._2.getBytes(UTF_8))
    assert(
      part.stages.exists(s => s.id == middle.id && s.startSeconds == middle.startSeconds),
      "the stage keeps its moment"
    )
    assert(part.application.tasks < whole.application.tasks)
    assert(part.stages.forall(s => s.startSeconds < to && s.startSeconds + s.seconds > from))
    mistake("report", log, "--from", "soon")("--from soon", "1m30s")
    mistake("report", log, "--from", "4", "--to", "2")("--to is not after --from")
    mistake("report", log, "--from", "9h")("covers 0.0 to")
  }

  test("mistakes are named in one line, with status 2") {
    mistake("report", "no-such-file")("no-such-file", "no such file")
    mistake("report", logs.resolve("README.md").toString)("README.md", "no Spark event log", "line 1")
    mistake("report", log, "--wrong", "flag")("--wrong")
    mistake("report")("log")
    mistake("explain", log)("explain")
    mistake("report", "a\u0000b")("a")
    mistake("report", log, "--html", "no-such-folder/page.html")("no-such-folder/page.html: no such folder")
  }

  folder.test("an empty directory, and a directory of logs with one that is none") { dir =>
    mistake("report", dir.toString)("without event logs")
    Files.copy(Paths.get(log), dir.resolve("a.zstd"))
    Files.copy(logs.resolve("spark-2.4.8-plain"), dir.resolve("b"))
    Files.writeString(dir.resolve("c"), "no log\n")
    val (status, out, _) = run("report", dir.toString)
    assertEquals(status, 0)
    assert(out.contains("2 logs") && out.contains("Not read:") && out.contains("c: no Spark event log"), out)
    mistake("report", dir.toString, "--html", "x.html")("--html", "one log")
    Files.createSymbolicLink(dir.resolve("d"), dir.resolve("gone"))
    val (_, json, err) = run("report", dir.toString, "--json")
    assert(json.startsWith("[") && err.contains("c: no Spark event log") && err.contains("d: no such file"), err)
  }

  folder.test("a log's directory before Spark 1.3") { dir =>
    val old = Files.createDirectory(dir.resolve("app-20141010"))
    for (name <- Seq("APPLICATION_COMPLETE", "SPARK_VERSION_1.2.0")) Files.createFile(old.resolve(name))
    Files.copy(logs.resolve("spark-2.4.8-plain"), old.resolve("EVENT_LOG_1"))
    val (status, out, err) = run("report", old.toString)
    assertEquals((status, err), (0, ""))
    assert(out.contains("all understood"), out)
  }

  folder.test("a compacted log begins with the first job that is left, and says so") { dir =>
    val rolling = Files.createDirectory(dir.resolve("eventlog_v2_app"))
    val start =
      """{"Event":"SparkListenerApplicationStart","App Name":"long","App ID":"app","Timestamp":1000,"User":"u"}"""
    val job =
      """{"Event":"SparkListenerJobStart","Job ID":700,"Submission Time":3601000,"Stage IDs":[]}
        |{"Event":"SparkListenerJobEnd","Job ID":700,"Completion Time":3602000,"Job Result":{"Result":"JobSucceeded"}}
        |{"Event":"SparkListenerApplicationEnd","Timestamp":3603000}
        |""".stripMargin
    Files.writeString(rolling.resolve("events_1_app.compact"), start + "\n")
    Files.writeString(rolling.resolve("events_2_app"), job)
    val report = Json.read(run("report", rolling.toString, "--json")._2.getBytes(UTF_8))
    assertEquals((report.application.seconds, report.jobs.map(_.startSeconds)), (2.0, Seq(3600.0)))
    assert(report.intake.notes.exists(_.contains("compacted")), report.intake.notes)
    val part = Json.read(run("report", rolling.toString, "--json", "--from", "3600.5")._2.getBytes(UTF_8))
    assertEquals(part.application.seconds, 2.5 - 1)
  }

  folder.test("parts of a rolling log: one is missing, two are the same; an unfinished compaction is none") { dir =>
    def part(name: String, jobs: Int*) = Files.writeString(
      dir.resolve(name),
      jobs.map(j =>
        s"""{"Event":"SparkListenerJobStart","Job ID":$j,"Submission Time":1000,"Stage IDs":[]}\n"""
      ).mkString
    )
    def jobs = Json.read(run("report", dir.toString, "--json")._2.getBytes(UTF_8)).jobs.map(_.id)
    part("events_1_app.zstd", 1)
    part("events_2_app.zstd", 2)
    part("events_2_app.zstd.compact.inprogress", 1, 2)
    assertEquals(jobs, Seq(1, 2))
    part("events_4_app.zstd", 4)
    mistake("report", dir.toString)("part 3 is missing")
    part("events_3_app.zstd", 3)
    part("events_3_app", 3)
    mistake("report", dir.toString)("events_3_app and events_3_app.zstd are the same part")
  }

  folder.test("parts of several applications in one folder are several logs") { dir =>
    for (app <- Seq("application_1_0001", "application_1_0002"); n <- 1 to 2)
      Files.writeString(
        dir.resolve(s"events_${n}_$app"),
        s"""{"Event":"SparkListenerJobStart","Job ID":$n,"Submission Time":1000,"Stage IDs":[]}\n"""
      )
    val (status, out, _) = run("report", dir.toString)
    assertEquals(status, 0)
    assert(out.contains("application_1_0001") && out.contains("application_1_0002"), out)
  }

  folder.test("what a folder has beside its logs is named, not passed over in silence") { dir =>
    Files.copy(Paths.get(log), dir.resolve("a.zstd"))
    Files.writeString(Files.createDirectory(dir.resolve("older")).resolve("b"), "no part of a log, by its name")
    val (status, out, err) = run("report", dir.toString)
    assertEquals(status, 0)
    assert(out.contains("What would help"), out)
    assert(err.contains("not looked into, beside what is read: older"), err)
  }

  test("a rolling directory is one log") {
    val (status, out, _) = run("report", logs.resolve("spark-4.0.5-rolling").toString)
    assertEquals(status, 0)
    assert(out.contains("all understood"), out)
  }

  folder.test("escapes in the log's text never reach the terminal") { dir =>
    val file = dir.resolve("log")
    Files.writeString(
      file,
      """{"Event":"SparkListenerApplicationStart","App Name":"a\\u001b[31mred","App ID":"b\\u001b]0;title\\u0007","Timestamp":1000,"User":"u"}
        |{"Event":"SparkListenerApplicationEnd","Timestamp":2000}
        |""".stripMargin
    )
    val (status, out, _) = run("report", file.toString)
    assertEquals(status, 0)
    assert(out.contains("[31mred"), out)
    assert(!out.exists(c => c.isControl && c != '\n'), out)
  }

  test("a bug is told from a mistake of the user's by its status, and has its stack") {
    val err = new java.io.ByteArrayOutputStream
    val status =
      Console.withErr(new java.io.PrintStream(err, true))(Main.status(throw new IllegalStateException("why")))
    assertEquals(status, 1)
    assert(
      err.toString.contains("why") && err.toString.contains("\tat ") && err.toString.contains("a bug"),
      err.toString
    )
  }

  test("help and version") {
    assertEquals(run("--help")._1, 0)
    assert(run("report", "--help")._2.contains("--html"))
    assert(run("version")._2.startsWith("pellucid "))
  }
}
