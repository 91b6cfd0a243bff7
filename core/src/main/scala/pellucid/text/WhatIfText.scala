package pellucid.text

import pellucid.model.{Axes, Machines, Prediction, WhatIf}

/** Predictions on a terminal. */
object WhatIfText {
  import Text._

  def one(w: WhatIf): String = Seq(
    title(s"${w.name} ${w.id}") + machines(w),
    title("Predicted") +
      predictions(("the application", w.application) +: longest(w.jobs.map(j => (s"job ${j.id}", j.prediction)))),
    title(s"Stages, longest first (${math.min(MostRows, w.stages.size)} of ${w.stages.size})") + table(
      predictionColumns ++ Seq("CPUs/disk", "stage", "bottleneck"),
      w.stages.sortBy(s => (-s.prediction.seconds, s.id, s.attempt)).take(MostRows).map(s =>
        cells(s.prediction) ++ Seq(
          s.turningPoint.fold("")(b => f"$b%.1f"),
          clip(s"${s.id} ${s.name}", 40),
          bottleneck(s.bottleneckNow, s.bottleneckNext)
        )
      ),
      left = predictionColumns.size + 1
    ),
    "  replay: recorded steps on those machines, with their queues; ideal: every resource used perfectly; slots: by cores alone.\n" +
      "  Each scales what was recorded. Ideal time: what the bottleneck alone takes, so no run is shorter.\n" +
      "  CPUs/disk: with more CPUs per disk than this the disks are the bottleneck, and more will not help (Doppio's B).\n" +
      s"  Of the recorded machines the replay takes ${seconds(w.application.replayNow)} instead of ${seconds(w.application.seconds)}.\n",
    title("If a resource were infinitely fast: seconds") + table(
      Seq("replay", "ideal", "blocked time", "at least", ""),
      w.bounds.map(b =>
        Seq(seconds(b.replay), seconds(b.ideal)) ++ Seq(b.blockedTime, b.blockedTimeAtLeast).map(_.fold("")(seconds)) :+
          s"no ${b.resource}"
      ),
      left = 4
    ),
    title("How sure") + wrap(sure(w), 2),
    assumed(Seq(w))
  ).filter(_.nonEmpty).mkString("\n")

  /** Of answers that differ in `what`. */
  def sweep(what: String, all: Seq[WhatIf], value: Machines => Option[Int]): String =
    title(
      s"${all.head.name} ${all.head.id}",
      s": now ${value(all.head.now).fold("")(n => s"$n $what, ")}${seconds(all.head.application.seconds)}"
    ) + table(
      Seq(what, "replay", "ideal", "slots", "ideal time", ""),
      all.map { w =>
        val p = w.application
        val longest = all.map(_.application.replay).max
        Seq(
          value(w.next).fold("")(_.toString),
          seconds(p.replay),
          seconds(p.ideal),
          seconds(p.slots),
          seconds(p.idealNext),
          bar(p.replay / longest, 40)
        )
      },
      left = 5
    ) + "\n" + assumed(all)

  private val predictionColumns = Seq("now", "replay", "ideal", "slots", "ideal time now", "then")

  private def cells(p: Prediction) = Seq(p.seconds, p.replay, p.ideal, p.slots, p.idealNow, p.idealNext).map(seconds)

  private def predictions(of: Seq[(String, Prediction)]) = table(
    predictionColumns :+ "",
    of.map { case (name, p) => cells(p) :+ name },
    left = predictionColumns.size
  )

  private def longest(of: Seq[(String, Prediction)]) = of.sortBy(-_._2.seconds).take(MostRows)

  private def machines(w: WhatIf): String = {
    val software = Seq[(String, Machines => Option[String])](
      "partitions" -> (_.partitions.map(_.toString)),
      "shuffles" -> (m => Option.when(m.plainShuffles)("not compressed"))
    ).filter { case (_, of) => of(w.next).isDefined }
    def row(name: String, m: Machines) =
      properties(m) ++ software.map { case (_, of) => of(m).getOrElse("as they were") } :+ name
    table(
      Seq("machines", "cores", "disks", "disk", "network", "input") ++ software.map(_._1) :+ "",
      Seq(row("now", w.now), row("what if", w.next)),
      left = 6 + software.size
    )
  }

  private def properties(m: Machines) = Seq(
    m.count.toString,
    m.cores.toString,
    m.disks.toString,
    m.disk.getOrElse("not known"),
    m.networkMbits.fold("not known")(Axes.speed),
    if (m.inputInMemory) "in memory" else "as it was"
  )

  private def bottleneck(now: Option[String], next: Option[String]) = (now, next) match {
    case (Some(a), Some(b)) if a != b => s"$a -> $b"
    case _ => now.getOrElse("")
  }

  private def sure(w: WhatIf) = w.validation.fold("No such change has been compared with what was measured.") { v =>
    def percent(part: Double) = f"${part * 100}%.0f %%"
    s"${seconds(v.low)} to ${seconds(v.high)}: of ${v.predictions} replays of such a change that were compared with what was " +
      s"measured, half were within ${percent(v.medianError)}, all within ${percent(v.worstError)}, and eight in ten would lie between these."
  }

  private def assumed(all: Seq[WhatIf]) = {
    val assumptions = all.flatMap(_.assumptions).distinct
    if (assumptions.isEmpty) "" else title("Taken for granted") + assumptions.map(a => wrap(s"- $a", 2)).mkString
  }
}
