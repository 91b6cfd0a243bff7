package pellucid.model

import java.nio.charset.StandardCharsets.UTF_8

/** How far a prediction is from what is measured, by the predictions of such a change that were compared with it in the lab
  * (docs/experiments/whatif.md).
  *
  * @param predictions of the lab, of as large a range of jobs as it has
  * @param medianError and `worstError`: of these, as fractions of what was measured
  * @param low of the seconds between which eight in ten of the lab's would lie, and `high`
  */
final case class Validation(predictions: Int, medianError: Double, worstError: Double, low: Double, high: Double)

object Validation {

  /** @param error of the replay: predicted over measured, less one */
  private final case class Case(variant: String, changes: Set[String], error: Double)

  private lazy val cases: IndexedSeq[Case] = {
    val in = getClass.getResourceAsStream("/pellucid/model/whatif-predictions.csv")
    try new String(in.readAllBytes(), UTF_8).linesIterator.drop(1).map { line =>
        val fields = line.split(',')
        Case(fields(0), fields(1).split('+').toSet, fields(2).toDouble)
      }.toIndexedSeq
    finally in.close()
  }

  /** Of such logs (`monotasks`, `observed`, `stock`) and changes of the same properties; where the lab had none and they are several of the machines', of any several. */
  def of(variant: String, changes: Set[String], seconds: Double): Option[Validation] = {
    val logs = cases.filter(_.variant == variant)
    val same = logs.filter(_.changes == changes)
    val like = if (same.isEmpty && changes.size > 1 && !changes("partitions") && !changes("compression"))
      logs.filter(_.changes.size > 1)
    else same
    Option.when(like.nonEmpty)(from(like.map(_.error), seconds))
  }

  private[model] def from(errors: IndexedSeq[Double], seconds: Double): Validation = {
    val sizes = errors.map(_.abs).sorted
    val measured = errors.map(e => seconds / (1 + e)).sorted
    val tenth = (measured.size - 1) / 10
    Validation(errors.size, sizes(sizes.size / 2), sizes.last, measured(tenth), measured(measured.size - 1 - tenth))
  }
}
