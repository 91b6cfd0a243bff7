package pellucid.log

import java.io.{BufferedInputStream, FilterInputStream, InputStream}
import java.util.zip.GZIPInputStream

/** The compressions that Spark writes event logs in, told by their first bytes, never by the file's name. */
object Codec {
  private final val Peeked = 16

  /** @throws NotAnEventLog where it is packed in a way that is not read here */
  def decompress(raw: InputStream): InputStream = {
    val in = new BufferedInputStream(raw, 1 << 16)
    in.mark(Peeked)
    val head = new Array[Byte](Peeked)
    val n = math.max(0, in.readNBytes(head, 0, Peeked))
    in.reset()
    def starts(magic: Int*) = n >= magic.size && magic.indices.forall(i => head(i) == magic(i).toByte)

    if (starts(0x28, 0xb5, 0x2f, 0xfd)) {
      val zstd = new com.github.luben.zstd.ZstdInputStream(in)
      zstd.setContinuous(true) // a log still being written ends inside a frame
      new Decompressed(zstd)
    } else if (starts(0x1f, 0x8b)) new Decompressed(new GZIPInputStream(new UntilTheEnd(in), 1 << 16))
    else if (starts('L', 'Z', '4', 'B', 'l', 'o', 'c', 'k'))
      new Decompressed(net.jpountz.lz4.LZ4BlockInputStream.newBuilder().withStopOnEmptyBlock(false).build(in))
    else if (starts(0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0))
      new Decompressed(new org.xerial.snappy.SnappyInputStream(in), byChunk = true)
    else if (starts('P', 'K', 3, 4)) throw new NotAnEventLog("a ZIP archive: unpack it first")
    else if (starts('Z', 'V'))
      throw new NotAnEventLog("compressed with LZF: have Spark read and write it with another codec")
    else in
  }

  /** Waits until it knows whether there is more: Java takes another file in gzip for the end of a pipe where it comes later. */
  private final class UntilTheEnd(in: BufferedInputStream) extends FilterInputStream(in) {
    override def available(): Int = {
      if (in.available() == 0) {
        in.mark(1)
        if (in.read() >= 0) in.reset()
      }
      in.available()
    }
  }
}
