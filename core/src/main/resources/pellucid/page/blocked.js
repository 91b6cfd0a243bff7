// Blocked-time analysis: how much shorter without a resource.

/** The replayed time as a bar: what stays, what goes at most, what goes as logged. */
function savingBar(logged, most, whole) {
  return bar(
    { share: (whole - most) / whole, className: "stays", title: `stays: ${seconds(whole - most)}` },
    { share: (most - logged) / whole, className: "hatched", title: `upper bound: ${atMost(most)}` },
    { share: logged / whole, className: "saved", title: `as logged: ${seconds(logged)}` });
}

function blockedRows(c) {
  const whole = c.simulatedSeconds;
  const widest = Math.max(c.recordedSeconds, whole, 1e-9);
  const time = (label, s) => ({ label, numbers: ["", seconds(s)], bar: bar({ share: s / widest, className: "stays" }) });
  const saving = (label, logged, most) => ({
    label,
    numbers: [logged === undefined ? "" : seconds(logged), `${atMost(most)}  ${share(most, whole)}`],
    bar: el("div", { style: { width: `${(100 * whole) / widest}%` } }, savingBar(logged ?? 0, most, Math.max(whole, 1e-9)))
  });
  return el("div", { class: "blocked" },
    barRows([time("recorded", c.recordedSeconds), time("replayed", whole)]),
    el("div", { class: "row head" }, el("span", { class: "label" }, "would be shorter by"),
      el("span", { class: "numbers" }, el("b", {}, "as logged"), el("b", {}, "upper bound"))),
    barRows([
      saving("without disk", c.noDisk.loggedSeconds, c.noDisk.atMostSeconds),
      saving("without network", c.noNetwork.loggedSeconds, c.noNetwork.atMostSeconds),
      saving("without either", c.neither.loggedSeconds, c.neither.atMostSeconds),
      saving("without stragglers", undefined, c.noStragglersSeconds)
    ]));
}

function blockedKey() {
  return el("p", { class: "key small" },
    el("i", { class: "swatch stays" }), "stays", el("i", { class: "swatch hatched" }), "would go at most (upper bound)",
    el("i", { class: "swatch saved" }), "would go, as logged");
}

function replayError(r) {
  if (r.jobs === 0) return el("p", { class: "small" }, "No job over 1 s to check the replay against.");
  const percent = (x) => `${(100 * x).toFixed(1)} %`;
  return el("p", { class: "small" },
    `The replay's error against the recorded times of ${count(r.jobs, "job")} over 1 s: median ${percent(r.median)}, 95th percentile ${
      percent(r.p95)}, worst ${percent(r.worst)}`,
    ...(r.worst > 0.0005 && r.worstJob !== undefined ? [" (job ", jobLink(r.worstJob), ")"] : []), ".");
}

function blockedSection() {
  const c = report.completion;
  return section("blocked", "Blocked-time analysis", `recorded ${seconds(c.recordedSeconds)}, replayed ${seconds(c.simulatedSeconds)}`,
    blockedRows(c), blockedKey(), replayError(report.replay));
}
