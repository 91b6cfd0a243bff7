package org.apache.spark.pellucid

import java.util.{Map => JMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileSystem, LocalFileSystem, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.spark.TaskContext
import org.apache.spark.rdd.InputFileBlockHolder

/** Stock file systems for tests: where `told`, a file that a task opens is its split, so that it is read in chunks. */
object WholeFiles {
  @volatile var told = false

  final class Local extends LocalFileSystem {
    override def open(path: Path, bufferSize: Int): FSDataInputStream = split(this, path)(super.open(path, bufferSize))
  }
  final class Hdfs extends DistributedFileSystem {
    override def open(path: Path, bufferSize: Int): FSDataInputStream = split(this, path)(super.open(path, bufferSize))
  }

  private def split(fs: FileSystem, path: Path)(open: => FSDataInputStream): FSDataInputStream = {
    val stream = open
    if (told && TaskContext.get() != null) InputFileBlockHolder.set(path.toString, 0, fs.getFileStatus(path).getLen)
    stream
  }

  /** Before the plugin looks which classes serve the schemes. */
  def install(): Unit = {
    FileSystem.getFileSystemClass("file", new Configuration(false)) // loads the table
    val table = classOf[FileSystem].getDeclaredField("SERVICE_FILE_SYSTEMS")
    table.setAccessible(true)
    val classes = table.get(null).asInstanceOf[JMap[String, Class[_ <: FileSystem]]]
    for (
      (scheme, stock, ours) <- Seq(
        ("file", classOf[LocalFileSystem], classOf[Local]),
        ("hdfs", classOf[DistributedFileSystem], classOf[Hdfs])
      )
    ) { classes.replace(scheme, stock, ours); () }
    FileSystem.closeAll()
  }
}
