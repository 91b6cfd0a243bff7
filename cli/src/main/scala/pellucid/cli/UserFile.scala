package pellucid.cli

import java.io.IOException
import java.nio.file.{AccessDeniedException, Files, FileSystemException, NoSuchFileException, Path}

import pellucid.disk.NotReadable

/** A file that a user wrote, or a command of ours did for one. */
object UserFile {

  /** @throws Usage naming the file, and the line of a mistake */
  def read[A](path: Path)(parse: Array[Byte] => A): A =
    try parse(Files.readAllBytes(path))
    catch {
      case e: NotReadable => throw new Usage(s"$path: ${e.getMessage}")
      case e: IOException => throw new Usage(s"$path: ${unreadable(e)}")
    }

  def unreadable(e: IOException): String =
    if (e.isInstanceOf[NoSuchFileException]) reason(e) else s"cannot be read: ${reason(e)}"

  /** What went wrong, where Java's message is only the file's name. */
  def reason(e: IOException): String = e match {
    case _: NoSuchFileException => "no such file"
    case _: AccessDeniedException => "permission denied"
    case of: FileSystemException => Option(of.getReason).getOrElse(of.toString)
    case _ => Option(e.getMessage).getOrElse(e.toString)
  }
}
