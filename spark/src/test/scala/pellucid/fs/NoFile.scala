package pellucid.fs

import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction

import org.apache.hadoop.fs.{FileRange, FSDataInputStream}

/** A file of a disk that hangs: ranges of it never come. */
final class NoFile(size: Int) extends BytesFile(new Array[Byte](size)) {
  override def read(b: Array[Byte], off: Int, len: Int): Int = -1
  override def readVectored(ranges: JList[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit =
    ranges.forEach(_.setData(new CompletableFuture[ByteBuffer]))
}

object NoFile {
  def open(size: Int): FSDataInputStream =
    ObservedInput.of(new FSDataInputStream(new NoFile(size)), new Source("disk:none", None, _ => "disk:none"), None)
}
