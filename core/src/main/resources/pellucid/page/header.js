// Which application this is, and what the log does not tell of it.

function figure(value, label) {
  return el("div", { class: "figure" }, el("b", {}, value), el("span", {}, label));
}

function notUnderstood() {
  const i = report.intake;
  const unknown = Object.entries(i.unknownEvents).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    i.truncated && "The log is cut off in its last line.",
    i.malformedLines > 0 && `${count(i.malformedLines, "malformed line")} left out (${i.malformedExamples.join("; ")}).`,
    unknown.length > 0 && `Events not known to Pellucid: ${unknown.map(([k, n]) => `${n} x ${k}`).join(", ")}.`,
    ...i.notes
  ].filter(Boolean);
}

function warnings() {
  const w = report.window;
  const failed = report.jobs.filter((j) => j.failure !== undefined);
  return [
    w && `Only what ran between ${seconds(w.fromSeconds)} and ${seconds(w.toSeconds)}.`,
    !report.application.ended && source !== "live" && "The log stops before the application's end: what ran then is counted up to the log's last moment.",
    failed.length > 0 && ["Failed: ", ...listed(failed.slice(0, 10).map((j) => link("job", j.id, `job ${j.id}`))),
      failed.length > 10 ? ` and ${failed.length - 10} more` : "", "."],
    ...notUnderstood()
  ].filter(Boolean);
}

function header() {
  const a = report.application;
  const started = a.startMillis > 0 ? new Date(a.startMillis).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
  const list = warnings();
  return el("header", {},
    el("h1", {}, a.name || "(no application name in the log)"),
    el("p", { class: "identity" },
      [a.id, a.sparkVersion && `Spark ${a.sparkVersion}`, a.user && `user ${a.user}`, started && `started ${started}`].filter(Boolean).map((t) => el("span", {}, t))),
    el("div", { class: "figures" },
      figure(seconds(a.seconds), a.ended ? "duration" : source === "live" ? "up to now" : "up to the log's end"),
      figure(number(a.executors), `executor${a.executors === 1 ? "" : "s"} on ${count(a.hosts, "host")}`),
      figure(number(a.slots), a.slots === 1 ? "slot" : "slots"),
      figure(number(report.application.jobs), report.application.jobs === 1 ? "job" : "jobs"),
      figure(number(report.application.stages), report.application.stages === 1 ? "stage" : "stages"),
      figure(number(a.tasks), a.tasks === 1 ? "task" : "tasks"),
      figure(seconds(report.breakdown.taskSeconds), "of task time")),
    list.length > 0 ? el("ul", { class: "warnings" }, list.map((w) => el("li", {}, w))) : "",
    properties(a.properties));
}

function properties(map) {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return "";
  return el("details", { class: "properties" }, el("summary", {}, `${count(entries.length, "setting")}`),
    el("dl", {}, entries.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v)))));
}

function contents() {
  const links = [["advice", "Advice"], ["timeline-section", "Timeline"], ["breakdown", "Task time"], ["blocked", "Blocked time"],
    ["stragglers", "Stragglers"], ["use", "Utilization"], ["path", "Critical path"], ["monotasks", "Monotasks"], ["machines", "Machines"], ["paths", "I/O"], ["lost", "Work lost"], ["jobs", "Jobs"], ["stages", "Stages"], ["queries", "SQL"]];
  return el("nav", { "aria-label": "Contents" }, links.filter(([id]) => document.getElementById(id)).map(([id, text]) => el("a", { href: `#${id}` }, text)));
}
