package pellucid.cli

import java.time.{Instant, OffsetDateTime}

import scala.util.Try

/** A moment as the user writes it. */
sealed trait Moment { def epochMillis(startMillis: Long): Long }

object Moments {
  final case class SinceStart(millis: Long) extends Moment { def epochMillis(start: Long): Long = start + millis }
  final case class Absolute(epoch: Long) extends Moment { def epochMillis(start: Long): Long = epoch }

  private val Duration = """(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?""".r

  /** Seconds of `2h`, `1m30s`, `90`. */
  def seconds(text: String): Option[Double] = text match {
    case Duration(h, m, s) if text.nonEmpty =>
      def number(part: String) = Option(part).fold(0.0)(_.toDouble)
      Some(number(h) * 3600 + number(m) * 60 + number(s))
    case _ => None
  }

  /** @throws Usage naming the flag */
  def parse(flag: String, text: Option[String]): Option[Moment] = text.map { t =>
    seconds(t).map(s => SinceStart((s * 1000).toLong))
      .orElse(Try(Instant.parse(t)).orElse(Try(OffsetDateTime.parse(t).toInstant)).toOption.map(i =>
        Absolute(i.toEpochMilli)
      ))
      .getOrElse(throw new Usage(
        s"$flag $t: expected seconds since the start (90, 1m30s) or a time (2026-11-20T10:15:00Z)"
      ))
  }
}
