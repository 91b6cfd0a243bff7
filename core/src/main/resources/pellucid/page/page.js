// Puts the page together.

function assemble() {
  const page = document.getElementById("page");
  document.title = `${report.application.name || report.application.id || "Spark application"} - Pellucid report`;
  const tables = { jobs: jobsTable(), stages: stagesTable(), sql: sqlTable() };
  const swimLanes = timeline.lanes.length > 0 ? new TimelineView() : undefined;
  const top = header();
  page.append(top, adviceSection(),
    swimLanes?.element ?? section("timeline-section", "Timeline", "", el("p", { class: "empty" }, "No executor is in the log.")),
    el("div", { class: "pair" }, breakdownSection(report.breakdown), blockedSection()),
    stragglersSection(),
    el("div", { class: "pair" }, useSection(), el("div", {}, pathSection(), lostSection())),
    monotasksSection(),
    machinesSection(),
    pathsSection(),
    ...Object.values(tables).filter((t) => t.rows.length > 0).map((t) => t.element),
    footer());
  top.after(contents());
  swimLanes?.start();

  targets.stage = (name) => { swimLanes?.selectStage(name); tables.stages.reveal(name); };
  targets.job = (id) => tables.jobs.reveal(id);
  targets.sql = (id) => tables.sql.reveal(id);
  targets.task = (id) => swimLanes?.locateTask(Number(id));
  targets.time = (span) => swimLanes?.showSeconds(...span.split("..").map(Number));
  followLinks();

  addEventListener("beforeprint", () => page.querySelectorAll(".advice").forEach((advice) => { advice.open = true; }));
  if (swimLanes) {
    onThemeChange(() => swimLanes.colour());
    window.pellucidTimeline = swimLanes;
  }
}

assemble();
