// Where task time went.

function breakdownRows(b) {
  return barRows(phases.filter((p) => b.phases[p.key] > 0).map((p) => {
    const s = b.phases[p.key];
    return {
      label: [swatch(phaseColour(p.key)), p.label],
      numbers: [share(s, b.taskSeconds), seconds(s)],
      bar: bar({ share: s / b.taskSeconds, colour: phaseColour(p.key) })
    };
  }));
}

/** What the waiting that the log does not name can be, at most. The bounds overlap. */
function waitingBounds(b) {
  const unlogged = b.phases.waiting + b.phases.computeOrWaiting;
  if (!(unlogged > 0)) return "";
  const w = b.waitingAtMost;
  const bounds = [["input", w.input], ["output", w.output], ["spill", w.spill], ["Python workers", w.pythonWorker]].filter(([, s]) => s > 0);
  const rest = "locks, broadcasts, or more threads than cores";
  if (bounds.length === 0)
    return el("p", { class: "small" }, `Of the ${seconds(unlogged)} not logged further: no input, output or spill in those tasks; ${rest}.`);
  return el("div", { class: "bounds" },
    el("p", { class: "small" }, `Of the ${seconds(unlogged)} not logged further, at most this much is (upper bounds, they overlap):`),
    barRows(bounds.map(([what, s]) => ({
      label: what,
      numbers: [share(s, unlogged), atMost(s)],
      bar: bar({ share: s / unlogged, className: "hatched", title: "upper bound" })
    }))),
    el("p", { class: "small" }, `The rest is ${rest}.`));
}

/** What tasks were seen at when their stacks were looked at. */
function sampledRows(b) {
  if (report.sampled.length === 0) return "";
  const colours = { python: "pythonWorker", driver: "driver", wait: "lock", io: "waiting", spillWait: "spill", decompress: "compute", deserialize: "compute" };
  return el("div", { class: "sampled" }, el("h3", {}, "Seen in the tasks' stacks"),
    barRows(report.sampled.slice(0, 12).map((s) => ({
      label: `${s.kind} ${s.what}`,
      numbers: [share(s.seconds, b.taskSeconds), seconds(s.seconds)],
      bar: bar({ share: s.seconds / b.taskSeconds, colour: phaseColour(colours[s.kind]) })
    }))));
}

function breakdownSection(b) {
  if (b.tasks === 0) return section("breakdown", "Where the task time went", "", el("p", { class: "empty" }, "No task is in the log."));
  return section("breakdown", "Where the task time went", `${seconds(b.taskSeconds)} in ${count(b.tasks, "task attempt")}`,
    phaseStack(b, "large"), breakdownRows(b), waitingBounds(b), sampledRows(b));
}
