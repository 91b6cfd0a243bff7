// The tables of stages and jobs.

function bottleneckCell(now, next) {
  const named = (digit) => (digit === "-" ? "none" : [resourceSwatch(grid.bottlenecks[digit]), grid.bottlenecks[digit]]);
  return el("span", { class: "bottleneck" }, now === next ? named(next) : [named(now), " → ", named(next)]);
}

/** What it takes now above what it is predicted to take, of the longest. */
function pairOfBars(row, longest) {
  const of = (s, className) => bar({ share: longest > 0 ? s / longest : 0, className });
  return el("div", { class: "before-after" }, of(row.seconds, "stays"), of(millis(row.replayMillis), "chosen"));
}

/** A row for each number of machines. */
function alongMachines(row) {
  const axis = grid.axes[MachinesAxis];
  const all = axis.values.map((v, i) => ({ label: count(Number(v.label), "machine"), i, at: position.configuration(MachinesAxis, i) }));
  const longest = Math.max(...all.map((r) => millis(row.replayMillis, r.at)));
  return el("div", { class: "details" }, el("p", {}, row.name ?? ""), el("h3", {}, "Predicted, and ideal time, with all else as the controls are"),
    barRows(all.map((r) => ({
      label: r.label,
      numbers: [seconds(millis(row.replayMillis, r.at)), seconds(millis(row.idealNextMillis, r.at))],
      bar: bar({ share: longest > 0 ? millis(row.replayMillis, r.at) / longest : 0, className: r.i === position.at[MachinesAxis] ? "chosen" : "model" })
    }))));
}

function timeColumns(rows) {
  const longest = Math.max(...rows.map((r) => r.seconds));
  const column = (label, value, title) => ({ label, value, cell: (r) => seconds(value(r)), number: true, title });
  return [
    column("now", (r) => r.seconds, "as recorded"),
    column("predicted", (r) => millis(r.replayMillis), "by replay"),
    { label: "now and predicted", value: (r) => millis(r.replayMillis) - r.seconds, className: "mini", title: "sorts by what is saved", cell: (r) => pairOfBars(r, longest) },
    column("ideal time", (r) => millis(r.idealNextMillis), "what the bottleneck alone takes then: no run is shorter")
  ];
}

/** @param all of which the table has the longest */
function rowsTable(rows, all, table) {
  if (rows.length === 0) return undefined;
  const made = new DataTable({ rows, sortBy: "now", words: table.key, detail: alongMachines, ...table });
  if (rows.length < all) made.element.append(el("p", { class: "small" }, `The ${number(rows.length)} longest of ${number(all)}: the JSON of one answer has all.`));
  return { element: made.element, update: () => made.draw() };
}

function stageRows() {
  const at = () => position.configuration();
  return rowsTable(grid.stages, grid.stagesInAll, {
    id: "stages",
    title: "Stages",
    key: (s) => stageName(s.id, s.attempt),
    words: (s) => `stage ${stageName(s.id, s.attempt)} ${s.name}`,
    columns: [
      { label: "stage", value: (s) => s.id + s.attempt / 1000, cell: (s) => stageName(s.id, s.attempt), number: true },
      ...timeColumns(grid.stages),
      { label: "bottleneck", value: (s) => s.bottleneckNow + s.bottleneck[at()], cell: (s) => bottleneckCell(s.bottleneckNow, s.bottleneck[at()]) },
      { label: "what", value: (s) => s.name, cell: (s) => el("div", { class: "what", title: s.name }, s.name), className: "wide" }
    ]
  });
}

function jobRows() {
  return rowsTable(grid.jobs, grid.jobsInAll, {
    id: "jobs",
    title: "Jobs",
    key: (j) => `${j.id}`,
    columns: [{ label: "job", value: (j) => j.id, cell: (j) => `${j.id}`, number: true }, ...timeColumns(grid.jobs)]
  });
}
