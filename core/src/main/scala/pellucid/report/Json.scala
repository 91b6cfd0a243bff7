package pellucid.report

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/** The JSON form of results: their fields by name, absent where they are empty options. */
object Json {
  implicit val report: JsonValueCodec[Report] = JsonCodecMaker.make(
    CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false).withMapMaxInsertNumber(1 << 20)
  )

  def write(value: Report): Array[Byte] = writeToArray(value)
  def read(bytes: Array[Byte]): Report = readFromArray[Report](bytes)
}
