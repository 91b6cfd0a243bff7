package pellucid.cli

import java.io.IOException
import java.nio.file.{AccessDeniedException, Files, LinkOption, NoSuchFileException, Path, Paths}
import java.nio.file.{StandardCopyOption, StandardOpenOption}

/** A file that `flag` names, to be written at the end.
  *
  * @param read what it must not replace
  * @throws Usage where it cannot be written, before anything is computed for it
  */
final class OutputFile(flag: String, file: String, read: Seq[Path] = Nil) {
  named {
    val path = Paths.get(file)
    if (Files.exists(path) && read.exists(input => Files.exists(input) && Files.isSameFile(path, input)))
      throw new Usage(s"$flag $file: that is the log itself")
    val isNew = Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
    Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close()
    if (isNew) Files.delete(path) // until there is something in it
  }

  /** All of it, or what was there before stays: a disk may be full. */
  def write(content: Array[Byte]): Unit = named {
    val path = Paths.get(file)
    val isThere = Files.isRegularFile(path)
    if (!isThere && !Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) Files.write(path, content) // a pipe, a terminal
    else {
      val end = if (isThere) path.toRealPath() else path.toAbsolutePath
      val beside = end.resolveSibling(s".${end.getFileName}.unfinished")
      try {
        Files.write(beside, content)
        if (isThere) Files.setPosixFilePermissions(beside, Files.getPosixFilePermissions(end))
        Files.move(beside, end, StandardCopyOption.REPLACE_EXISTING)
      } catch { case _: AccessDeniedException => Files.write(end, content) } // a file in a folder that is another's
      finally Files.deleteIfExists(beside)
    }
  }

  private def named(io: => Unit): Unit =
    try io
    catch {
      case _: NoSuchFileException => throw new Usage(s"$flag $file: no such folder")
      case e: IOException => throw new Usage(s"$flag $file: cannot be written: ${UserFile.reason(e)}")
    }

  override def toString: String = file
}
