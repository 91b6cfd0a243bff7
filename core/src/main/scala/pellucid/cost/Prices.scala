package pellucid.cost

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import pellucid.disk.{DiskSpeed, JsonText, NotReadable, PublishedLimits, SizeLimit}

/** What a cloud asks for, in dollars. */
final case class Prices(
    name: String,
    date: String,
    source: String,
    notes: Seq[String],
    machines: IndexedSeq[MachineKind],
    disks: IndexedSeq[DiskKind]
)

/** Machines of one kind with some numbers of cores: what one of them costs per hour is in proportion to its cores. */
final case class MachineKind(
    name: String,
    cores: IndexedSeq[Int],
    memoryGigabytesPerCore: Option[Double],
    dollarsPerCoreHour: Double
)

/** Disks of one kind, in the sizes that are compared. */
final case class DiskKind(
    name: String,
    gigabytes: IndexedSeq[Double],
    dollarsPerGigabyteHour: Double,
    speed: DiskSpeed
)

/** The price file, docs/optimize.md. */
object Prices {

  /** As clouds count them: 365 days / 12. */
  final val HoursPerMonth = 730.0

  final case class File(
      schemaVersion: Int,
      name: String,
      date: String,
      source: String,
      notes: Vector[String] = Vector.empty,
      machines: Vector[MachineEntry],
      disks: Vector[DiskEntry]
  )

  final case class MachineEntry(
      name: String,
      cores: Vector[Int],
      memoryGigabytesPerCore: Option[Double] = None,
      dollarsPerCoreHour: Option[Double] = None,
      dollarsPerHour: Option[Double] = None
  )

  final case class DiskEntry(
      name: String,
      gigabytes: Vector[Double],
      dollarsPerGigabyteMonth: Option[Double] = None,
      dollarsPerGigabyteHour: Option[Double] = None,
      profile: Option[String] = None,
      limits: Option[Limits] = None
  )

  /** Megabytes of 10^6 bytes. */
  final case class Limits(
      readRequestsPerSecond: SizeLimit,
      writeRequestsPerSecond: SizeLimit,
      readMegabytesPerSecond: SizeLimit,
      writeMegabytesPerSecond: SizeLimit
  )

  private implicit val codec: JsonValueCodec[File] =
    JsonCodecMaker.make(CodecMakerConfig.withSkipUnexpectedFields(false))

  /** @param profile the disks of a profile that the file names
    * @throws NotReadable where the text is no price file, and whatever `profile` throws
    */
  def read(json: Array[Byte], profile: String => DiskSpeed): Prices = {
    val file = JsonText.read[File](json)
    if (file.schemaVersion != 1) mistake(s"schemaVersion ${file.schemaVersion}: only 1 is known")
    if (file.machines.isEmpty) mistake("machines: none at all")
    if (file.disks.isEmpty) mistake("disks: none at all")
    Prices(
      file.name,
      file.date,
      file.source,
      file.notes,
      file.machines.map(machine),
      file.disks.map(disk(_, profile))
    )
  }

  private def machine(m: MachineEntry): MachineKind = {
    if (m.cores.isEmpty || m.cores.exists(_ < 1)) mistake(s"machine '${m.name}': cores: one or more positive numbers")
    val perCore = (m.dollarsPerCoreHour, m.dollarsPerHour) match {
      case (Some(dollars), None) => dollars
      case (None, Some(dollars)) if m.cores.size == 1 => dollars / m.cores.head
      case (None, Some(_)) => mistake(s"machine '${m.name}': dollarsPerHour is for one number of cores")
      case _ => mistake(s"machine '${m.name}': one of dollarsPerCoreHour and dollarsPerHour")
    }
    positive(s"machine '${m.name}': dollars", perCore)
    MachineKind(m.name, m.cores, m.memoryGigabytesPerCore, perCore)
  }

  private def disk(d: DiskEntry, profile: String => DiskSpeed): DiskKind = {
    if (d.gigabytes.isEmpty) mistake(s"disk '${d.name}': gigabytes: none at all")
    d.gigabytes.foreach(positive(s"disk '${d.name}': gigabytes", _))
    val perHour = (d.dollarsPerGigabyteMonth, d.dollarsPerGigabyteHour) match {
      case (Some(dollars), None) => dollars / HoursPerMonth
      case (None, Some(dollars)) => dollars
      case _ => mistake(s"disk '${d.name}': one of dollarsPerGigabyteMonth and dollarsPerGigabyteHour")
    }
    positive(s"disk '${d.name}': dollars", perHour)
    val speed = (d.profile, d.limits) match {
      case (Some(name), None) => profile(name)
      case (None, Some(limits)) => published(d, limits)
      case _ => mistake(s"disk '${d.name}': one of profile and limits")
    }
    DiskKind(d.name, d.gigabytes, perHour, speed)
  }

  private def published(d: DiskEntry, limits: Limits): DiskSpeed = {
    def bytes(megabytes: SizeLimit) =
      SizeLimit(megabytes.perGigabyte * 1e6, megabytes.least * 1e6, megabytes.most * 1e6)
    val all = PublishedLimits(
      d.name,
      limits.readRequestsPerSecond,
      limits.writeRequestsPerSecond,
      bytes(limits.readMegabytesPerSecond),
      bytes(limits.writeMegabytesPerSecond)
    )
    for (
      limit <-
        Seq(all.readRequestsPerSecond, all.writeRequestsPerSecond, all.readBytesPerSecond, all.writeBytesPerSecond);
      gigabytes <- d.gigabytes
    ) positive(s"disk '${d.name}': limits at $gigabytes GB", limit.of(gigabytes))
    all
  }

  private def positive(what: String, x: Double): Unit =
    if (!(x > 0) || x.isInfinite) mistake(s"$what: $x is not positive")

  private def mistake(reason: String): Nothing = throw new NotReadable(0, reason)
}
