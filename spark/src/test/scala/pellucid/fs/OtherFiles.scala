package pellucid.fs

import java.net.URI
import java.util.concurrent.CompletableFuture

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.impl.OpenFileParameters
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** Local files by another scheme, `some`, which another thread opens where one is opened by a builder. */
class OtherFiles extends FileSystem {
  private lazy val files = FileSystem.getLocal(new Configuration).getRaw
  private def local(path: Path) = new Path("file", null, path.toUri.getPath)
  override def getUri: URI = URI.create("some:///")
  override def open(path: Path, size: Int): FSDataInputStream = files.open(local(path), size)
  override def openFileWithOptions(path: Path, how: OpenFileParameters): CompletableFuture[FSDataInputStream] =
    CompletableFuture.supplyAsync(() => open(path, 4096))
  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      size: Int,
      replication: Short,
      block: Long,
      progress: Progressable
  ): FSDataOutputStream = files.create(local(path), permission, overwrite, size, replication, block, progress)
  override def append(path: Path, size: Int, progress: Progressable): FSDataOutputStream =
    files.append(local(path), size, progress)
  override def rename(from: Path, to: Path): Boolean = files.rename(local(from), local(to))
  override def delete(path: Path, all: Boolean): Boolean = files.delete(local(path), all)
  override def listStatus(path: Path): Array[FileStatus] = files.listStatus(local(path))
  override def mkdirs(path: Path, permission: FsPermission): Boolean = files.mkdirs(local(path), permission)
  override def getFileStatus(path: Path): FileStatus = { Thread.sleep(20); files.getFileStatus(local(path)) }
  override def getWorkingDirectory: Path = new Path("some:///")
  override def setWorkingDirectory(path: Path): Unit = throw new UnsupportedOperationException
}

/** That can have no subclass. */
class HiddenFiles(val name: String) extends OtherFiles
class FinalFiles extends OtherFiles {
  final override def open(path: Path, size: Int): FSDataInputStream = super.open(path, size)
}

/** Whose class somebody may ask for. */
class NamedInput(in: FSDataInputStream) extends FSDataInputStream(in)
