package pellucid.monotask

import java.net.{ServerSocket, Socket}
import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.Arrays
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.hadoop.fs.{FileRange, FSDataInputStream}
import org.apache.spark.broadcast.SlowCode
import org.apache.spark.sql.SparkSession

import pellucid.{Jobs, SparkSuite, Warnings}
import pellucid.fs.{FarFile, FlakyFile, HeadFile, NoFile, SlowFile}
import pellucid.observe.{TaskRecord, WallClock}
import pellucid.plugin.Guard
import pellucid.trace.MonotaskTable

class MonotasksSuite extends SparkSuite {
  private val on = Map("spark.pellucid.monotasks" -> "true")

  folder.test("as many tasks compute as there are cores; more run while others are blocked") { folder =>
    Jobs.run(folder, conf = on) { spark =>
      val sc = spark.sparkContext
      AtOnce.reset()
      sc.parallelize(0 until 40, 40).foreach(_ => AtOnce.during(Thread.sleep(500)))
      // two cores, and room for a disk, four multitasks on the network and one more; the slower CPUs are, the later all of it is used
      assert(AtOnce.most > 4 && AtOnce.most <= 8, AtOnce.most)
      AtOnce.reset()
      sc.parallelize(0 until 60, 60).foreach(_ => AtOnce.during(AtOnce.spin(20)))
      // one that was blocked for a moment, by a class being loaded or by other work on this computer, goes on beside the one that took its
      // core; of the up to 8 that run, all would compute otherwise
      assert(AtOnce.mean < 3, AtOnce.mean)
    }
  }

  folder.test(
    "a task that waits for what no thread of its JVM does keeps its core from others for seconds only, which the log counts"
  ) { folder =>
    val server = new ServerSocket(0)
    val port = server.getLocalPort
    val closing = new Thread(() => Seq.fill(3)(server.accept()).foreach(_.close())) // all three, once there are three
    closing.setDaemon(true)
    closing.start()
    val ran = Jobs.run(folder, conf = on) {
      _.sparkContext.parallelize(0 until 3, 3).map { task =>
        AtOnce.during(Thread.sleep(3000)) // until all three have begun; there are two cores
        if (task == 2)
          SlowFile.open(new Array[Byte](1 << 20), 0, 1L << 20, place = "far").readAllBytes() // and comes back for one
        val socket = new Socket("localhost", port)
        socket.setSoTimeout(120000)
        try socket.getInputStream.read()
        finally socket.close()
      }.collect().toSeq
    }
    server.close()
    assertEquals(ran.answer, Seq(-1, -1, -1))
    val beyond = for (samples <- ran.trace.machines.values; s <- samples; q <- s.queues if q.overdrawn > 0)
      yield ran.trace.monotasks.resources(q.resource)
    assertEquals(beyond.toSeq, Seq("cpu"))
  }

  folder.test("no more run while they wait for their code: another one would only wait for that, too") { folder =>
    Jobs.run(folder, conf = on) { spark =>
      AtOnce.reset()
      spark.sparkContext.parallelize(0 until 8, 8).foreach(_ => AtOnce.during(SlowCode.comes(300)))
      assertEquals(AtOnce.most, 2)
    }
  }

  for ((slots, more) <- Seq(1 -> false, 4 -> true)) folder.test(
    s"${if (more) "more" else "no more"} run while they read a few bytes here and there of a disk that serves $slots at once"
  ) { folder =>
    Jobs.run(folder, conf = on + ("spark.pellucid.monotasks.diskSlots" -> slots.toString)) { spark =>
      AtOnce.reset()
      spark.sparkContext.parallelize(0 until 8, 8).foreach(_ =>
        AtOnce.during {
          val in = HeadFile.open(new Array[Byte](1000))
          for (n <- 0 until 100) in.readFully(9L * n, new Array[Byte](8))
        }
      )
      assertEquals(AtOnce.most > 2, more, AtOnce.most)
    }
  }

  folder.test("no more than the user allows") { folder =>
    Jobs.run(folder, conf = on + ("spark.pellucid.monotasks.mostTasks" -> "3")) { spark =>
      AtOnce.reset()
      spark.sparkContext.parallelize(0 until 20, 20).foreach(_ => AtOnce.during(Thread.sleep(300)))
      assertEquals(AtOnce.most, 3)
    }
  }

  folder.test("each job begins with one task per core, however many more Spark hands out since an earlier one") {
    folder =>
      Jobs.run(folder, conf = on) { spark =>
        val sc = spark.sparkContext
        sc.parallelize(0 until 40, 40).foreach(_ => Thread.sleep(300))
        Thread.sleep(1000)
        val seen = sc.parallelize(0 until 8, 8).map { _ =>
          AtOnce.spin(100)
          val tasks = TaskRecord.current.multitask.get.resources.tasks
          (tasks.runs, tasks.waits)
        }.collect()
        assert(seen.exists(_._2 > 0), seen.toSeq)
        assertEquals(seen.map(_._1).sorted.apply(4), 2, seen.toSeq)
      }
  }

  folder.test("tasks of barrier stages, which wait for each other, all run") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).barrier().mapPartitions { rows =>
        org.apache.spark.BarrierTaskContext.get().barrier()
        rows
      }.collect().toSeq
    }
    assertEquals(ran.answer, Seq(0, 1))
  }

  folder.test("what is read in any order is what the file has, and a slow disk's is read in chunks") { folder =>
    def use(spark: SparkSession): Seq[String] =
      spark.sparkContext.parallelize(0 until 6, 6).map(Slow.inAnyOrder(_, 12 << 20)).collect().toSeq
    val ran = Jobs.run(folder, conf = on)(use)
    assertEquals(ran.answer, Jobs.run(folder, plugin = false)(use).answer)
    val table = ran.trace.monotasks
    val chunks = (0 until table.size).filter(row => table.resources(table.resource(row)) == "disk:slow")
    assert(chunks.exists(table.bytes(_) > (1 << 20)), chunks.map(table.bytes(_)))
    assert(chunks.forall(table.serviceMicros(_) > 1000), chunks.map(table.serviceMicros(_)))
    oneByOne(table, chunks) // there is one slot
  }

  folder.test("so it is where the next chunk is read meanwhile, as no other task is there; no memory stays taken") {
    folder =>
      def use(spark: SparkSession): Seq[String] =
        Seq(0, 2, 4, 6).map(seed =>
          spark.sparkContext.parallelize(Seq(seed), 1).map(Slow.inAnyOrder(_, 24 << 20, computing = 2)).collect().head
        )
      val ran = Jobs.run(folder, conf = on) { spark =>
        val answer = use(spark); (answer, Held.now(spark))
      }
      assertEquals(ran.answer, (Jobs.run(folder, plugin = false)(use).answer, Held.Nothing))
      val table = ran.trace.monotasks
      assert((0 until table.size).exists(table.ahead(_) == 1))
  }

  for ((of, exact) <- Seq("a datanode" -> true, "a local file" -> false)) folder.test(
    s"where nobody else wants the disk or the core, the next chunk of $of is read while the task computes on this one"
  ) { folder =>
    val size = 24 << 20
    val ran = Jobs.run(folder, conf = on) { spark =>
      val read = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val bytes = new Array[Byte](size)
        new Random(1).nextBytes(bytes)
        val in = SlowFile.open(bytes, 0, size.toLong, exact = exact)
        val read = new Array[Byte](size)
        var n = 0
        val before = SlowFile.bytesRead
        while (n < size) {
          n += in.read(read, n, math.min(1 << 20, size - n))
          AtOnce.spin(50)
          val late = System.nanoTime() + 10000000000L
          while (n < size && SlowFile.begunTo <= n && System.nanoTime() < late) {} // its thread may have no core yet
        }
        in.close()
        (Arrays.equals(read, bytes), SlowFile.bytesRead - before)
      }.collect().head
      (read, Held.now(spark))
    }
    assertEquals(ran.answer, ((true, SlowFile.withChecksums(size)), Held.Nothing))
    val table = ran.trace.monotasks
    val rows = (0 until table.size).filter(row => table.resources(table.resource(row)) == "disk:slow")
    assertEquals(rows.map(table.bytes(_)).sum, size.toLong)
    assertEquals(rows.map(table.ahead(_)), 0 +: Seq.fill(rows.size - 1)(1))
    // each begins after the one before it was taken, and before the task has computed on that
    for (Seq(before, row) <- rows.sliding(2)) {
      assert(table.queuedMicros(row) >= table.endMicros(before), (before, row))
      assert(table.queuedMicros(row) < table.endMicros(row - 1), row)
    }
    assertEquals(ran.bytes("input"), size.toLong)
  }

  for ((flushes, pieces, size) <- Seq((false, 3000, 2000), (true, 3000, 2000), (false, 60, 100000)))
    folder.test(
      s"a file on other machines is written in $pieces pieces and ${if (flushes) "flushed" else "closed"} as one monotask, by one task at a time in one slot"
    ) { folder =>
      def use(spark: SparkSession): Seq[Int] =
        spark.sparkContext.parallelize(0 until 6, 6).map { seed =>
          val file = new FarFile
          val out = FarFile.create(file)
          val random = new Random(seed)
          for (_ <- 1 to pieces) {
            val b = new Array[Byte](random.nextInt(size))
            random.nextBytes(b)
            out.write(b)
            out.write(seed)
          }
          if (flushes) out.hflush()
          out.flush() // as Parquet's writer does before it closes a file
          out.close()
          Arrays.hashCode(file.content)
        }.collect().toSeq
      val ran = Jobs.run(folder, conf = on + ("spark.pellucid.monotasks.outputSlots" -> "1"))(use)
      assertEquals(ran.answer, Jobs.run(folder, plugin = false)(use).answer)
      val table = ran.trace.monotasks
      val (writes, closes) = (0 until table.size)
        .filter(row => table.resources(table.resource(row)) == "network:far").partition(table.bytes(_) > 0)
      assertEquals((writes.size, closes.size), (6, if (flushes) 6 else 0))
      assertEquals(writes.map(table.bytes(_)).sum, ran.bytes("output"))
      assert(writes.forall(table.serviceMicros(_) >= 10000), writes.map(table.serviceMicros(_)))
      oneByOne(table, writes)
    }

  folder.test("small files on other machines are closed at once") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).foreach { _ =>
        val out = FarFile.create(new FarFile(together = 2))
        out.write(1)
        out.close() // by one task at a time it would not end
      }
    }
    val table = ran.trace.monotasks
    assertEquals((0 until table.size).count(row => table.resources(table.resource(row)) == "network:far"), 2)
  }

  /** No monotask begins before the one before it has ended, but for what two readings of a clock differ by. */
  private def oneByOne(table: MonotaskTable, rows: Seq[Int]): Unit = {
    val spans = rows.map(row => (table.beginMicros(row), table.serviceMicros(row))).sorted
    for (((began, took), (next, _)) <- spans.zip(spans.tail)) assert(next >= began + took - 2000, (began, took, next))
  }

  folder.test("what stands before a place that cannot be read is read, and the error comes where it is") { folder =>
    def use(spark: SparkSession): Seq[(Long, String)] =
      spark.sparkContext.parallelize(Seq(false, true), 2).map { exact =>
        val in = SlowFile.open(new Array[Byte](8 << 20), 0, 8L << 20, broken = 3000000, exact)
        val b = new Array[Byte](1000)
        var sum = 0L
        val error =
          Try { var n = 0; while (n >= 0) { n = in.read(b); sum += n } }.failed.map(_.getMessage).getOrElse("no error")
        (sum, error)
      }.collect().toSeq
    assertEquals(Jobs.run(folder, conf = on)(use).answer, Seq.fill(2)((3000000L, "cannot be read at 3000000")))
  }

  folder.test("an error that comes once, behind what a chunk has, costs no bytes") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 1, 1).map { _ =>
        val bytes = new Array[Byte](4 << 20)
        new Random(1).nextBytes(bytes)
        val in = FlakyFile.open(bytes, broken = 1060000) // the first chunk is of 1 MB, 1048576 bytes
        val read = new Array[Byte](bytes.length)
        var n = 0
        while (n < read.length) n += in.read(read, n, math.min(100000, read.length - n))
        Arrays.equals(read, bytes)
      }.collect().toSeq
    }
    assertEquals(ran.answer, Seq(true))
  }

  folder.test("a large read at a file's end is a monotask of no bytes, and what the task did is known") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 1, 1).foreach { _ =>
        val in = SlowFile.open(new Array[Byte](200000), start = 1, end = 200000) // not from its start: no chunks
        val all = new Array[Byte](1 << 20)
        while (in.read(all, 0, all.length) >= 0) {}
      }
    }
    val table = ran.trace.monotasks
    val reads = (0 until table.size).filter(row => table.resources(table.resource(row)) == "disk:slow")
    assertEquals(reads.map(table.bytes(_)), Seq[Long](65536, 65536, 65536, 3392, 0))
  }

  folder.test("monotasks of many tasks leave room for the results, of which the driver takes no more than it is told") {
    folder =>
      // 20 tasks of 400 monotasks each, 10 KB of text, beside some 3 KB of a task's own
      val ran = Jobs.run(folder, conf = on + ("spark.driver.maxResultSize" -> "150k")) { spark =>
        spark.sparkContext.parallelize(0 until 20, 20).map { i =>
          val bytes = new Array[Byte](256 << 10)
          val in = SlowFile.open(bytes, start = 1, end = bytes.length.toLong)
          for (_ <- 0 until 200) in.readFully(0, bytes)
          i
        }.collect().toSeq
      }
      assertEquals(ran.answer, 0 until 20)
      assertEquals(ran.trace.monotasks.size, 0)
  }

  folder.test("a task that waits for ranges which never come can be interrupted, and has no place at the disk then") {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        val error = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
          val task = Thread.currentThread
          val killer = new Thread(() => { Thread.sleep(500); task.interrupt() })
          killer.start()
          val range = FileRange.createFileRange(0, 1 << 20)
          val waited = Try(NoFile.open(1 << 20).readVectored(Seq(range).asJava, ByteBuffer.allocate(_)))
          killer.join()
          s"${waited.failed.map(_.getClass.getName).getOrElse("none")} ${Thread.interrupted()}"
        }.collect().head
        (error, Held.now(spark))
      }
      assertEquals(ran.answer, ("java.io.InterruptedIOException true", Held.Nothing))
  }

  folder.test("200 jobs, of tasks that fail, are killed or are interrupted too, leave no place taken and no memory") {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        val sc = spark.sparkContext
        for (n <- 1 to 200) n % 5 match {
          case 0 => assert(Try(sc.parallelize(0 until 8, 8).foreach(i => require(i != 5, "on purpose"))).isFailure)
          case 1 | 2 =>
            sc.setJobGroup("killed", "killed", interruptOnCancel = n % 2 == 0)
            val job = sc.parallelize(0 until 8, 8).foreachAsync(_ => Slow.read())
            Thread.sleep(20)
            sc.cancelJobGroup("killed")
            assert(Try(Await.result(job, 1.minute)).isFailure)
            sc.clearJobGroup()
          case 3 => sc.parallelize(0 until 8, 8).foreach(_ => Slow.read(1 << 20))
          case _ => assertEquals(sc.parallelize(0 until 1000, 8).map(i => (i % 7, i)).groupByKey(3).count(), 7L)
        }
        Held.now(spark)
      }
      assertEquals(ran.answer, Held.Nothing)
  }

  folder.test("settings that no task could run with are one warning") { folder =>
    val warnings = Warnings.during {
      val none = on + ("spark.pellucid.monotasks.diskSlots" -> "0")
      assertEquals(Jobs.run(folder, conf = none)(_.range(10).count()).answer, 10L)
    }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains("diskSlots"), warnings)
  }

  folder.test("files of the page cache are read as stock Spark does") { folder =>
    val lines = Seq.tabulate(200000)(i => s"$i ${"x" * 200}")
    Files.write(folder.resolve("file"), lines.asJava)
    def use(spark: SparkSession): Long =
      spark.sparkContext.textFile(folder.resolve("file").toString, 4).map(_.hashCode.toLong).sum().toLong
    val ran = Jobs.run(folder, conf = on)(use)
    assertEquals(ran.answer, lines.map(_.hashCode.toLong).sum)
    val table = ran.trace.monotasks
    val read = (0 until table.size).filter(row => table.resources(table.resource(row)).startsWith("disk"))
    assert(read.map(table.bytes(_).toLong).sum < Files.size(folder.resolve("file")) / 2, read.map(table.bytes(_)))
  }

  for (
    hook <- Seq(
      "running tasks as monotasks",
      "watching monotasks",
      "letting any executor have any reducer",
      "choosing machines for input",
      "asking soon whether a file is complete"
    )
  )
    folder.test(s"an exception in the hook \"$hook\" is one warning, and the job as it was") { folder =>
      Guard.sabotage(hook)
      val warnings = Warnings.during {
        val ran = Jobs.run(folder, conf = on)(_.range(0, 100000, 1, 8).selectExpr("sum(id)").head().getLong(0))
        assertEquals(ran.answer, 4999950000L)
      }
      assertEquals(warnings.size, 1, warnings)
      assert(warnings.head.contains(s"$hook is switched off, the job goes on without it"), warnings)
    }
}

/** Reads that wait. */
object Slow {

  /** @param computing milliseconds between two calls */
  def inAnyOrder(seed: Int, size: Int, computing: Int = 0): String = {
    val bytes = new Array[Byte](size)
    new Random(1).nextBytes(bytes)
    val start = seed * 1000000L
    val in = SlowFile.open(bytes, start, start + size / 2, exact = seed % 2 == 0)
    try Script(in, new Random(seed.toLong), start, size, AtOnce.spin(computing))
    finally in.close()
  }

  def read(size: Int = 8 << 20): Unit = {
    val in = SlowFile.open(new Array[Byte](size), 0, size.toLong)
    try {
      val b = new Array[Byte](64 << 10)
      while (in.read(b) >= 0) {}
    } finally in.close()
  }
}

/** Of the tasks of this JVM: how many do something at once. */
object AtOnce {
  private val now, highest, sum, times = new AtomicInteger

  def reset(): Unit = Seq(now, highest, sum, times).foreach(_.set(0))
  def during(work: => Unit): Unit = {
    val many = now.incrementAndGet()
    highest.accumulateAndGet(many, math.max)
    sum.addAndGet(many)
    times.incrementAndGet()
    try work
    finally { now.decrementAndGet(); () }
  }
  def spin(millis: Int): Unit = {
    val end = System.nanoTime() + millis * 1000000L
    while (System.nanoTime() < end) {}
  }

  /** Now, by the clock of what the plugin tells. */
  def micros: Long = WallClock.micros(System.nanoTime())
  def most: Int = highest.get
  def mean: Double = sum.get.toDouble / times.get
}

object Script {

  /** What 300 calls return, mostly reads in sequence, each after `before`. */
  def apply(in: FSDataInputStream, random: Random, start: Long, size: Int, before: => Unit = ()): String = {
    val said = new StringBuilder
    def tell(result: Any): Unit = said ++= s"$result@${in.getPos} "
    in.seek(start)
    for (_ <- 1 to 300) {
      before
      val length = 1 + random.nextInt(200000)
      random.nextInt(20) match {
        case 0 => in.seek(random.nextInt(size).toLong); tell("seek")
        case 1 => in.seek(start); tell("start")
        case 2 => tell(in.skip(random.nextInt(300000).toLong))
        case 3 => tell(in.read())
        case 4 =>
          val at = random.nextInt(size - length)
          val b = new Array[Byte](length)
          in.readFully(at.toLong, b)
          tell(Arrays.hashCode(b))
        case 5 =>
          val b = ByteBuffer.allocate(math.min(length, size - in.getPos.toInt))
          tell(Try { while (b.hasRemaining && in.read(b) >= 0) {}; Arrays.hashCode(b.array) }.fold(
            _.getClass,
            identity
          ))
        case 6 => in.seek(math.max(0, in.getPos - length)); tell("back")
        case 7 => tell(Try(in.seek(size + 10L)).fold(_.getClass, identity)); tell(Try(in.skip(-1)).isSuccess)
        case _ =>
          val b = new Array[Byte](math.min(length, size - in.getPos.toInt))
          in.readFully(b)
          tell(Arrays.hashCode(b))
      }
    }
    said.toString
  }
}
