package pellucid.fs

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

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
    table.replaceAll((_, stock) => measured(stock))
    ClassesByName.ofThisThread()
    ClassesByName.of(getClass.getClassLoader) // in local mode the driver's own configurations'
    val cache = Fields.get(classOf[FileSystem], null, "CACHE")
    val instances = Fields.get(cache.getClass, cache, "map").asInstanceOf[JMap[AnyRef, FileSystem]]
    val toClose = Fields.get(cache.getClass, cache, "toAutoClose").asInstanceOf[JSet[AnyRef]]
    cache.synchronized {
      val had = instances.asScala.filter { case (_, fs) => measured(fs.getClass) ne fs.getClass }.toMap
      had.keys.foreach(instances.remove(_))
      closeAtExit(had.collect { case (key, fs) if toClose.contains(key) => fs })
    }
  }

  private def measured(stock: Class[_ <: FileSystem]) = Subclass.of(stock).asSubclass(classOf[FileSystem])

  /** Whoever has one goes on with it; Hadoop would close it, and delete what it was told to, when the JVM ends. */
  private def closeAtExit(had: Iterable[FileSystem]): Unit =
    if (had.nonEmpty)
      ShutdownHookManager.get.addShutdownHook(
        () => had.foreach(fs => Try(fs.close())),
        FileSystem.SHUTDOWN_HOOK_PRIORITY
      )
}
