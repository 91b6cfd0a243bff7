package pellucid.cli

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Path}

import pellucid.disk.NotReadable

/** A file that a user wrote, or a command of ours did for one. */
object UserFile {

  /** @throws Usage naming the file, and the line of a mistake */
  def read[A](path: Path)(parse: Array[Byte] => A): A =
    try parse(Files.readAllBytes(path))
    catch {
      case e: NotReadable => throw new Usage(s"$path: ${e.getMessage}")
      case _: NoSuchFileException => throw new Usage(s"$path: no such file")
      case e: IOException => throw new Usage(s"$path: cannot be read: ${e.getMessage}")
    }
}
