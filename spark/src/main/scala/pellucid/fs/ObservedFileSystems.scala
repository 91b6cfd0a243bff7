package pellucid.fs

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.util.ShutdownHookManager
import org.apache.spark.pellucid.Fields

/** Hadoop's file systems with the streams that tasks open measured. Each stays what it was, a subclass of the class that serves
  * its scheme (PySpark's is Hive's, for one), known to this JVM only: no configuration names a class that another JVM may lack.
  */
object ObservedFileSystems {
  def install(): Unit = {
    FileSystem.getFileSystemClass("file", new Configuration(false)) // loads the table
    val table =
      Fields.get(classOf[FileSystem], null, "SERVICE_FILE_SYSTEMS").asInstanceOf[JMap[String, Class[_ <: FileSystem]]]
    table.replaceAll((_, stock) => Subclass.of(stock))
    ClassesByName.ofThisThread()
    ClassesByName.of(getClass.getClassLoader) // in local mode the driver's own configurations'
    val cache = Fields.get(classOf[FileSystem], null, "CACHE")
    val instances = Fields.get(cache.getClass, cache, "map").asInstanceOf[JMap[_, FileSystem]]
    cache.synchronized {
      val had = instances.values.asScala.filter(fs => Subclass.of(fs.getClass) ne fs.getClass).toSeq
      instances.values.removeAll(had.asJava)
      closeAtExit(had)
    }
  }

  /** Whoever has one goes on with it; Hadoop would close it, and delete what it was told to, when the JVM ends. */
  private def closeAtExit(had: Seq[FileSystem]): Unit =
    if (had.nonEmpty)
      ShutdownHookManager.get.addShutdownHook(() => had.foreach(_.close()), FileSystem.SHUTDOWN_HOOK_PRIORITY)
}
