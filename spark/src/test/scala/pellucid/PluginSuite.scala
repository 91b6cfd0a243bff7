package pellucid

import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.apache.spark.sql.SparkSession

import pellucid.plugin.{Guard, Versions}
import pellucid.trace.Tasks

class PluginSuite extends SparkSuite {

  /** Text input, a shuffle, text output: 20,000 rows with 40 keys. */
  private def textJob(folder: Path)(spark: SparkSession): Seq[String] =
    textJob(folder, Files.createTempDirectory(folder, "out"))(spark)

  private def textJob(folder: Path, to: Path)(spark: SparkSession): Seq[String] = {
    val (in, out) = (folder.resolve("in").toString, to.resolve("text").toString)
    import spark.implicits._
    if (!Files.exists(folder.resolve("in")))
      spark.range(0, 20000, 1, 4).map(i => s"${i % 40} ${"x" * 100} $i").write.text(in)
    val sc = spark.sparkContext
    sc.textFile(in, 4).map(line => (line.takeWhile(_ != ' '), line)).groupByKey(3)
      .map { case (key, lines) => s"$key ${lines.size} ${lines.map(_.hashCode.toLong).sum}" }
      .saveAsTextFile(out)
    spark.read.text(out).as[String].collect().sorted.toSeq
  }

  folder.test("bytes of input, shuffle and output by path are those of the files and of Spark's own metrics") {
    folder =>
      Jobs.run(folder, plugin = false)(textJob(folder)) // writes the input
      val out = Files.createTempDirectory(folder, "out")
      val ran = Jobs.run(folder)(textJob(folder, out))
      val tasks = ran.trace.tasks
      assert((0 until tasks.size).forall(tasks.is(_, Tasks.Observed)))
      val stages = ran.trace.stages.indices.filter(s => ran.trace.tasksOfStage(s).nonEmpty)
      val (map, reduce) = (stages(0), stages(1))
      def bytes(stage: Int, kind: String) = ran.paths(kind).filter(_.stage == stage).map(_.bytes).sum
      // the reader of a split goes on to the end of a line, and a small file's end is read twice: never less than the file
      val in = Jobs.size(folder.resolve("in"))
      assert(bytes(map, "input") >= in && bytes(map, "input") < 1.1 * in, (bytes(map, "input"), in))
      val written = ran.trace.tasksOfStage(map).map(tasks.shuffleWriteBytes(_)).sum
      assertEquals(bytes(map, "shuffleWrite"), written)
      assertEquals(bytes(reduce, "shuffleRead"), written)
      // Spark's own number has the local file system's checksum files too
      assertEquals(bytes(reduce, "output"), Jobs.size(out))
      assert(ran.trace.tasksOfStage(reduce).map(tasks.outputBytes(_)).sum >= bytes(reduce, "output"))
      val requests = ran.trace.paths.filterNot(_.sampled)
      assert(requests.forall(_.path.startsWith("disk")), requests.map(_.path))
      for (use <- requests) assertEquals(use.sizes.sum, use.requests)
      assertEquals(ran.trace.intake.notes, Nil)
      assertEquals(ran.trace.intake.malformedLines, 0L)
  }

  folder.test("the machine's counters, of each second in which tasks ran, up to the last one") { folder =>
    val ran = Jobs.run(folder) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).map { i =>
        val until = System.nanoTime() + 2500000000L
        var n = i
        while (System.nanoTime() < until) n += 1
        n
      }.count()
    }
    val samples = ran.trace.machines.values.flatten.toSeq
    val seen = samples.reduce(_ + _)
    val last = ran.trace.tasks.finishMillis(0)
    assert(samples.forall(s => s.coveredMillis < 1500), samples)
    assert(seen.coveredMillis >= 2400 && seen.untilMillis >= last - 50 && seen.untilMillis < last + 1500, (seen, last))
    // two threads that compute for 2.5 s each, beside whatever else this computer does
    assert(seen.cpuMillis > 500 && seen.cpuMillis <= 1.1 * seen.machineCpuMillis + 100, seen)
    assert(seen.containerCpuMillis >= 0.9 * seen.cpuMillis - 100, seen) // it is in its container, or the machine is
    assertEquals(seen.cores, Runtime.getRuntime.availableProcessors)
    assert(seen.heapBytes > 1000000, seen)
  }

  folder.test("what tasks wait for elsewhere is seen in their stacks, with its time") { folder =>
    val ran = Jobs.run(folder) { spark =>
      def wait() = spark.sparkContext.parallelize(0 until 2, 2).map { i => other.Waiting.twoSeconds(); i }.count()
      wait()
      assert(
        Iterator.continually { Thread.sleep(50); sampler }.take(100).contains(Thread.State.WAITING),
        "it still looks"
      )
      wait()
    }
    val tasks = ran.trace.tasks
    assertEquals(tasks.size, 4)
    for (row <- 0 until tasks.size) {
      // the first look charges up to a pause from before the task, and what follows the last one is charged to nobody;
      // a pause is 100 ms, and up to a second where looks are slow, as they are at a JVM's start
      assert(tasks.lockWaitNanos(row) > 800e6 && tasks.lockWaitNanos(row) < 3200e6, tasks.lockWaitNanos(row))
    }
    assert(ran.paths("wait").exists(_.path == "Waiting$.twoSeconds"), ran.paths("wait").map(_.path))
  }

  /** Of one that has a next look before it: timed waiting. */
  private def sampler: Thread.State =
    Thread.getAllStackTraces.keySet.asScala.find(_.getName == "pellucid-sampler").get.getState

  folder.test("answers and Spark's own metrics are those without the plugin") { folder =>
    val stock = Jobs.run(folder, plugin = false)(textJob(folder))
    val again = Jobs.run(folder, plugin = false)(textJob(folder))
    val ours = Jobs.run(folder)(textJob(folder))
    assertEquals(again.answer, stock.answer)
    assertEquals(ours.answer, stock.answer)
    def metrics(ran: Jobs.Ran[_]) = {
      val t = ran.trace.tasks
      (0 until t.size).map(r =>
        (
          t.stage(r),
          t.index(r),
          t.inputBytes(r),
          t.inputRecords(r),
          t.outputBytes(r),
          t.shuffleWriteBytes(r),
          t.shuffleReadBytes(r)
        )
      ).sorted
    }
    assertEquals(metrics(ours), metrics(again))
  }

  folder.test("spills are measured, both ways") { folder =>
    val ran = Jobs.run(folder, conf = Map("spark.shuffle.spill.numElementsForceSpillThreshold" -> "5000")) { spark =>
      spark.sparkContext.parallelize(0 until 60000, 2).map(i => (i % 20000, s"$i")).groupByKey(2).map(_._2.size).sum()
    }
    assertEquals(ran.answer, 60000.0)
    val spilled = (0 until ran.trace.tasks.size).map(ran.trace.tasks.diskSpilledBytes(_)).sum
    assert(spilled > 0)
    assertEquals(ran.bytes("spillWrite"), spilled)
    assertEquals(ran.bytes("spillRead"), spilled)
  }

  folder.test("Parquet with vectored reads: the bytes that Spark does not count") { folder =>
    val table = folder.resolve("table").toString
    val ran = Jobs.run(folder) { spark =>
      spark.range(0, 300000, 1, 2).selectExpr("id", "hash(id) AS h").write.parquet(table)
      spark.read.parquet(table).selectExpr("sum(id)", "sum(h)").collect().map(_.toString).toSeq
    }
    val size = Jobs.size(folder.resolve("table"))
    assert(ran.bytes("output") >= size && ran.bytes("output") < size + 10000, (ran.bytes("output"), size))
    assert(ran.bytes("input") > 0.95 * size && ran.bytes("input") < 1.1 * size, (ran.bytes("input"), size))
  }

  folder.test("Parquet of others, without checksum files") { folder =>
    val table = folder.resolve("table")
    val ran = Jobs.run(folder) { spark =>
      spark.range(0, 300000, 1, 2).write.parquet(table.toString)
      Files.list(table).iterator.asScala.toSeq.filter(_.toString.endsWith(".crc")).foreach(Files.delete(_))
      spark.read.parquet(table.toString).selectExpr("sum(id)").collect().map(_.toString).toSeq
    }
    assertEquals(ran.answer, Seq("[44999850000]"))
    assert(ran.bytes("input") > 0.95 * Jobs.size(table), (ran.bytes("input"), Jobs.size(table)))
  }

  folder.test("a task's own streams do what the stock ones do: abort, flush, position, writing to a closed one") {
    folder =>
      def use(spark: SparkSession): Seq[String] = {
        val file = Files.createTempDirectory(folder, "own").resolve("file").toString
        spark.sparkContext.parallelize(Seq(file), 1).map { file =>
          val path = new org.apache.hadoop.fs.Path(file)
          val fs = path.getFileSystem(new org.apache.hadoop.conf.Configuration)
          val out = fs.create(path)
          val said = Seq.newBuilder[String]
          def attempt(what: => Any): Unit = said += scala.util.Try(what).fold(_.getClass.getName, _.toString)
          out.write(Array.fill[Byte](100)(1))
          attempt(out.getPos)
          attempt(out.abort())
          out.write(7)
          attempt(out.hflush())
          out.write(Array.fill[Byte](100000)(2))
          out.close()
          attempt(out.write(1))
          attempt(out.close())
          val in = fs.open(path)
          attempt(in.skip(99))
          attempt((in.read(), in.read(), in.read(), in.getPos, in.available()))
          val all = new Array[Byte](100101)
          attempt { in.readFully(0, all); all.map(_.toInt).sum }
          attempt(in.read(50, new Array[Byte](10), 0, 10))
          attempt { in.seek(100100); (in.read(new Array[Byte](1000)), in.read(new Array[Byte](1000))) }
          attempt(in.readFully(100000, new Array[Byte](1000)))
          attempt(in.read(java.nio.ByteBuffer.allocate(10)))
          attempt(Seq("in:readvectored", "in:readbytebuffer", "in:unbuffer", "iostatistics").map(in.hasCapability))
          in.close()
          attempt(in.read())
          said.result().mkString("\n")
        }.collect().toSeq
      }
      assertEquals(Jobs.run(folder)(use).answer, Jobs.run(folder, plugin = false)(use).answer)
  }

  folder.test("a setting that cannot be read is one warning") { folder =>
    val warnings = Warnings.during {
      assertEquals(Jobs.run(folder, conf = Map("spark.pellucid.observe" -> "yes"))(_.range(10).count()).answer, 10L)
    }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains("spark.pellucid.observe"), warnings)
  }

  folder.test("monotasks that nothing would observe are stock Spark's tasks, and one warning") { folder =>
    val conf = Map("spark.pellucid.observe" -> "false", "spark.pellucid.monotasks" -> "true")
    val warnings = Warnings.during {
      val ran = Jobs.run(folder, conf = conf)(_.range(10).count())
      assertEquals(ran.answer, 10L)
      assertEquals(ran.trace.monotasks.size, 0)
    }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains("spark.pellucid.observe"), warnings)
  }

  folder.test("a task that outlives its application costs the next one nothing") { folder =>
    val warnings = Warnings.during {
      Jobs.run(folder, conf = Map("spark.pellucid.monotasks" -> "true")) { spark =>
        spark.sparkContext.parallelize(Seq(0), 1).foreachAsync(_ => Outlives.application())
        Outlives.begun.await()
      }
      Jobs.awaitTasks()
    }
    assertEquals(warnings, Nil)
    val next = Jobs.run(folder)(_.range(10).count())
    assert(next.trace.tasks.is(0, Tasks.Observed))
  }

  folder.test("a task that still runs while the next application starts costs that one nothing") { folder =>
    val monotasks = Map("spark.pellucid.monotasks" -> "true")
    val warnings = Warnings.during {
      Jobs.run(folder, conf = monotasks) { spark =>
        spark.sparkContext.parallelize(Seq(0), 1).foreachAsync(_ => Stays.here())
        Stays.begun.await()
      }
      try assert(Jobs.run(folder, conf = monotasks)(_.range(10).count()).trace.monotasks.size > 0)
      finally Stays.over.countDown()
      Jobs.awaitTasks()
    }
    assertEquals(warnings, Nil)
  }

  folder.test("persisted blocks on disk") { folder =>
    val ran = Jobs.run(folder) { spark =>
      val rdd = spark.sparkContext.parallelize(0 until 100000, 2).map(i => s"$i ${"y" * 30}")
        .persist(org.apache.spark.storage.StorageLevel.DISK_ONLY)
      (rdd.count(), rdd.map(_.length).sum())
    }
    assertEquals(ran.answer._1, 100000L)
    assert(ran.bytes("blockWrite") > 3000000, ran.bytes("blockWrite"))
    assertEquals(ran.bytes("blockRead"), 2 * ran.bytes("blockWrite")) // `count` reads what it has just written
  }

  folder.test("what a failed attempt did is measured too") { folder =>
    val ran = Jobs.run(folder, conf = Map("spark.task.maxFailures" -> "1")) { spark =>
      val file = Files.writeString(folder.resolve("in.txt"), "a\n" * 10000)
      intercept[org.apache.spark.SparkException](
        spark.sparkContext.textFile(file.toString, 1).map { line =>
          if (line == "a") sys.error("on purpose"); line
        }.count()
      )
    }
    val tasks = ran.trace.tasks
    assertEquals(tasks.outcome(0), Tasks.Failed)
    assert(tasks.is(0, Tasks.Observed))
    assert(ran.bytes("input") > 0)
  }

  for (
    hook <- Seq(
      "the plugin",
      "the tab",
      "the live trace",
      "observing tasks",
      "observing the machine",
      "sampling tasks",
      "sampling what tasks do",
      "counting what the machine does",
      "logging what machines do",
      "observing input and output",
      "observing spills and shuffle files",
      "observing shuffle fetches",
      "measuring input",
      "measuring output",
      "measuring spills and shuffle files"
    )
  ) folder.test(s"an exception in the hook \"$hook\" is one warning, and the job as it was") { folder =>
    val stock = Jobs.run(folder, plugin = false)(textJob(folder))
    Guard.sabotage(hook)
    val warnings = Warnings.during { assertEquals(Jobs.run(folder)(textJob(folder)).answer, stock.answer) }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains(s"$hook is switched off, the job goes on without it"), warnings)
  }

  test("versions") {
    assert(Versions.supported("4.0.1") && Versions.supported("4.3.0-SNAPSHOT"))
    assert(!Versions.supported("3.5.9") && !Versions.supported("4.30.0") && !Versions.supported("5.0.0"))
  }
}

/** What a task does until it is told to end. */
object Stays {
  val begun, over = new CountDownLatch(1)
  def here(): Unit = { begun.countDown(); over.await() }
}

/** What a task does until its application has ended. */
object Outlives {
  val begun = new CountDownLatch(1)
  def application(): Unit = {
    begun.countDown()
    while (SparkEnv.get != null) Thread.sleep(1)
  }
}
