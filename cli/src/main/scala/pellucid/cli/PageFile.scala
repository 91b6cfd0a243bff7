package pellucid.cli

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Paths, StandardOpenOption}

/** The file that `--html` names. */
object PageFile {

  /** @throws Usage where it cannot be written, before anything is computed for it */
  def check(file: String): Unit = named(file) {
    val path = Paths.get(file)
    val isNew = Files.notExists(path)
    Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close()
    if (isNew) Files.delete(path) // until there is a page for it
  }

  def write(file: String, page: Array[Byte]): Unit = named(file)(Files.write(Paths.get(file), page))

  private def named(file: String)(io: => Unit): Unit =
    try io
    catch {
      case _: NoSuchFileException => throw new Usage(s"--html $file: no such folder")
      case e: IOException => throw new Usage(s"--html $file: cannot be written: ${UserFile.reason(e)}")
    }
}
