// The tables of jobs, stages and SQL queries.

const blockedColumns = [
  { label: "disk <=", number: true, title: "would be shorter by at most this without time blocked on disk (upper bound)",
    value: (r) => r.completion.noDisk.atMostSeconds, cell: (r) => seconds(r.completion.noDisk.atMostSeconds) },
  { label: "net <=", number: true, title: "would be shorter by at most this without time blocked on the network (upper bound)",
    value: (r) => r.completion.noNetwork.atMostSeconds, cell: (r) => seconds(r.completion.noNetwork.atMostSeconds) },
  { label: "straggl. <=", number: true, title: "would be shorter by at most this without stragglers (upper bound)",
    value: (r) => r.completion.noStragglersSeconds, cell: (r) => seconds(r.completion.noStragglersSeconds) }
];

const numeric = (label, value, format, title) => ({ label, value, cell: (r) => format(value(r)), number: true, title });
const phaseColumn = { label: "task time", value: (r) => r.breakdown.taskSeconds, className: "mini", title: "task time by phase; sorts by its sum",
  cell: (r) => phaseStack(r.breakdown, "small") };

function described(failure, main, more, unfinished) {
  return el("div", { class: "what" },
    failure === undefined ? "" : el("span", { class: "failed", title: failure }, "FAILED "),
    unfinished ? el("span", { class: "failed" }, "unfinished ") : "",
    el("span", { title: main }, main), more ? el("span", { class: "muted", title: more }, ` ${more}`) : "");
}

function failureText(failure) {
  return failure === undefined ? "" : el("pre", { class: "failure" }, failure);
}

/** What the details of a job and of a stage have in common. */
function details(r, ...extra) {
  return el("div", { class: "columns" },
    el("div", {}, el("h3", {}, `Task time: ${seconds(r.breakdown.taskSeconds)} in ${count(r.breakdown.tasks, "task attempt")}`),
      r.breakdown.tasks > 0 ? [breakdownRows(r.breakdown), waitingBounds(r.breakdown)] : ""),
    el("div", {}, el("h3", {}, "Blocked-time analysis"), blockedRows(r.completion)),
    el("div", {}, el("h3", {}, "Demand"), demandFacts(r.demand)),
    ...extra);
}

const numbered = (ids, one, many, toLink, none) =>
  el("p", {}, ids.length === 0 ? none : [ids.length === 1 ? one : many, " ", listed(ids.map(toLink))]);

function jobsTable() {
  const what = (j) => j.description ?? stageByName.get(stageName(j.stages[j.stages.length - 1] ?? -1, 0))?.name ?? "";
  return new DataTable({
    id: "jobs",
    title: "Jobs",
    rows: report.jobs,
    key: (j) => `${j.id}`,
    sortBy: "time",
    words: (j) => `job ${j.id} ${what(j)} ${j.failure ?? ""} sql ${j.sqlExecution ?? ""}`,
    columns: [
      numeric("job", (j) => j.id, String),
      numeric("start", (j) => j.startSeconds, seconds),
      numeric("time", (j) => j.seconds, seconds),
      numeric("replayed", (j) => j.completion.simulatedSeconds, seconds),
      ...blockedColumns,
      numeric("tasks", (j) => j.breakdown.tasks, number),
      numeric("stages", (j) => j.stages.length, number),
      phaseColumn,
      { label: "what", value: what, cell: (j) => described(j.failure, what(j), "", !j.ended), className: "wide" }
    ],
    detail: (j) => el("div", { class: "details" },
      failureText(j.failure),
      el("p", {}, what(j)),
      el("p", {}, timeLink(j.startSeconds, j.startSeconds + j.seconds, "show in the timeline")),
      j.sqlExecution === undefined ? "" : el("p", {}, "SQL query ", link("sql", j.sqlExecution, `${j.sqlExecution}`)),
      numbered(j.stages, "Stage", "Stages", (id) => stageLink(id), "No stages"),
      j.criticalPath.length > 0 ? numbered(j.criticalPath, "Critical path: stage", "Critical path: stages", (id) => stageLink(id), "") : "",
      details(j))
  });
}

function quantileText(q) {
  return `min ${seconds(q.min)}, quarter ${seconds(q.p25)}, median ${seconds(q.median)}, three quarters ${seconds(q.p75)}, max ${seconds(q.max)}`;
}

function stagesTable() {
  const words = (s) => `stage ${stageName(s.id, s.attempt)} ${s.sqlExecution === undefined ? "" : `SQL ${s.sqlExecution}`} ${s.description ?? ""} ${s.name} ${s.failure ?? ""}`;
  return new DataTable({
    id: "stages",
    title: "Stages",
    rows: report.stages,
    key: (s) => stageName(s.id, s.attempt),
    sortBy: "time",
    words,
    columns: [
      { label: "stage", value: (s) => s.id + s.attempt / 1000, cell: (s) => stageName(s.id, s.attempt), number: true },
      numeric("start", (s) => s.startSeconds, seconds),
      numeric("time", (s) => s.seconds, seconds),
      numeric("tasks", (s) => s.breakdown.tasks, number),
      numeric("median", (s) => s.taskSeconds.median, seconds, "median task time"),
      numeric("max", (s) => s.taskSeconds.max, seconds, "longest task"),
      phaseColumn,
      ...blockedColumns,
      numeric("straggl.", (s) => s.stragglers.count, number, "stragglers"),
      { label: "what", value: (s) => s.name, className: "wide", cell: (s) => described(s.failure, s.name,
        (s.sqlExecution === undefined ? "" : `SQL ${s.sqlExecution}: `) + (s.description ?? ""), !s.ended) }
    ],
    detail: (s) => el("div", { class: "details" },
      failureText(s.failure),
      el("p", {}, s.name, s.description ? el("span", { class: "muted" }, ` ${s.description}`) : ""),
      el("p", {}, timeLink(s.startSeconds, s.startSeconds + s.seconds, "show in the timeline"), `, ${seconds(s.seconds)} from ${seconds(s.startSeconds)}`),
      el("p", {}, `Task seconds: ${quantileText(s.taskSeconds)}`),
      numbered(s.jobs, "Job", "Jobs", jobLink, "No job"),
      numbered(s.parents, "After stage", "After stages", (id) => stageLink(id), "After no other stage"),
      details(s, el("div", {}, el("h3", {}, `Stragglers: ${stragglerSummary(s.stragglers)}`), causeRows(s.stragglers))))
  });
}

function sqlTable() {
  return new DataTable({
    id: "queries",
    title: "SQL queries",
    rows: report.sql,
    key: (q) => `${q.id}`,
    sortBy: "time",
    words: (q) => `sql ${q.id} ${q.description} ${q.failure ?? ""}`,
    columns: [
      numeric("query", (q) => q.id, String),
      numeric("start", (q) => q.startSeconds, seconds),
      numeric("time", (q) => q.seconds, seconds),
      numeric("jobs", (q) => q.jobs.length, number),
      { label: "what", value: (q) => q.description, cell: (q) => described(q.failure, q.description, ""), className: "wide" }
    ],
    detail: (q) => el("div", { class: "details" },
      failureText(q.failure),
      el("p", { class: "text" }, q.description),
      el("p", {}, timeLink(q.startSeconds, q.startSeconds + q.seconds, "show in the timeline")),
      numbered(q.jobs, "Job", "Jobs", jobLink, "No jobs"))
  });
}
