package org.apache.spark.pellucid

import java.io.InputStream

import org.apache.hadoop.fs.Path

import org.apache.spark.SparkConf
import org.apache.spark.deploy.SparkHadoopUtil
import org.apache.spark.deploy.history.{EventLogFileReader, RollingEventLogFilesWriter, SingleEventLogFileWriter}
import org.apache.spark.internal.config.History.HISTORY_LOG_DIR
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI

import pellucid.log.EventLog
import pellucid.plugin.Guard
import pellucid.trace.Trace
import pellucid.ui.{ReportPage, TraceSource}

/** The tab in the History Server, where this jar is on its class path. It reads the application's event log, as the command does,
  * when somebody opens the tab; replaying Spark's events would take ten times as long, and for each application that is looked at.
  */
final class HistoryTab extends AppHistoryServerPlugin {
  import HistoryTab._

  def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] = Nil

  def setupUI(ui: SparkUI): Unit = {
    guard {
      val page = new ReportPage(new TraceSource {
        def name = "history"
        def changes = 0
        def trace(): Trace = {
          val (files, compacted) = log(ui)
          EventLog.read(files, compacted, MostMonotasks)
        }
      })
      new PellucidTab(ui, page).attach()
    }
    ()
  }
}

private object HistoryTab {
  private val guard = new Guard("the History Server's tab")

  /** The History Server shows an attempt of an application under `/history/APPLICATION[/ATTEMPT]`, and keeps its log under a name
    * made of the two. Its files, and whether it has compacted them.
    */
  private def log(ui: SparkUI): (Iterator[() => InputStream], Boolean) = {
    val parts = ui.basePath.stripPrefix("/history/").split('/')
    val (id, attempt) = (parts.head, parts.lift(1))
    val folders = ui.conf.get(HISTORY_LOG_DIR).split(',').map(_.trim).filter(_.nonEmpty)
    val paths = folders.iterator.flatMap { folder =>
      val uri = new Path(folder).toUri
      Iterator(RollingEventLogFilesWriter.getAppEventLogDirPath(uri, id, attempt)) ++
        (for (codec <- codecs.iterator; state <- states)
          yield new Path(SingleEventLogFileWriter.getLogPath(uri, id, attempt, codec) + state))
    }
    val path: Path = paths.find(path => fileSystem(path).exists(path))
      .getOrElse(throw new NotReadable(
        s"There is no event log with this application's name in ${folders.mkString(", ")}: was it renamed? " +
          "The command reads it by any name: pellucid report LOG --html report.html"
      ))
    val fs = fileSystem(path)
    val reader = EventLogFileReader(fs, path).getOrElse(throw new NotReadable(s"$path is not an event log."))
    val most = if (reader.compressionCodec.isDefined) MostBytes / Compression else MostBytes
    if (reader.totalSize > most)
      throw new NotReadable(
        s"This event log has ${reader.totalSize >> 20} MiB, which is more than the History Server should read for one page " +
          s"(${most >> 20} MiB). The command has the report: pellucid report $path --html report.html"
      )
    // Spark's own way to open it: its codecs are those that this server has
    val files = reader.listEventLogFiles.map(_.getPath)
    (
      files.iterator.map(file => () => EventLogFileReader.openEventLog(file, fs)),
      files.exists(file => EventLog.isCompacted(file.getName))
    )
  }

  private def fileSystem(path: Path) = path.getFileSystem(SparkHadoopUtil.get.conf)

  /** Of a million tasks or so, which take 200 MB; and how many times smaller they are compressed. */
  private final val MostBytes = 3L << 30
  private final val Compression = 20

  /** Which take 60 bytes each. */
  private final val MostMonotasks = 4000000

  private val codecs = Seq(None, Some("zstd"), Some("lz4"), Some("snappy"), Some("lzf"))
  private val states = Seq("", ".inprogress", ".compact")
}
