package pellucid.monotask

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.sys.process._
import scala.util.{Random, Try}

import org.apache.spark.HashPartitioner
import org.apache.spark.sql.SparkSession
import org.apache.spark.storage.StorageLevel

import pellucid.{Jobs, SparkSuite}

/** Jobs that fail because a disk is full. */
class FullDiskSuite extends SparkSuite {
  import FullDiskSuite._
  private val on = Map("spark.pellucid.monotasks" -> "true")

  /** Map output goes to its file at once. */
  private val written = Map("spark.pellucid.monotasks.shuffleMemory" -> "0")

  /** 41 MB for all tasks: what is held in memory until it is written goes to a spill file first. */
  private val littleMemory = Map("spark.testing.memory" -> "70000000", "spark.testing.reservedMemory" -> "1000000")
  private val manySpills = Map("spark.shuffle.spill.numElementsForceSpillThreshold" -> "1000")
  private val none = Map.empty[String, String]

  for (
    (name, conf, job) <- Seq[(String, Map[String, String], Job)](
      ("map output", written, Few),
      ("map output, little memory", littleMemory, Few),
      ("map output that is sorted", none, Sorted),
      ("map output that is sorted as objects", written, SortedObjects),
      ("spills", manySpills, Sort),
      ("persisted blocks", none, Persist),
      ("lines of text", none, Lines),
      ("CSV", none, new Table("csv")),
      ("ORC", none, new Table("orc")),
      ("Parquet", none, new Table("parquet"))
    )
  ) folder.test(s"$name: the job fails as on stock Spark, the next one does not, and nothing is left") { folder =>
    val stock = onFullDisk(folder, plugin = false, conf, job)
    val ours = onFullDisk(folder, plugin = true, conf ++ on, job)
    assert(stock.error.contains("No space left on device"), stock.error)
    assertEquals(ours.error, stock.error)
    assertEquals(ours.held, Held.Nothing)
    assertEquals(ours.open, Nil)
    if (job == Sorted) // as bytes, by stock Spark's writer, which leaves what it has written: the disk stays full
      assertEquals(ours.files -- LeftBySorter -- (if (ours.next == Small) MapOutput else Set.empty), Set.empty[String])
    else {
      assertEquals(ours.next, Small)
      assertEquals(ours.files -- MapOutput, Set.empty[String])
    }
  }

  folder.test("what is kept in memory and cannot be written any more fails nobody who wants that memory") { folder =>
    onDisk(folder) { disk =>
      val local = Files.createDirectory(disk.resolve("local"))
      Jobs.run(folder, plugin = true, littleMemory ++ on + ("spark.local.dir" -> local.toString)) { spark =>
        // 8 MB of the 41 MB that tasks and blocks have
        val shuffled = spark.sparkContext.parallelize(0 until 4, 4).flatMap(bytes(_, 2000)).groupByKey(3)
        assertEquals(shuffled.count(), 2000L)
        val full = Files.newOutputStream(disk.resolve("full"))
        assert(Try(while (true) full.write(new Array[Byte](4096))).isFailure)
        val cached =
          spark.sparkContext.parallelize(0 until 4, 4).flatMap(bytes(_, 12000)).persist(StorageLevel.MEMORY_ONLY)
        assertEquals((cached.count(), cached.count()), (48000L, 48000L))
        full.close()
        Files.delete(disk.resolve("full"))
        assertEquals(shuffled.count(), 2000L)
      }
    }
  }

  /** What is seen of a job on a disk of 16 MB, and of a small one after it in the same application. */
  private def onFullDisk(folder: Path, plugin: Boolean, conf: Map[String, String], job: Job): Seen =
    onDisk(folder) { disk =>
      val local = Files.createDirectory(disk.resolve("local"))
      Jobs.run(folder, plugin, conf + ("spark.local.dir" -> local.toString)) { spark =>
        val error = kind(Try(job(spark, disk.resolve("out").toString)).failed.get)
        Jobs.awaitTasks()
        collect(disk)
        val next = Try(small(spark)).fold(kind, _.mkString(" "))
        val held = if (plugin) Held.now(spark) else Held.Nothing
        Jobs.awaitTasks()
        Seen(error, next, held, open(disk), filesOf(disk))
      }.answer
    }

  private def onDisk[A](folder: Path)(use: Path => A): A = {
    val disk = Files.createTempDirectory(folder, "disk")
    val said = new StringBuilder
    val mounts = Seq("mount", "-t", "tmpfs", "-o", "size=16m", "pellucid", disk.toString)
    assume(Try(mounts ! ProcessLogger(said ++= _)).toOption.contains(0), s"no file system can be mounted here: $said")
    try use(disk)
    finally unmount(disk)
  }
}

private object FullDiskSuite {

  /** @param files what is left on the disk, without numbers */
  final case class Seen(error: String, next: String, held: Held, open: Seq[String], files: Set[String])

  /** Closes what stock Spark's writers left open, whose space is free then. A moment later than the collection, and not where a thread still
    * has the last task on its stack.
    */
  def collect(disk: Path): Unit = {
    Iterator.continually { System.gc(); Thread.sleep(100); open(disk) }.take(20).exists(_.isEmpty)
    ()
  }

  /** Where a file is still open, when it is closed. */
  def unmount(disk: Path): Unit = if (Seq("umount", disk.toString).! != 0) { Seq("umount", "-l", disk.toString).!; () }

  /** Fills the disk; may write to the folder `out` there. */
  trait Job { def apply(spark: SparkSession, out: String): Any }

  /** Four tasks' 13 MB each. */
  private def pairs(spark: SparkSession) = spark.sparkContext.parallelize(0 until 4, 4).flatMap(Pairs.of)

  sealed abstract class Shuffle(reducers: Int) extends Job {
    def apply(spark: SparkSession, out: String): Any = Pairs.shuffled(pairs(spark), reducers).count()
  }
  object Few extends Shuffle(Pairs.Few)
  object SortedObjects extends Shuffle(Pairs.Many)
  object Sorted extends Job {
    def apply(spark: SparkSession, out: String): Any =
      pairs(spark).partitionBy(new HashPartitioner(Pairs.Many)).count()
  }
  object Sort extends Job {
    def apply(spark: SparkSession, out: String): Any =
      pairs(spark).map { case (key, value) => (key, value.length) -> value }.groupByKey(2).count()
  }
  object Persist extends Job {
    def apply(spark: SparkSession, out: String): Any = pairs(spark).persist(StorageLevel.DISK_ONLY).count()
  }
  object Lines extends Job {
    def apply(spark: SparkSession, out: String): Any =
      spark.sparkContext.parallelize(0 until 4, 4).flatMap(i => (0 until 500000).iterator.map(n => s"$i $n ${n * 31}"))
        .saveAsTextFile(out)
  }
  final class Table(format: String) extends Job {
    def apply(spark: SparkSession, out: String): Any =
      spark.range(0, 1000000, 1, 4).selectExpr(
        "CAST(id AS STRING) AS id",
        "uuid() AS a",
        "uuid() AS b"
      ).write.format(format).save(out)
  }

  /** `n` records of a kilobyte that nothing makes smaller. */
  def bytes(seed: Int, n: Int): Iterator[(Int, Array[Byte])] = {
    val random = new Random(seed)
    Iterator.tabulate(n) { i =>
      val record = new Array[Byte](1000); random.nextBytes(record); (i, record)
    }
  }

  val Small: String = "(0,4) (1,3) (2,3)"
  def small(spark: SparkSession): Seq[(Int, Int)] =
    spark.sparkContext.parallelize(
      0 until 10,
      4
    ).map(i => (i % 3, i)).groupByKey(3).mapValues(_.size).collect().sorted.toSeq

  /** Files of map tasks that have succeeded. */
  val MapOutput: Set[String] = Set("shuffle___.data", "shuffle___.index", "shuffle___.checksum.ADLER")

  /** What a failed task of stock Spark's writer of records that it sorts as bytes may leave, of which it does not abort what it had begun: by whether the disk was
    * full when the sorter spilled or when it wrote the map output.
    */
  val LeftBySorter: Set[String] = Set("temp_shuffle_", "shuffle___.data.")

  /** What the driver says, and why. */
  def kind(error: Throwable): String =
    s"${error.getClass.getName}: ${Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last}"

  /** Files on the disk that this process has open. */
  def open(disk: Path): Seq[String] =
    Files.list(Path.of("/proc/self/fd")).iterator.asScala.flatMap(fd =>
      Try(Files.readSymbolicLink(fd).toString).toOption
    )
      .filter(_.startsWith(disk.toString)).toSeq

  def filesOf(disk: Path): Set[String] =
    Files.walk(disk).iterator.asScala.filter(Files.isRegularFile(_))
      .map(_.getFileName.toString.replaceAll("[0-9a-f-]{36}|[0-9]+", "")).toSet
}
