package pellucid.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Path, Paths, StandardCopyOption}
import java.nio.file.attribute.PosixFilePermissions

class RunCommandSuite extends munit.FunSuite {
  private val log: Path = Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .map(_.resolve("core/src/test/logs/spark-2.4.8-plain")).find(Files.exists(_)).get
  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("pellucid"),
    dir => Files.walk(dir).sorted(java.util.Comparator.reverseOrder[Path]).forEach(Files.delete(_))
  )

  /** A spark-submit that notes its arguments, "writes" a log where it is told to, and ends with a status. */
  private def spark(dir: Path, status: Int, copies: Boolean = true): Path = {
    val bin = Files.createDirectories(dir.resolve("spark/bin"))
    val script = s"""#!/bin/sh
      |printf '%s\\n' "$$@" > ${dir.resolve("arguments")}
      |for argument; do case $$argument in spark.eventLog.dir=file://*) to=$${argument#spark.eventLog.dir=file://} ;; esac; done
      |${if (copies) logTo("$to") else ":"}
      |exit $status
      |""".stripMargin
    Files.writeString(bin.resolve("spark-submit"), script)
    Files.setPosixFilePermissions(bin.resolve("spark-submit"), PosixFilePermissions.fromString("rwxr-xr-x"))
    bin.getParent
  }

  /** Lines of a shell that write a log with the settings of the arguments to a folder, and beside it another application's. */
  private def logTo(folder: String) =
    s"""for argument; do case $$argument in spark.pellucid.run=*) mark=$${argument#*=} ;; esac; done
       |sed "s/\\"Spark Properties\\":{/&\\"spark.pellucid.run\\":\\"$$mark\\",/" $log > "$folder/app-1"
       |cp $log "$folder/app-2"
       |""".stripMargin

  private def run(dir: Path, home: Option[Path], args: String*): (Int, String, String) = {
    val jar = Files.writeString(dir.resolve("plugin.jar"), "")
    val out, err = new ByteArrayOutputStream
    val status = Console.withOut(new PrintStream(out, true))(Console.withErr(new PrintStream(err, true)) {
      RunCommand.run(args, Map("PATH" -> "/nowhere") ++ home.map("SPARK_HOME" -> _.toString) get _, Some(jar))
    })
    (status, out.toString(UTF_8), err.toString(UTF_8))
  }

  folder.test("runs spark-submit with the plugin and a log, reports, and ends with spark-submit's status") { dir =>
    val (status, out, err) = run(dir, Some(spark(dir, 3)), "--master", "local[2]", "job.py", "--jars", "mine")
    assertEquals(status, 3)
    assert(out.contains("What would help"), out)
    assertEquals(err.linesIterator.filter(_.contains("the event log is ")).map(_.takeRight(6)).toSeq, Seq("/app-1"))
    assertEquals("What would help".r.findAllIn(out).size, 1, out)
    val arguments = Files.readString(dir.resolve("arguments")).linesIterator.toSeq
    assert(arguments.containsSlice(Seq("--conf", "spark.plugins=pellucid.PellucidPlugin")), arguments)
    assert(arguments.containsSlice(Seq("--jars", dir.resolve("plugin.jar").toString)), arguments)
    assertEquals(
      arguments.takeRight(5),
      Seq("--master", "local[2]", "job.py", "--jars", "mine")
    ) // the application's own
  }

  folder.test("jars, plugins and the log's folder are kept, whether options or spark-defaults.conf name them") { dir =>
    val home = spark(dir, 0)
    Files.write(
      Files.createDirectories(home.resolve("conf")).resolve("spark-defaults.conf"),
      "# für alle\nspark.plugins  other.Plugin\n".getBytes(ISO_8859_1)
    )
    val to = Files.createDirectories(dir.resolve("logs"))
    run(dir, Some(home), "-v", "--jars=a.jar,b.jar", "-c", s"spark.eventLog.dir=file://$to", "x.jar", "--jars", "mine")
    val (mark, arguments) = Files.readString(dir.resolve("arguments")).linesIterator.toSeq.splitAt(2)
    assert(mark.head == "--conf" && mark.last.matches("spark\\.pellucid\\.run=.+"), mark)
    assertEquals(
      arguments,
      Seq(
        "--conf",
        "spark.eventLog.enabled=true",
        "--conf",
        s"spark.eventLog.dir=file://$to",
        "--jars",
        s"a.jar,b.jar,${dir.resolve("plugin.jar")}",
        "--conf",
        "spark.plugins=other.Plugin,pellucid.PellucidPlugin",
        "-v",
        "-c",
        s"spark.eventLog.dir=file://$to",
        "x.jar",
        "--jars",
        "mine"
      )
    )
    run(dir, Some(home), "-c", "spark.plugins=third.Plugin", "x.jar")
    assert(
      Files.readString(dir.resolve("arguments")).contains("spark.plugins=third.Plugin,pellucid.PellucidPlugin\nx.jar")
    )
  }

  folder.test("without SPARK_HOME the defaults are where find-spark-home says, as for pip's PySpark") { dir =>
    val home = spark(dir, 0)
    val there = Files.createDirectories(dir.resolve("site-packages/pyspark/conf"))
    Files.writeString(there.resolve("spark-defaults.conf"), "spark.jars a.jar\n")
    Files.writeString(
      home.resolve("bin/find-spark-home"),
      s"export SPARK_HOME=$$(dirname \"$$0\")/../../site-packages/pyspark\n"
    )
    val jar = Files.writeString(dir.resolve("plugin.jar"), "")
    val path = Map("PATH" -> home.resolve("bin").toString)
    Console.withOut(new ByteArrayOutputStream)(Console.withErr(new ByteArrayOutputStream) {
      RunCommand.run(Seq("x.jar"), path.get, Some(jar))
    })
    val arguments = Files.readString(dir.resolve("arguments"))
    assert(arguments.contains(s"--jars\na.jar,$jar\n"), arguments)
  }

  folder.test("--load-spark-defaults takes no value, and has a properties file read over the defaults") { dir =>
    val home = spark(dir, 0)
    val defaults = Files.createDirectories(home.resolve("conf")).resolve("spark-defaults.conf")
    Files.writeString(defaults, "spark.plugins other.Plugin\nspark.jars a.jar\n")
    val named = Files.writeString(dir.resolve("mine.conf"), "spark.plugins third.Plugin\n").toString
    run(dir, Some(home), "--load-spark-defaults", "--properties-file", named, "x.jar")
    val both = Files.readString(dir.resolve("arguments"))
    assert(both.contains("spark.plugins=third.Plugin,pellucid.PellucidPlugin\n"), both)
    assert(both.contains(s"--jars\na.jar,${dir.resolve("plugin.jar")}\n"), both)
    run(dir, Some(home), "--properties-file", named, "x.jar")
    val one = Files.readString(dir.resolve("arguments"))
    assert(one.contains(s"--jars\n${dir.resolve("plugin.jar")}\n"), one)
  }

  folder.test("a driver in the cluster wants a folder that it can write to") { dir =>
    val mistake = intercept[Usage](run(dir, Some(spark(dir, 0)), "--deploy-mode", "cluster", "x.jar"))
    assert(mistake.getMessage.contains("spark.eventLog.dir"), mistake.getMessage)
  }

  folder.test("a log that cannot be read does not change the job's status") { dir =>
    val home = spark(dir, 0)
    Files.writeString(
      home.resolve("bin/spark-submit"),
      s"#!/bin/sh\nfor a; do case $$a in spark.eventLog.dir=file://*) echo no > $${a#spark.eventLog.dir=file://}/log ;; esac; done\n"
    )
    val (status, _, err) = run(dir, Some(home), "x.jar")
    assertEquals(status, 0)
    assert(err.contains("no Spark event log"), err)
  }

  folder.test("the log's folder is a URI where it has a scheme, and a path where it has none") { dir =>
    val home = spark(dir, 0, copies = false)
    def submitted(folder: String, to: Path) = {
      Files.createDirectories(to)
      Files.writeString(home.resolve("bin/spark-submit"), s"#!/bin/sh\n${logTo(to.toString)}")
      val (_, out, err) = run(dir, Some(home), "-c", s"spark.eventLog.dir=$folder", "x.jar")
      assert(out.contains("What would help") && err.contains(s"the event log is $to/app-1"), err)
    }
    submitted(s"file://$dir/a%20b", dir.resolve("a b"))
    submitted(s"$dir/a%20b", dir.resolve("a%20b"))
    submitted(s"$dir/c d", dir.resolve("c d"))
    val (_, out, err) = run(dir, Some(home), "-c", "spark.eventLog.dir=hdfs://there/logs", "x.jar")
    assertEquals(out, "")
    assert(err.contains("the event log is in hdfs://there/logs"), err)
  }

  folder.test(
    "a request to end goes to Spark, and the report comes after its end; Ctrl-C, which Spark has too, ends only Spark"
  ) { dir =>
    val home = spark(dir, 0)
    val waits = home.resolve("bin/waits")
    Files.copy(home.resolve("bin/spark-submit"), waits, StandardCopyOption.COPY_ATTRIBUTES)
    Files.writeString(
      home.resolve("bin/spark-submit"),
      s"#!/bin/sh\ntrap '$waits \"$$@\"; exit 143' TERM\ntouch $dir/started\nwhile :; do sleep 0.05; done\n"
    )
    val signals = new Thread(() => {
      while (!Files.exists(dir.resolve("started"))) Thread.sleep(10)
      for (signal <- Seq("INT", "TERM")) sun.misc.Signal.raise(new sun.misc.Signal(signal))
    })
    signals.start()
    val (status, out, err) = run(dir, Some(home), "x.jar")
    assertEquals(status, 143)
    assert(out.contains("What would help"), out + err)
  }

  folder.test("no log, no report, and it says so") { dir =>
    val (status, out, err) = run(dir, Some(spark(dir, 1, copies = false)), "job.py")
    assertEquals((status, out), (1, ""))
    assert(err.contains("no event log of this run in "), err)
  }

  folder.test("no spark-submit, no plugin") { dir =>
    val none = intercept[Usage](run(dir, None, "job.py"))
    assert(none.getMessage.contains("no spark-submit in $SPARK_HOME/bin or on the PATH"))
    val unbuilt = intercept[Usage](RunCommand.run(Seq("job.py"), _ => None, None))
    assert(unbuilt.getMessage.contains("not built"))
  }
}
