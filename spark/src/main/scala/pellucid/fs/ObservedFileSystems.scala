package pellucid.fs

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.util.ShutdownHookManager
import org.apache.spark.pellucid.Fields

/** Hadoop's file systems with the streams that tasks open measured. Each stays what it was, a subclass of the class that serves
  * its scheme (PySpark's is Hive's, for one), known to this JVM only: no configuration names a class that another JVM may lack. A
  * scheme whose class is set (`fs.SCHEME.impl`) is left alone.
  */
object ObservedFileSystems {
  private val schemes = Seq("file", "hdfs")

  def install(): Unit = {
    FileSystem.getFileSystemClass("file", new Configuration(false)) // loads the table
    val table =
      Fields.get(classOf[FileSystem], null, "SERVICE_FILE_SYSTEMS").asInstanceOf[JMap[String, Class[_ <: FileSystem]]]
    val cache = Fields.get(classOf[FileSystem], null, "CACHE")
    val instances = Fields.get(cache.getClass, cache, "map").asInstanceOf[JMap[_, FileSystem]]
    for (scheme <- schemes; stock <- Option(table.get(scheme)) if !Subclass.isOne(stock)) {
      table.put(scheme, Subclass.of(stock))
      cache.synchronized {
        val had = instances.values.asScala.filter(_.getClass == stock).toSeq
        instances.values.removeAll(had.asJava)
        closeAtExit(had)
      }
    }
  }

  /** Whoever has one goes on with it; Hadoop would close it, and delete what it was told to, when the JVM ends. */
  private def closeAtExit(had: Seq[FileSystem]): Unit =
    if (had.nonEmpty)
      ShutdownHookManager.get.addShutdownHook(() => had.foreach(_.close()), FileSystem.SHUTDOWN_HOOK_PRIORITY)
}
