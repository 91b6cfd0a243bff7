// How busy the slots were, what the tasks asked of the machines, and when none ran.

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));
}

function demandFacts(d) {
  return facts([
    ["CPU time", seconds(d.cpuSeconds)],
    ["input", bytes(d.inputBytes)],
    ["output", bytes(d.outputBytes)],
    ["shuffle written", bytes(d.shuffleWriteBytes)],
    ["shuffle read", bytes(d.shuffleReadBytes)],
    ["of that remote", bytes(d.shuffleRemoteBytes)],
    ["spilled to disk", bytes(d.diskSpilledBytes)],
    ["spilled, in memory", bytes(d.memorySpilledBytes)],
    ["disk/CPU second", plain(d.diskMBPerCpuSecond, " MB")],
    ["network/CPU second", plain(d.networkMbPerCpuSecond, " Mb")],
    ["shuffle/input", plain(d.shuffleToInput)],
    ["output/input", plain(d.outputToInput)]
  ]);
}

function gapRow(g) {
  const between = [
    g.inJob === undefined ? "" : ["in job ", jobLink(g.inJob)],
    g.afterJob === undefined ? "" : ["after job ", jobLink(g.afterJob)],
    g.beforeJob === undefined ? "" : [g.afterJob === undefined ? "before job " : " and before job ", jobLink(g.beforeJob)]
  ].flat();
  return [timeLink(g.fromSeconds, g.fromSeconds + g.seconds, seconds(g.fromSeconds)), seconds(g.seconds), el("span", {}, between)];
}

function useSection() {
  const c = report.coreUse;
  const d = report.driverOnly;
  return section("use", "Utilization and demand", "",
    barRows([
      { label: "slots in use", numbers: [share(c.runningShare, 1)], bar: bar({ share: c.runningShare, colour: "var(--running)" }) },
      { label: "on CPU", numbers: [share(c.onCpuShare, 1)], bar: bar({ share: c.onCpuShare, colour: "var(--phase-compute)" }) },
      { label: "no task ran", numbers: [share(d.seconds, report.application.seconds)],
        bar: bar({ share: report.application.seconds > 0 ? d.seconds / report.application.seconds : 0, className: "stays" }) }
    ]),
    demandFacts(report.demand),
    el("h3", {}, "Driver only"),
    el("p", { class: "small" }, `No task ran for ${seconds(d.seconds)} (${share(d.seconds, report.application.seconds)}): ${
      seconds(d.beforeFirstTaskSeconds)} before the first task, ${seconds(d.afterLastTaskSeconds)} after the last.`),
    d.longest.length > 0 ? plainTable([{ label: "at", number: true }, { label: "longest", number: true }, { label: "between" }], d.longest.slice(0, 6).map(gapRow)) : "");
}
