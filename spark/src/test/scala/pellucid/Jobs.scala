package pellucid

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

import pellucid.log.EventLog
import pellucid.trace.{PathUse, Trace}

/** Runs a job on a Spark of its own in this JVM, with or without the plugin, and reads its event log. */
object Jobs {
  final case class Ran[A](answer: A, log: Path, trace: Trace) {
    def paths(kind: String): Seq[PathUse] = trace.paths.filter(_.kind == kind)
    def bytes(kind: String): Long = paths(kind).map(_.bytes).sum
  }

  def run[A](
      folder: Path,
      plugin: Boolean = true,
      conf: Map[String, String] = Map.empty
  )(job: SparkSession => A): Ran[A] = {
    val logs = Files.createTempDirectory(folder, "log")
    val settings = Map(
      "spark.ui.enabled" -> "false",
      "spark.driver.host" -> "localhost",
      "spark.local.dir" -> Files.createTempDirectory(folder, "local").toString,
      "spark.sql.warehouse.dir" -> folder.resolve("warehouse").toString,
      "spark.eventLog.enabled" -> "true",
      "spark.eventLog.dir" -> logs.toUri.toString,
      "spark.eventLog.rolling.enabled" -> "false",
      "spark.eventLog.compress" -> "false"
    ) ++ (if (plugin) Map("spark.plugins" -> "pellucid.PellucidPlugin") else Map.empty) ++ conf
    val builder = SparkSession.builder().master("local[2]").appName("test")
    settings.foreach { case (k, v) => builder.config(k, v) }
    val spark = builder.getOrCreate()
    val answer =
      try job(spark)
      finally spark.stop()
    val log = Files.list(logs).iterator.asScala.filterNot(_.getFileName.toString.startsWith(".")).toSeq.head
    Ran(answer, log, EventLog.read(Iterator(() => Files.newInputStream(log))))
  }

  /** Returns when no thread of this JVM runs a task: the driver hears of a job's failure before its other tasks have ended. */
  def awaitTasks(): Unit =
    while (Thread.getAllStackTraces.values.asScala.exists(_.exists(_.getClassName.endsWith("Executor$TaskRunner"))))
      Thread.sleep(10)

  /** Bytes of the data files below a folder. */
  def size(folder: Path): Long =
    Files.walk(folder).iterator.asScala.filter(f => f.getFileName.toString.startsWith("part-")).map(Files.size).sum
}
