// Where the measured requests of tasks went.

function pathsSection() {
  if (report.paths.length === 0) return "";
  const most = 40;
  const shown = report.paths.slice(0, most);
  return section("paths", "I/O by path", `${seconds(sumOf(report.paths.filter((p) => p.kind !== "shuffleFetch"), (p) => p.seconds))} of task time blocked, measured`,
    plainTable([{ label: "kind" }, { label: "host" }, { label: "path" }, { label: "blocked", number: true }, { label: "bytes", number: true },
      { label: "requests", number: true }, { label: "mean request", number: true }],
    shown.map((p) => [p.kind, el("span", { class: "host", title: p.host }, shortHost(p.host)), p.path,
      p.kind === "shuffleFetch" ? el("span", { title: "time between arrivals: tasks may have computed in it" }, `(${seconds(p.seconds)})`) : seconds(p.seconds),
      bytes(p.bytes), number(p.requests), bytes(p.meanRequestBytes)])),
    andMore(report.paths, most));
}

function sumOf(rows, value) {
  return rows.reduce((sum, row) => sum + value(row), 0);
}
