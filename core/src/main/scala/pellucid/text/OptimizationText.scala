package pellucid.text

import pellucid.cost.{Choice, IoKind, Optimization, StagePrediction, Term}

/** An [[Optimization]] on a terminal. */
object OptimizationText {
  import Text._
  private final val MostRows = 12

  private val kinds = IoKind.all.map(k => k.key -> k.label).toMap

  def of(o: Optimization): String =
    Seq(head(o), choices(o), rules(o), stages(o), front(o), assumptions(o)).filter(_.nonEmpty).mkString("\n")

  private def head(o: Optimization): String =
    title(o.jobs.mkString(", "), s": recorded ${seconds(o.recordedSeconds)}") +
      wrap(s"Prices: ${o.prices}, ${o.pricesDate} (${o.pricesSource}).", 2) +
      f"  ${o.configurations}%,d configurations compared" +
      (if (o.tooSmall > 0) f", of which ${o.tooSmall}%,d have disks too small for the data" else "") + "\n"

  private def choices(o: Optimization): String = {
    val deadline = o.deadlineSeconds.map(limit =>
      (
        if (o.deadlineMet.contains(true)) s"cheapest within ${seconds(limit)}"
        else s"none within ${seconds(limit)}: fastest",
        o.chosen
      )
    )
    title("The best of them, predicted") +
      configurations(Seq("cheapest" -> o.cheapest, "fastest" -> o.fastest) ++ deadline)
  }

  private def rules(o: Optimization): String =
    if (o.rules.isEmpty) ""
    else title("What rules of thumb for the local disk would cost in place of the cheapest") +
      configurations(o.rules.map(r => s"${r.name}: ${saving(r.cheaper)}" -> r.choice))

  private def saving(cheaper: Double): String =
    if (cheaper >= 0) f"the cheapest saves ${100 * cheaper}%.0f %%" else f"it saves ${-100 * cheaper}%.0f %% more"

  private def stages(o: Optimization): String = {
    val shown = o.stages.sortBy(s => (-s.seconds, s.id)).take(MostRows)
    title(
      s"What bounds the stages there${if (o.stages.size > shown.size) s", the $MostRows longest of ${o.stages.size}"
        else ""}: ${
          where(o.chosen)
        }"
    ) + table(
      Seq("stage", "recorded", "predicted", "tasks", "bound by", "what"),
      shown.map(s =>
        Seq(
          s.id.toString,
          seconds(s.recordedSeconds),
          seconds(s.seconds),
          s.tasks.toString,
          Term.all.find(_.key == s.bound).fold(s.bound)(_.label),
          clip(s.name, 40)
        )
      ),
      left = 4
    ) + "\n" + io(shown, o.chosen.cores)
  }

  private def io(stages: Seq[StagePrediction], cores: Int): String = {
    val rows = stages.flatMap(s => s.io.map(s -> _))
    val known = rows.exists { case (_, io) => io.breakPoint.nonEmpty }
    if (rows.isEmpty) ""
    else
      title("Their I/O: a machine with more than B cores for the disk is no faster") + table(
        Seq("stage", "bytes", "request", "disk") ++ Option.when(known)("b") ++ Seq("B", ""),
        rows.map { case (s, io) =>
          Seq(
            s.id.toString,
            bytes(io.bytes.toLong),
            bytes(io.requestBytes.toLong),
            s"${bytes(io.bytesPerSecond.toLong)}/s"
          ) ++ Option.when(known)(io.breakPoint.fold("-")(b => f"$b%.1f")) ++ Seq(
            f"${io.turningPoint}%.1f",
            kinds.getOrElse(io.kind, io.kind) + (if (cores > io.turningPoint) f": $cores cores are too many" else "")
          )
        },
        left = if (known) 6 else 5
      )
  }

  private def front(o: Optimization): String =
    title(
      s"The Pareto front: no other is both as fast and as cheap${
          if (o.front.size > MostRows) s" ($MostRows of ${o.front.size}, all in the JSON)" else ""
        }"
    ) +
      configurations(sampled(o.front).map("" -> _))

  /** Ends included. */
  private def sampled(front: Seq[Choice]): Seq[Choice] =
    if (front.size <= MostRows) front
    else (0 until MostRows).map(i => front(i * (front.size - 1) / (MostRows - 1)))

  private def assumptions(o: Optimization): String =
    title("What was assumed") + o.assumptions.map(a => wrap(s"- $a", 2)).mkString

  private def configurations(rows: Seq[(String, Choice)]): String = table(
    Seq("time", "cost", "machines", "HDFS disk", "local disk", ""),
    rows.map { case (what, c) =>
      Seq(
        seconds(c.seconds),
        dollars(c.dollars),
        s"${c.machines} x ${clip(c.machine, 20)}, ${c.cores} cores",
        disk(c.hdfsDisk, c.hdfsGigabytes),
        disk(c.localDisk, c.localGigabytes),
        what
      )
    },
    left = 2
  )

  /** Cents, and of less than a dollar two digits at least: jobs of seconds cost fractions of a cent. */
  private def dollars(amount: Double): String = {
    val decimals = if (amount > 0) math.max(2, 1 - math.floor(math.log10(amount)).toInt) else 2
    "$" + s"%.${decimals}f".format(amount)
  }

  private def disk(name: String, gigabytes: Double) = f"${clip(name, 20)} $gigabytes%.0f GB"

  private def where(c: Choice): String =
    s"${c.machines} x ${c.cores} cores, HDFS ${disk(c.hdfsDisk, c.hdfsGigabytes)}, " +
      s"local ${disk(c.localDisk, c.localGigabytes)}"
}
