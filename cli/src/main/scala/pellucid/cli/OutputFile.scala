package pellucid.cli

import java.io.IOException
import java.nio.file.{Files, LinkOption, NoSuchFileException, Path, Paths, StandardOpenOption}

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

  def write(content: Array[Byte]): Unit = named(Files.write(Paths.get(file), content))

  private def named(io: => Unit): Unit =
    try io
    catch {
      case _: NoSuchFileException => throw new Usage(s"$flag $file: no such folder")
      case e: IOException => throw new Usage(s"$flag $file: cannot be written: ${UserFile.reason(e)}")
    }

  override def toString: String = file
}
