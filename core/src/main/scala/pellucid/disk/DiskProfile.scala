package pellucid.disk

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/** How fast one disk reads and writes, in bytes per second, by the size of the requests. */
final case class DiskProfile(name: String, read: BandwidthCurve, write: BandwidthCurve) {
  def readBytesPerSecond(requestBytes: Double): Double = read(requestBytes)
  def writeBytesPerSecond(requestBytes: Double): Double = write(requestBytes)

  /** Small requests are hardly slower: there is no head that has to move. */
  def isFlash: Boolean = read(DiskProfile.SmallRequest) > read.points.last.bytesPerSecond / 2

  /** So many such disks side by side. */
  def times(disks: Double): DiskProfile =
    if (disks == 1) this else DiskProfile(name, read.times(disks), write.times(disks))
}

/** The JSON form, docs/profile-disk.md. */
object DiskProfile {
  private final val SmallRequest = 64e3

  final case class File(schemaVersion: Int, name: String, read: Vector[BandwidthPoint], write: Vector[BandwidthPoint])

  private implicit val codec: JsonValueCodec[File] =
    JsonCodecMaker.make(CodecMakerConfig.withSkipUnexpectedFields(false).withTransientEmpty(false))

  /** @throws NotReadable where the text is no profile */
  def read(json: Array[Byte]): DiskProfile = {
    val file = JsonText.read[File](json)
    if (file.schemaVersion != 1) throw new NotReadable(0, s"schemaVersion ${file.schemaVersion}: only 1 is known")
    def curve(what: String, points: Vector[BandwidthPoint]) =
      BandwidthCurve.mistake(points).fold(BandwidthCurve(points))(m => throw new NotReadable(0, s"$what: $m"))
    DiskProfile(file.name, curve("read", file.read), curve("write", file.write))
  }

  def write(profile: DiskProfile): Array[Byte] =
    writeToArray(
      File(1, profile.name, profile.read.points.toVector, profile.write.points.toVector),
      WriterConfig.withIndentionStep(1)
    )
}
