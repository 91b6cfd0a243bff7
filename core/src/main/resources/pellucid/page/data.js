// What the page shows: pellucid.report.Report and pellucid.page.Timeline.

/** Where the page is: `file`, `live` (of an application that still runs) or `history`. */
const source = document.getElementById("page").dataset.source;
const report = JSON.parse(document.getElementById("report").textContent);
const timeline = JSON.parse(document.getElementById("timeline").textContent);
const phases = timeline.phases;
const shortHost = shortHosts(timeline.lanes.map((lane) => lane.host));
const stageByName = new Map(report.stages.map((s) => [stageName(s.id, s.attempt), s]));
