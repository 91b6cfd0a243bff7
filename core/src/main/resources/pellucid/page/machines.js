// What machines did while tasks ran, by the kernel's counters, and whether that agrees with what was measured of tasks.

function machinesSection() {
  if (report.machines.length === 0) return "";
  const most = 100;
  const shown = report.machines.slice(0, most);
  const disagree = report.machines.filter((m) => m.checks.some((c) => !c.agrees)).length;
  return section("machines", "Machines", `while tasks ran, by their own counters; ${
    disagree === 0 ? "they agree with what was measured of tasks" : `${disagree} of ${count(report.machines.length, "machine")} disagree with what was measured of tasks`}`,
    plainTable([{ label: "host" }, { label: "CPU", number: true }, { label: "cores", number: true }, { label: "threads ready", number: true },
      { label: "throttled", number: true }, { label: "heap, most", number: true }, { label: "GC", number: true }, { label: "shuffle files served" }, { label: "disks" }, { label: "network" }],
    shown.map((m) => [el("span", { class: "host", title: m.host }, shortHost(m.host)),
      share(m.cpuShare, 1), number(m.cores), plain(m.runnable),
      seconds(m.throttledSeconds), bytes(m.maxHeapBytes), seconds(m.gcSeconds), served(m), diskUses(m), nicUses(m)])),
    el("ul", { class: "checks" }, shown.flatMap((m) => m.checks.filter((c) => !c.agrees).map((c) =>
      el("li", {}, el("b", {}, `${shortHost(m.host)}, ${c.resource}: `), `${against(c)}: ${c.note}.`)))),
    andMore(report.machines, most));
}

function served(m) {
  if (m.servedBytes === 0) return "";
  return bytes(m.servedBytes) + (m.servedBlockedSeconds > 0 ? `, disks blocked it ${seconds(m.servedBlockedSeconds)}` : "") +
    (m.servedQueuedSeconds > 0 ? `, queued ${seconds(m.servedQueuedSeconds)}` : "");
}

function diskUses(m) {
  return el("div", {}, m.disks.filter((d) => d.reads + d.writes > 0).map((d) => el("div", {},
    `${d.name} ${share(d.busyShare, 1)} busy, ${bytes(d.readBytes)} read, ${bytes(d.writtenBytes)} written`)));
}

function nicUses(m) {
  return el("div", {}, m.nics.map((n) => el("div", {}, `${n.name} ${bytes(n.inBytes)} in, ${bytes(n.outBytes)} out`)));
}

function against(check) {
  return check.unit === "bytes" ? `tasks read ${bytes(check.tasks)}, ${bytes(check.machine)} came in`
    : `tasks blocked ${seconds(check.tasks)}, disk busy ${seconds(check.machine)}`;
}
