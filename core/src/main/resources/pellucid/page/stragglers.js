// Tasks much slower than their stage's others, and why.

function causeRows(s) {
  const most = Math.max(...s.causes.map((c) => c.excessSeconds), 1e-9);
  return barRows(s.causes.map((c) => ({
    label: c.label,
    numbers: [count(c.tasks, "task"), seconds(c.excessSeconds)],
    bar: bar({ share: c.excessSeconds / most, className: "saved" })
  })));
}

function stragglerSummary(s) {
  if (s.count === 0) return "none";
  return `${number(s.count)}, ${share(s.explained, s.count)} explained, ${seconds(s.excessSeconds)} beyond the median rate`;
}

function slowNodes() {
  if (report.slowNodes.length === 0) return "";
  return el("div", {},
    el("h3", {}, "Nodes slow net of data size"),
    plainTable([{ label: "host" }, { label: "slowdown", number: true }, { label: "stages", number: true }, { label: "tasks", number: true }],
      report.slowNodes.map((n) => [n.host, `${n.slowdown.toFixed(2)}x`, number(n.stages), number(n.tasks)])));
}

function longestTasks() {
  if (report.longestTasks.length === 0) return "";
  return el("div", {},
    el("h3", {}, "The longest tasks"),
    plainTable([{ label: "task", number: true }, { label: "stage", number: true }, { label: "time", number: true }, { label: "median", number: true },
      { label: "read", number: true }, { label: "host" }, { label: "why" }],
    report.longestTasks.map((t) => [taskLink(t.taskId), stageLink(t.stageId, t.attempt), seconds(t.seconds), seconds(t.stageMedianSeconds),
      bytes(t.readBytes), el("span", { class: "host", title: `${t.host}, executor ${t.executor}` }, shortHost(t.host)), t.reason])));
}

function stragglersSection() {
  const s = report.stragglers;
  const why = s.causes.length > 0
    ? [causeRows(s), el("p", { class: "small" }, "Seconds are task time beyond the stages' median rate. A straggler may have several causes.")]
    : el("p", { class: "empty" }, s.count > 0 ? "What is logged explains none of them." : "No task was a straggler.");
  const narrow = s.causes.length === 0 && report.slowNodes.length === 0;
  return section("stragglers", "Stragglers", stragglerSummary(s),
    el("div", { class: narrow ? "" : "columns uneven" }, el("div", {}, why, slowNodes()), longestTasks()));
}
