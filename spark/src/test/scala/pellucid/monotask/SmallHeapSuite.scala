package pellucid.monotask

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

import pellucid.{Jobs, SparkSuite}
import pellucid.fs.SlowFile

/** Jobs whose tasks hold much that Spark's memory manager does not know of, in a JVM of their own. */
class SmallHeapSuite extends SparkSuite {
  for (job <- SmallHeap.jobs.keys)
    folder.test(s"what stock Spark has memory enough for, monotasks have: $job") { folder =>
      val stock = run(folder, job, plugin = false)
      assert(stock.contains("ANSWER 8"), stock)
      val ours = run(folder, job, plugin = true)
      assert(ours.contains("ANSWER 8"), ours)
    }

  /** With a heap of 512 MB: what it said. */
  private def run(folder: Path, job: String, plugin: Boolean): String = {
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filterNot(_.startsWith("-Xm"))
    val command = Seq(s"${System.getProperty("java.home")}/bin/java", "-Xmx512m") ++ opens ++
      Seq(
        "-cp",
        System.getProperty("java.class.path"),
        "pellucid.monotask.SmallHeap",
        job,
        plugin.toString,
        folder.toString
      )
    val said = Files.createTempFile(folder, "said", "")
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).redirectOutput(said.toFile).start()
    try process.waitFor()
    finally process.destroyForcibly()
    Files.readString(said).takeRight(5000)
  }
}

object SmallHeap {

  /** Of 8 tasks, each of which holds 96 MB at its end: 192 MB in all on stock Spark with two cores. */
  val jobs: Map[String, SparkSession => Long] = Map(
    "records that come slowly" -> (spark => count(spark, () => slowly())),
    "arrays of tasks that wait" -> (spark => count(spark, () => waiting()))
  )

  private def count(spark: SparkSession, hold: () => Int): Long =
    spark.sparkContext.parallelize(0 until 8, 8).filter(_ => hold() == Held).count()

  private final val Held = 96 << 20
  private final val Part = 8 << 20
  private final val Piece = 64 << 10
  private lazy val part = new Array[Byte](Part)

  private def slowly(): Int = {
    val held = ArrayBuffer.empty[Array[Byte]]
    for (_ <- 1 to Held / Part) {
      val in = SlowFile.open(part, 0, Part.toLong, place = "far")
      try for (_ <- 1 to Part / Piece) { val piece = new Array[Byte](Piece); in.readFully(piece); held += piece }
      finally in.close()
    }
    held.map(_.length).sum
  }

  private def waiting(): Int = {
    val held = Array.fill(Held / Piece)(new Array[Byte](Piece))
    Thread.sleep(1000)
    held.map(_.length).sum
  }

  def main(arguments: Array[String]): Unit = {
    val Seq(job, plugin, folder) = arguments.toSeq: @unchecked
    val conf = Map("spark.pellucid.monotasks" -> plugin)
    println(s"ANSWER ${Jobs.run(Path.of(folder), plugin.toBoolean, conf)(jobs(job)).answer}")
  }
}
