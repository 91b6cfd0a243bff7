package pellucid.monotask

import java.lang.ref.Reference
import java.nio.file.{Files, Path}
import java.util.Arrays

import scala.util.{Random, Try}

import org.apache.spark.{HashPartitioner, SparkEnv}
import org.apache.spark.pellucid.RowSums
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession

import pellucid.{Jobs, SparkSuite, Warnings}
import pellucid.disk.Devices
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** Map output that waits in memory until it is written. */
class MonotaskShuffleSuite extends SparkSuite {
  private val on = Map("spark.pellucid.monotasks" -> "true")

  /** Map output goes to its file at once. */
  private val written = on + ("spark.pellucid.monotasks.shuffleMemory" -> "0")

  /** 41 MB for all tasks: 5 MB for each of the eight that may run. */
  private val littleMemory = Map("spark.testing.memory" -> "70000000", "spark.testing.reservedMemory" -> "1000000")

  /** Of the shuffle's files, by name, what they have in them; and how many pairs there were. */
  private def shuffled(reducers: Int)(spark: SparkSession): (Map[String, Int], Long) = {
    val pairs = Pairs.shuffled(spark, reducers)
    val seen = (pairs.count(), Pairs.contents).swap
    Reference.reachabilityFence(pairs) // Spark's cleaner would delete the files
    seen
  }

  /** Bytes of each monotask that writes map output. */
  private def writesOf(ran: Jobs.Ran[_]): Seq[Long] = {
    val table = ran.trace.monotasks
    (0 until table.size).filter(row => MonotaskPhase.all(table.phase(row)) == MonotaskPhase.ShuffleWrite)
      .map(table.bytes(_).toLong)
  }

  /** Of map output, as Spark counts them. */
  private def bytesOf(ran: Jobs.Ran[_])
      : Long = (0 until ran.trace.tasks.size).map(ran.trace.tasks.shuffleWriteBytes(_)).sum

  private val settings = Seq(
    "lz4" -> Map.empty[String, String],
    "zstd" -> Map("spark.io.compression.codec" -> "zstd"),
    "snappy" -> Map("spark.io.compression.codec" -> "snappy"),
    "no compression" -> Map("spark.shuffle.compress" -> "false"),
    "no checksums" -> Map("spark.shuffle.checksum.enabled" -> "false"),
    "kryo" -> Map("spark.serializer" -> "org.apache.spark.serializer.KryoSerializer"),
    "little memory" -> littleMemory,
    "little memory, zstd" -> (littleMemory + ("spark.io.compression.codec" -> "zstd")),
    "hardly any memory" -> (littleMemory + ("spark.testing.memory" -> "16000000"))
  )
  for ((name, conf) <- settings)
    folder.test(s"the files are stock Spark's: $name") { folder =>
      val ran = Jobs.run(folder, conf = written ++ conf)(shuffled(Pairs.Few))
      val stock = Jobs.run(folder, plugin = false, conf = conf)(shuffled(Pairs.Few))
      assertEquals(ran.answer, stock.answer)
      assertEquals(ran.answer._1.size, if (name == "no checksums") 6 else 9) // data, index, checksums
      val writes = writesOf(ran)
      assertEquals(ran.bytes("shuffleWrite"), bytesOf(stock))
      if (name.startsWith("little memory")) assert(ran.bytes("spillWrite") > 0 && writes.nonEmpty)
      else if (name == "hardly any memory") assertEquals(writes.size, 0) // Spark's own writer
      else assertEquals(writes.sum, ran.bytes("shuffleWrite") + ran.bytes("spillWrite"))
    }

  // Kryo's would be sorted as bytes
  for ((name, conf) <- settings.filterNot(_._1 == "kryo"))
    folder.test(s"so they are where records are sorted: $name") { folder =>
      val ran = Jobs.run(folder, conf = written ++ conf)(shuffled(Pairs.Many))
      val stock = Jobs.run(folder, plugin = false, conf = conf)(shuffled(Pairs.Many))
      assertEquals(ran.answer, stock.answer)
      val bytes = bytesOf(stock)
      assertEquals(bytesOf(ran), bytes)
      val writes = writesOf(ran)
      if (name == "hardly any memory") assertEquals(writes.size, 0) // Spark's own writer
      else if (!name.startsWith("little memory")) { // what the sorter spills is measured as shuffle writes, too
        assertEquals(ran.bytes("shuffleWrite"), bytes)
        assertEquals(writes.sum, bytes)
      }
    }

  folder.test("what is combined before it is sent is counted once, and its files are stock Spark's") { folder =>
    def use(spark: SparkSession) = {
      val counts = spark.sparkContext.parallelize(0 until 3, 3).flatMap(Pairs.of)
        .map { case (key, value) => (key, value.length.toLong) }.reduceByKey(_ + _, 7)
      val seen = (counts.collect().sorted.toSeq, Pairs.contents)
      Reference.reachabilityFence(counts)
      seen
    }
    val ran = Jobs.run(folder, conf = written)(use)
    val stock = Jobs.run(folder, plugin = false)(use)
    assertEquals(ran.answer, stock.answer)
    assertEquals(ran.bytes("shuffleWrite"), bytesOf(stock))
  }

  folder.test("checksums of rows are stock Spark's") { folder =>
    def use(spark: SparkSession): (Seq[Long], Set[String]) = {
      val rows = spark.range(0, 100000, 1, 3).selectExpr("id", "repeat('x', id % 50) AS s").repartition(7)
      rows.write.format("noop").mode("overwrite").save()
      (RowSums.all, Set(SparkEnv.get.shuffleManager.getClass.getSimpleName))
    }
    val conf =
      Seq("enabled", "enableFullRetryOnMismatch").map(s => s"spark.sql.shuffle.orderIndependentChecksum.$s" -> "true")
    val ran = Jobs.run(folder, conf = written ++ conf)(use)
    assertEquals(ran.answer._1, Jobs.run(folder, plugin = false, conf = conf.toMap)(use).answer._1)
    assert(ran.answer._1.size == 3 && !ran.answer._1.contains(0L), ran.answer)
    assertEquals(ran.answer._2, Set("MonotaskShuffle"))
    assert(writesOf(ran).nonEmpty)
  }

  folder.test("blocks that are encrypted are read as they were written") { folder =>
    val secret = Map("spark.io.encryption.enabled" -> "true", "spark.authenticate" -> "true") ++ littleMemory
    val ran = Jobs.run(folder, conf = on ++ secret) { spark =>
      Pairs.shuffled(spark)
        .map { case (k, v) => k * 31 + Arrays.hashCode(v) }.sum().toLong
    }
    assertEquals(
      ran.answer,
      (0 until 3).flatMap(Pairs.of).map { case (k, v) => k * 31 + Arrays.hashCode(v) }.map(_.toDouble).sum.toLong
    )
  }

  folder.test("what else needs memory in the task gets it, as on stock Spark") { folder =>
    def use(spark: SparkSession): Seq[String] = {
      // sorts, each of which is read by the map task that writes the next shuffle
      val rows = spark.range(0, 300000, 1, 3).selectExpr("id % 1000 AS k", "uuid() AS v", "id")
      rows.repartition(5).sortWithinPartitions("v").repartition(4, rows("k")).sortWithinPartitions("k", "id")
        .selectExpr("sum(k * id)", "count(*)", "sum(length(v))").collect().map(_.toString).toSeq
    }
    val conf = littleMemory + ("spark.sql.shuffle.partitions" -> "5") + ("spark.sql.adaptive.enabled" -> "false")
    assertEquals(
      Jobs.run(folder, conf = on ++ conf)(use).answer,
      Jobs.run(folder, plugin = false, conf = conf)(use).answer
    )
  }

  for ((name, reducers) <- Seq("" -> Pairs.Few, " sorted output" -> Pairs.Many))
    folder.test(s"of tasks that fail, before or while they write$name, nothing is left") { folder =>
      val ran = Jobs.run(folder, conf = on ++ littleMemory) { spark =>
        val pairs = spark.sparkContext.parallelize(0 until 3, 3)
          .flatMap(n => Pairs.of(n).iterator ++ Iterator.single(()).map(_ => sys.error("on purpose")))
        val error = Try(Pairs.shuffled(pairs, reducers).count()).failed.get.getMessage
        assert(error.contains("on purpose"), error)
        def left = (Pairs.files, SparkEnv.get.memoryManager.executionMemoryUsed)
        for (_ <- 1 to 300 if left != ((Nil, 0L))) Thread.sleep(100) // until the other tasks have ended
        left
      }
      assertEquals(ran.answer, (Seq.empty[Path], 0L))
    }

  folder.test("files go with their shuffle; SQL sees Spark's own shuffle manager") { folder =>
    val ran = Jobs.run(folder, conf = written) { spark =>
      val env = SparkEnv.get
      shuffled(Pairs.Few)(spark)
      assert(Pairs.files.nonEmpty)
      env.shuffleManager.unregisterShuffle(0)
      (env.shuffleManager.getClass.getSuperclass.getSimpleName, Pairs.files)
    }
    assertEquals(ran.answer, ("SortShuffleManager", Seq.empty[Path]))
  }

  for ((name, reducers) <- Seq("" -> Pairs.Few, " that is sorted" -> Pairs.Many))
    folder.test(s"map output$name goes to the disk that has least to do, and from there with its shuffle") { folder =>
      val memory = Path.of("/dev/shm")
      assume(
        Files.isWritable(memory) && Devices.of(memory.toFile) != Devices.of(folder.toFile),
        "there is no second disk"
      )
      val second = Files.createTempDirectory(memory, "pellucid")

      /** By the hash of their names all large files are on one of two disks. */
      def use(spark: SparkSession) = {
        val pairs = spark.sparkContext.parallelize(0 until 8, 8)
          .flatMap(n => Pairs.of(n).take(if (n % 2 == 0) 4000 else 10))
        val shuffled = Pairs.shuffled(pairs, reducers)
        val (count, contents) = (shuffled.count(), Pairs.contents)
        val bytesOnSecond =
          Pairs.files.filter(f => f.startsWith(second) && f.toString.endsWith(".data")).map(Files.size(_)).sum
        SparkEnv.get.shuffleManager.unregisterShuffle(0)
        Reference.reachabilityFence(shuffled)
        ((count, contents, Pairs.files), bytesOnSecond)
      }
      try {
        val disks = "spark.local.dir" -> s"${Files.createTempDirectory(folder, "local")},$second"
        val noRoom = "spark.pellucid.monotasks.shuffleMemory" -> "1e-9" // but files may be anywhere
        val ran = Jobs.run(folder, conf = on + noRoom + disks)(use)
        val (seen, bytesOnSecond) = ran.answer
        assertEquals(seen, Jobs.run(folder, plugin = false)(use).answer._1)
        assertEquals(seen._3, Seq.empty[Path])
        val uses = ran.paths("shuffleWrite").groupMapReduce(_.path)(_.bytes)(_ + _)
        assertEquals(uses.get(Devices.of(second.toFile)), Some(bytesOnSecond))
        assertEquals(uses.values.sum, bytesOf(ran))
        assert(uses.values.min > bytesOf(ran) / 5, uses) // one large file of four
      } finally remove(second)
    }

  folder.test("an exception in the hook is one warning, and the job as it was") { folder =>
    Guard.sabotage("writing map output as monotasks")
    val warnings = Warnings.during {
      val few = shuffled(Pairs.Few) _
      assertEquals(Jobs.run(folder, conf = on)(few).answer, Jobs.run(folder, plugin = false)(few).answer)
    }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains("writing map output as monotasks is switched off"), warnings)
  }
}

object Pairs {

  /** For fewer reducers than Spark sorts for, and for more. */
  final val Few = 7
  final val Many = 300

  /** 39 MB in three map tasks. */
  def shuffled(spark: SparkSession, reducers: Int = Few): RDD[(Int, Array[Byte])] =
    shuffled(spark.sparkContext.parallelize(0 until 3, 3).flatMap(of), reducers)

  /** For many reducers as objects of a class that Spark does not know: others it would sort as bytes. */
  def shuffled(pairs: RDD[(Int, Array[Byte])], reducers: Int): RDD[(Int, Array[Byte])] = {
    val partitioner = new HashPartitioner(reducers)
    if (reducers == Few) pairs.partitionBy(partitioner)
    else pairs.mapValues(Option(_)).partitionBy(partitioner).mapValues(_.get)
  }

  /** The shuffles' files in Spark's folders now; others may write and delete some meanwhile. */
  def files: Seq[Path] =
    SparkEnv.get.blockManager.diskBlockManager.getAllFiles().filter(_.getName.contains("shuffle")).map(_.toPath)

  /** By name, what they have in them. */
  def contents: Map[String, Int] =
    files.map(f => f.getFileName.toString -> Arrays.hashCode(Files.readAllBytes(f))).toMap

  /** 13 MB in pairs of all sizes, not compressible; none for the partition 3 of seven. */
  def of(seed: Int): Seq[(Int, Array[Byte])] = {
    val random = new Random(seed)
    Seq.fill(12000) {
      val value = new Array[Byte](if (random.nextInt(500) == 0) 300000 else random.nextInt(1000))
      random.nextBytes(value)
      (Iterator.continually(random.nextInt(1000)).filter(_ % 7 != 3).next(), value)
    }
  }
}
