package pellucid.log

import java.io.{IOException, InputStream}

import org.xerial.snappy.SnappyError

/** What a decompressor gives, up to where its data end early or are damaged: from there on only that error, however often it is asked. Decompressors that
  * are asked again go on behind the damage, or fail in ways of their own.
  *
  * @param byChunk it is asked for no more than what it has decompressed: of more it would lose what comes before an error
  */
private[log] final class Decompressed(in: InputStream, byChunk: Boolean = false) extends InputStream {
  private var broken = Option.empty[IOException]

  override def read(into: Array[Byte], at: Int, most: Int): Int = {
    broken.foreach(throw _)
    try in.read(into, at, if (byChunk) math.min(most, math.max(1, in.available())) else most)
    catch {
      case e: IOException => broken = Some(e); throw e
      // lengths that are damaged, too
      case e @ (_: RuntimeException | _: SnappyError | _: OutOfMemoryError) =>
        broken = Some(new IOException(s"the compressed data is damaged: $e", e))
        throw broken.get
    }
  }

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  /** Nothing without an error, perhaps: who has something hands it on before asking for more. */
  override def available(): Int = 0

  override def close(): Unit = in.close()
}
