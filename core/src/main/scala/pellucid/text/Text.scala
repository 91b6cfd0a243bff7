package pellucid.text

import pellucid.breakdown.Phase
import pellucid.compare.{Comparison, Side}
import pellucid.report._

/** The report on a terminal. */
object Text {
  private final val Width = 100
  private[text] final val MostRows = 12
  private final val MostAdvice = 8
  private final val MostPaths = 12
  private final val MostSampled = 8

  /** Of a stage's seconds, to be worth a line. */
  private final val LeastChange = 0.0005

  def report(r: Report): String =
    Seq(
      head(r),
      advice(r),
      breakdown("Where the task time went", r.breakdown) + sampled(r),
      completion(r),
      stragglers(r),
      use(r),
      monotasks(r),
      machines(r),
      paths(r),
      path(r),
      lost(r),
      jobs(r),
      stages(r),
      longest(r),
      log(r)
    ).filter(_.nonEmpty).mkString("\n")

  def stage(r: Report, id: Int): String =
    r.stages.map { s =>
      val title = s"Stage $id${if (s.attempt > 0) s", attempt ${s.attempt}" else ""}: ${s.name}"
      Seq(
        title + "\n" + s.description.fold("")(d => s"  ${clip(d, Width - 2)}\n") +
          f"  ${seconds(s.seconds)} from ${seconds(s.startSeconds)}, ${count(s.breakdown.tasks, "task attempt")}, jobs ${s.jobs.mkString(", ")}, after stages ${
              if (s.parents.isEmpty) "none" else s.parents.mkString(", ")
            }\n" +
          s"  task seconds: min ${seconds(s.taskSeconds.min)}, quarter ${seconds(s.taskSeconds.p25)}, median ${seconds(s.taskSeconds.median)}, " +
          s"three quarters ${seconds(s.taskSeconds.p75)}, max ${seconds(s.taskSeconds.max)}\n",
        breakdown("Where the task time went", s.breakdown),
        blocked(s.completion),
        causes(s.stragglers),
        demand(s.demand),
        resources("Monotasks", s.monotasks)
      ).filter(_.nonEmpty).mkString("\n")
    }.mkString("\n") + (if (r.longestTasks.isEmpty) "" else "\n" + longest(r)) +
      (if (r.advice.isEmpty) "" else "\n" + advice(r)) +
      "\n" + stops(r) + log(r)

  def summaries(all: Seq[Summary]): String =
    title(s"${all.size} logs, most to gain first") + table(
      Seq("could save", "time", "tasks", "task time", "failed jobs", "log", "what would help most"),
      all.map(s =>
        Seq(
          "<= " + seconds(s.bestSavingSeconds),
          seconds(s.seconds) + (if (s.ended) "" else "+"),
          s.tasks.toString,
          seconds(s.taskSeconds),
          s.failedJobs.toString,
          clip(s.log, 45),
          clip(s.bestAdvice.takeWhile(_ != ':'), 45)
        )
      ),
      left = 5
    ) + (if (all.exists(!_.ended)) "  + the log stops before the application's end\n" else "")

  def comparison(c: Comparison): String = {
    def row(what: String, before: Double, after: Double, more: String*) = {
      val ratio = if (before > 0) f"${after / before}%.2f" else "-"
      Seq(seconds(before), seconds(after), ratio, clip(what, 45)) ++ more
    }
    def labels(key: String) = Phase.all.find(_.key == key).fold(key)(_.label)
    val columns = Seq("before", "after", "ratio", "")
    val (a, b) = (c.before, c.after)
    val moved = c.stages.filter(s => math.abs(s.afterSeconds - s.beforeSeconds) > LeastChange).take(MostRows)
    Seq(
      title(s"Before: ${sideName(a)}") + lacks(a) + title(s"After:  ${sideName(b)}") + lacks(b) +
        table(
          columns,
          Seq(
            row("the application", a.seconds, b.seconds),
            row("its stages, added up", a.stageSeconds, b.stageSeconds),
            row("its tasks, added up", a.taskSeconds, b.taskSeconds)
          ),
          left = 3
        ),
      title("Task time") +
        table(columns, c.phases.map(p => row(labels(p.phase), p.beforeSeconds, p.afterSeconds)), left = 3),
      title(s"Stages, most changed first (${moved.size} of ${c.stages.size} that both have)") +
        table(
          columns.updated(3, "stage") :+ "bound before" :+ "after",
          moved.map(s =>
            row(s"${s.beforeId}/${s.afterId} ${s.name}", s.beforeSeconds, s.afterSeconds, s.beforeBound, s.afterBound)
          ),
          left = 3
        ) +
        unmatched("before", c.onlyBefore) + unmatched("after", c.onlyAfter)
    ).mkString("\n")
  }

  private def lacks(side: Side): String =
    (Option.when(
      !side.ended
    )("The log stops before the application's end: its times are up to the log's last moment.") ++ side.notes)
      .map(wrap(_, 2)).mkString

  private def sideName(side: Side) = s"${side.name} ${side.id}, ${count(side.tasks, "task")}"

  private def unmatched(when: String, names: Seq[String]): String =
    if (names.isEmpty) ""
    else wrap(
      s"Only $when: ${names.groupBy(identity).map { case (n, all) => s"$n (${all.size})" }.toSeq.sorted.mkString(", ")}.",
      2
    )

  private def head(r: Report): String = {
    val a = r.application
    val name = if (a.name.nonEmpty) a.name else "(no application name in the log)"
    s"${clip(name, Width)}\n" +
      Seq(
        a.id,
        if (a.sparkVersion.nonEmpty) s"Spark ${a.sparkVersion}" else "",
        seconds(a.seconds),
        s"${count(a.executors, "executor")} on ${count(a.hosts, "host")}",
        count(a.slots, "slot"),
        count(a.jobs, "job"),
        count(a.stages, "stage"),
        count(a.tasks, "task")
      ).filter(_.nonEmpty).mkString("  ", ", ", "\n") +
      r.window.fold("")(w => f"  only what ran between ${seconds(w.fromSeconds)} and ${seconds(w.toSeconds)}\n") +
      stops(r)
  }

  private def stops(r: Report): String =
    if (r.application.ended) ""
    else "  The log stops before the application's end: what ran then is counted up to the log's last moment.\n"

  private def advice(r: Report): String =
    title("What would help, most first (seconds of the application's time, predicted by replay)") +
      (if (r.advice.isEmpty) "  nothing that the log shows would save a thousandth of the time\n"
       else r.advice.take(MostAdvice).zipWithIndex.map { case (a, i) =>
         val saves = f"${if (a.upperBound) "<= " else ""}${seconds(a.savesSeconds)}"
         val share = percent(a.savesSeconds, r.completion.simulatedSeconds)
         f"  ${i + 1}%2d. $saves%10s $share%6s  ${a.title}\n" + wrap(a.detail, 25) +
           (if (a.tasks.nonEmpty) wrap(s"Tasks ${a.tasks.mkString(", ")}.", 25) else "")
       }.mkString +
         (if (r.advice.size > MostAdvice)
            s"  and ${r.advice.size - MostAdvice} smaller ones, in the page and the JSON\n"
          else ""))

  private def breakdown(name: String, b: Breakdown): String = {
    val rows = Phase.all.filter(p => b.phases(p.key) > 0)
    val unlogged = b.phases(Phase.Waiting.key) + b.phases(Phase.ComputeOrWaiting.key)
    title(s"$name: ${seconds(b.taskSeconds)} in ${count(b.tasks, "task attempt")}") +
      rows.map { p =>
        val s = b.phases(p.key)
        f"  ${p.label}%-40s ${percent(s, b.taskSeconds)}%6s ${seconds(s)}%10s  ${bar(s / b.taskSeconds, 36)}".stripTrailing +
          "\n"
      }.mkString +
      (if (unlogged <= 0) ""
       else {
         val bounds = b.waitingAtMost.parts.map { case (what, s) => s"$what at most ${seconds(s)}" }
         wrap(
           s"Of the ${seconds(unlogged)} not logged further: " +
             (if (bounds.isEmpty)
                "no input, output or spills in those tasks; locks, broadcasts, or more threads than cores"
              else bounds.mkString(", ") + "; the rest locks, broadcasts, or more threads than cores") + ".",
           2
         )
       })
  }

  /** In the words of `Sampled.kind`. */
  private def sampled(r: Report): String =
    if (r.sampled.isEmpty) ""
    else {
      val shown = r.sampled.take(MostSampled).map(s => s"${s.kind} ${s.what} ${seconds(s.seconds)}")
      wrap(s"Seen in the tasks' stacks: ${shown.mkString(", ")}.", 2)
    }

  private def completion(r: Report): String =
    blocked(r.completion) +
      (if (r.replay.jobs == 0) ""
       else f"  The replay's error against the recorded times of ${count(r.replay.jobs, "job")} over 1 s: median ${100 * r.replay.median}%.1f %%, " +
         f"95th percentile ${100 * r.replay.p95}%.1f %%, worst ${100 *
             r.replay.worst}%.1f %%${r.replay.worstJob.filter(_ => r.replay.worst > 0.0005).fold("")(j => s" (job $j)")}\n")

  private def blocked(c: Completion): String = {
    def line(name: String, s: Saving) =
      f"  $name%-24s ${seconds(s.loggedSeconds)}%10s ${percent(s.loggedSeconds, c.simulatedSeconds)}%6s     ${
          seconds(s.atMostSeconds)
        }%10s ${percent(s.atMostSeconds, c.simulatedSeconds)}%6s\n"
    title(s"Blocked-time analysis: recorded ${seconds(c.recordedSeconds)}, replayed ${seconds(c.simulatedSeconds)}") +
      f"  ${"would be shorter by"}%-24s ${"as logged"}%17s     ${"upper bound"}%17s\n" +
      line("without disk", c.noDisk) + line("without network", c.noNetwork) + line("without either", c.neither) +
      f"  ${"without stragglers"}%-24s ${""}%17s     ${seconds(c.noStragglersSeconds)}%10s ${percent(c.noStragglersSeconds, c.simulatedSeconds)}%6s\n"
  }

  private def stragglers(r: Report): String =
    causes(r.stragglers) +
      (if (r.slowNodes.isEmpty) ""
       else "  Nodes slow net of data size: " +
         r.slowNodes.take(5).map(n => f"${n.host} ${n.slowdown}%.2fx in ${count(n.stages, "stage")}").mkString(", ") +
         "\n")

  private def monotasks(r: Report): String =
    r.monotasks.fold("") { m =>
      val bottlenecks = r.stages.flatMap(s => s.bottleneck.map(_ -> s.seconds)).groupMapReduce(_._1)(_._2)(_ + _)
      val overdrawn = m.load.filter(_.overdrawn > 0).map(l => s"${l.resource} ${l.overdrawn}")
      def said(what: String, each: Seq[String]) =
        if (each.isEmpty) "" else wrap(each.mkString(s"$what: ", ", ", "."), 2)
      resources(
        "Monotasks: what each resource did, and how long that would take if it alone were used, perfectly",
        m.resources
      ) +
        said(
          "The bottleneck, by the stages' time",
          bottlenecks.toSeq.sortBy(-_._2).map { case (resource, s) => s"$resource ${seconds(s)}" }
        ) +
        said("One more began than there are slots, as nothing had ended for long, so many times", overdrawn)
    }

  private def resources(name: String, uses: Seq[ResourceUse]): String =
    if (uses.isEmpty) ""
    else
      title(name) + table(
        Seq("monotasks", "in use", "queued", "MB", "ideal", "resource"),
        uses.map(u =>
          Seq(
            u.monotasks.toString,
            seconds(u.busySeconds),
            seconds(u.queuedSeconds),
            f"${u.bytes / 1e6}%.0f",
            seconds(u.idealSeconds),
            u.resource
          )
        ),
        left = 5
      )

  private def machines(r: Report): String =
    if (r.machines.isEmpty) ""
    else {
      val shown = r.machines.sortBy(m => (m.checks.forall(_.agrees), -m.cpuShare)).take(MostRows)
      title("Machines while tasks ran, by their counters") +
        shown.map { m =>
          val cpu =
            s"CPU ${percent(m.cpuShare, 1).trim} of ${count(m.cores, "core")}, ${f"${m.runnable}%.1f"} threads ready" +
              (if (m.throttledSeconds > 0) s", throttled ${seconds(m.throttledSeconds)}" else "")
          val disks = m.disks.filter(d => d.reads + d.writes > 0).sortBy(-_.busyShare).take(3)
            .map(d =>
              s"${d.name} ${percent(d.busyShare, 1).trim} busy, ${bytes(d.readBytes)} read, ${bytes(d.writtenBytes)} written"
            )
          val nics = m.nics.map(n => s"${n.name} ${bytes(n.inBytes)} in, ${bytes(n.outBytes)} out")
          val served = Option.when(m.servedBytes > 0)(
            s"${bytes(m.servedBytes)} of shuffle files served" +
              (if (m.servedBlockedSeconds > 0) s", disks blocked it ${seconds(m.servedBlockedSeconds)}" else "") +
              (if (m.servedQueuedSeconds > 0) s", queued ${seconds(m.servedQueuedSeconds)}" else "")
          )
          s"  ${m.host}: ${(cpu +: disks ++: nics ++: served.toSeq).mkString("; ")}\n" +
            m.checks.flatMap(c => c.note.map(note => wrap(s"${c.resource}: ${against(c)}: $note", 4))).mkString
        }.mkString +
        (if (r.machines.size > shown.size) s"  and ${r.machines.size - shown.size} more, in the page and the JSON\n"
         else "")
    }

  private def against(c: Check): String = {
    def value(x: Double) = if (c.unit == "bytes") bytes(x.toLong) else seconds(x)
    if (c.unit == "bytes") s"tasks read ${value(c.tasks)}, ${value(c.machine)} came in"
    else s"tasks blocked ${value(c.tasks)}, disk busy ${value(c.machine)}"
  }

  private def paths(r: Report): String =
    if (r.paths.isEmpty) ""
    else {
      val shown = r.paths.take(MostPaths)
      title("I/O by path, measured") +
        shown.map { p =>
          val blocked = if (p.kind == "shuffleFetch") s"(${seconds(p.seconds)})" else seconds(p.seconds)
          f"  ${p.kind}%-12s ${p.host}%-16s ${p.path}%-20s $blocked%10s ${bytes(p.bytes)}%10s in ${p.requests}%d requests of ${bytes(p.meanRequestBytes)}\n"
        }.mkString +
        (if (r.paths.size > shown.size) s"  and ${r.paths.size - shown.size} more, in the page and the JSON\n" else "")
    }

  private def causes(s: Stragglers): String =
    title(s"Stragglers: ${s.count}, ${if (s.count == 0) ""
      else s"${percent(s.explained.toDouble, s.count.toDouble)} explained, "}${
        seconds(s.excessSeconds)
      } beyond the median rate") +
      s.causes.map(c => f"  ${c.label}%-40s ${c.tasks}%6d tasks ${seconds(c.excessSeconds)}%10s\n").mkString

  private def use(r: Report): String = {
    val c = r.coreUse
    title("Utilization and demand") +
      f"  slots in use ${percent(c.runningShare, 1).trim} of the time, on CPU ${percent(c.onCpuShare, 1).trim}; no task ran for ${
          seconds(r.driverOnly.seconds)
        } (${percent(r.driverOnly.seconds, r.application.seconds).trim})\n" +
      s"  slots in use  |${spark(c.running, c.slots)}|\n  on CPU        |${spark(c.onCpu, c.slots)}|\n" +
      demand(r.demand)
  }

  private def demand(d: Demand): String = {
    def ratio(x: Option[Double], unit: String) = x.fold("not known")(v => f"$v%.2f$unit")
    s"  input ${bytes(d.inputBytes)}, shuffle written ${bytes(d.shuffleWriteBytes)}, read ${bytes(d.shuffleReadBytes)} (${
        bytes(d.shuffleRemoteBytes)
      } remote), output ${bytes(d.outputBytes)}, spilled ${bytes(d.diskSpilledBytes)}\n" +
      (if (d.cpuSeconds <= 0) "  per CPU second: not known, the log has no CPU time\n"
       else
         s"  per CPU second: ${ratio(d.diskMBPerCpuSecond, " MB")} to and from disk, ${ratio(d.networkMbPerCpuSecond, " Mb")} shuffled over the network\n") +
      s"  shuffle/input ${ratio(d.shuffleToInput, "")}, output/input ${ratio(d.outputToInput, "")}\n"
  }

  private def path(r: Report): String =
    if (r.criticalPath.steps.isEmpty) ""
    else {
      val p = r.criticalPath
      val steps = p.steps.sortBy(-_.seconds).take(8).sortBy(_.fromSeconds)
      title(s"Critical path: ${count(p.stages, "stage")}, ${seconds(p.stageSeconds)} in stages, ${
          seconds(p.betweenSeconds)
        } between them") +
        wrap(
          steps
            .map(s => s"stage ${s.stageId} ${seconds(s.seconds)}")
            .mkString(if (steps.size < p.stages) "The longest: " else "", " -> ", ""),
          2
        )
    }

  private def lost(r: Report): String = {
    val w = r.workLost
    val gone = w.executors.filterNot(_.released)
    if (w.attempts.isEmpty && gone.isEmpty) ""
    else
      title(s"Work lost: ${count(w.tasks, "attempt")}, ${seconds(w.seconds)}") +
        w.attempts.take(MostRows).map(a =>
          f"  ${a.kind}%-24s ${a.tasks}%6d ${seconds(a.seconds)}%10s  ${clip(a.reason, 52)}\n"
        ).mkString +
        gone.take(MostRows).map(e =>
          s"  executor ${e.id} on ${e.host} lost at ${seconds(e.atSeconds)}: ${clip(e.reason, 60)}\n"
        ).mkString
  }

  private def jobs(r: Report): String =
    if (r.jobs.isEmpty) ""
    else title(if (r.jobs.size > MostRows) s"The $MostRows longest of ${r.jobs.size} jobs" else "Jobs") + table(
      Seq("job", "time", "replayed", "disk <=", "net <=", "straggl.", "tasks", "what"),
      r.jobs.sortBy(j => (-j.seconds, j.id)).take(MostRows).map(j =>
        Seq(
          j.id.toString,
          seconds(j.seconds),
          seconds(j.completion.simulatedSeconds),
          seconds(j.completion.noDisk.atMostSeconds),
          seconds(j.completion.noNetwork.atMostSeconds),
          seconds(j.completion.noStragglersSeconds),
          j.breakdown.tasks.toString,
          clip(
            j.failure.fold("")(f => s"FAILED ($f) ") +
              j.description.getOrElse(r.stages.find(s => j.stages.lastOption.contains(s.id)).fold("")(_.name)),
            44
          )
        )
      ),
      left = 7
    )

  private def stages(r: Report): String =
    if (r.stages.isEmpty) ""
    else title(if (r.stages.size > MostRows) s"The $MostRows longest of ${r.stages.size} stages" else "Stages") + table(
      Seq("stage", "time", "tasks", "median", "max", "CPU", "waiting", "fetch", "GC", "straggl.", "what"),
      r.stages.sortBy(s => (-s.seconds, s.id)).take(MostRows).map { s =>
        def share(p: Phase*) = percent(p.map(x => s.breakdown.phases(x.key)).sum, s.breakdown.taskSeconds)
        Seq(
          s.id.toString + (if (s.attempt > 0) s".${s.attempt}" else ""),
          seconds(s.seconds),
          s.breakdown.tasks.toString,
          seconds(s.taskSeconds.median),
          seconds(s.taskSeconds.max),
          share(Phase.Compute),
          share(Phase.Waiting, Phase.ComputeOrWaiting),
          share(Phase.ShuffleRead),
          share(Phase.Gc),
          s.stragglers.count.toString,
          clip(s.sqlExecution.fold("")(q => s"SQL $q: ") + s.description.fold("")(d => s"$d, ") + s.name, 40)
        )
      },
      left = 10
    )

  private def longest(r: Report): String =
    if (r.longestTasks.isEmpty) ""
    else title("The longest tasks") + table(
      Seq("task", "stage", "time", "median", "read", "host", "why"),
      r.longestTasks.map(t =>
        Seq(
          t.taskId.toString,
          t.stageId.toString,
          seconds(t.seconds),
          seconds(t.stageMedianSeconds),
          bytes(t.readBytes),
          clip(t.host, 28),
          clip(t.reason, 48)
        )
      ),
      left = 5
    )

  private def log(r: Report): String = {
    val i = r.intake
    val troubles = i.missing ++ i.unknown
    s"${bytes(i.bytes)} of log in ${i.lines} lines" +
      (if (troubles.isEmpty) ", all understood\n" else troubles.mkString("; ", "; ", "\n"))
  }

  private[text] def title(text: String): String = title(text, "")

  /** With an `end` that stays however long what comes before it is. */
  private[text] def title(text: String, end: String): String = s"${clip(text, Width - end.length)}$end\n"

  private[text] def table(header: Seq[String], rows: Seq[Seq[String]], left: Int): String = {
    val widths = header.indices.map(c => (header +: rows).map(_(c).length).max)
    (header +: rows).map { row =>
      row.indices.map(c =>
        if (c >= left) row(c).padTo(widths(c), ' ') else row(c).reverse.padTo(widths(c), ' ').reverse
      ).mkString("  ", "  ", "")
        .replaceAll("\\s+$", "") + "\n"
    }.mkString
  }

  def seconds(s: Double): String =
    if (s < 0.0005 && s > -0.0005) "0 s"
    else if (math.abs(s) < 1) f"${s * 1000}%.0f ms"
    else if (math.abs(s) < 100) f"$s%.1f s"
    else if (math.abs(s) < 6000) f"$s%.0f s"
    else f"${s / 3600}%.1f h"

  def bytes(b: Long): String =
    if (b == 0) "0"
    else if (b < 1000) s"$b B"
    else if (b < 1000000) f"${b / 1e3}%.1f kB"
    else if (b < 1000000000L) f"${b / 1e6}%.1f MB"
    else if (b < 1000000000000L) f"${b / 1e9}%.1f GB" else f"${b / 1e12}%.1f TB"

  private def percent(part: Double, whole: Double): String = if (whole <= 0) "-" else f"${100 * part / whole}%.1f %%"
  private[text] def count(n: Int, what: String): String = f"$n%,d $what${if (n == 1) "" else "s"}"
  private[text] def bar(share: Double, width: Int): String = "#" * math.round(share * width).toInt

  /** Without terminal escapes and other control characters, which the log's own text may hold. */
  def harmless(text: String): String = text.map(c => if (c.isControl && c != '\n') ' ' else c)

  /** Log text on one line. */
  private[text] def clip(text: String, width: Int): String = {
    val clean = text.replaceAll("[\\s\\p{Cntrl}]+", " ").trim
    if (clean.length <= width) clean else clean.take(width - 3) + "..."
  }

  private[text] def wrap(text: String, indent: Int): String = {
    val out = new StringBuilder
    var line = ""
    clip(text, 2000).split(' ').foreach { word =>
      if (line.nonEmpty && indent + line.length + 1 + word.length > Width) {
        out ++= " " * indent ++= line ++= "\n"; line = word
      } else line = if (line.isEmpty) word else s"$line $word"
    }
    (out ++= " " * indent ++= line ++= "\n").toString
  }

  /** One character per column of time, darker the larger the share of the slots. */
  private def spark(values: Seq[Double], of: Seq[Double]): String = {
    val columns = 80
    val shades = " .:-=+*#%@"
    (0 until columns).map { c =>
      val from = c * values.size / columns
      val to = math.max(from + 1, (c + 1) * values.size / columns)
      val whole = of.slice(from, to).sum
      val share = if (whole <= 0) 0.0 else values.slice(from, to).sum / whole
      shades(math.min(shades.length - 1, math.ceil(share * (shades.length - 1) - 1e-9).toInt.max(0)))
    }.mkString
  }
}
