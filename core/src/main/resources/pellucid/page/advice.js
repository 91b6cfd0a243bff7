// What would help, most first.

/** Before the colon what it is, after it what to do. */
function adviceTitle(title) {
  const colon = title.indexOf(": ");
  return colon < 0 ? el("span", {}, el("b", {}, title)) : el("span", {}, el("b", {}, title.slice(0, colon)), title.slice(colon));
}

function adviceItem(a, rank) {
  const whole = report.completion.simulatedSeconds;
  return el("details", { class: "advice", open: rank === 1 },
    el("summary", {},
      el("span", { class: "rank" }, `${rank}`),
      el("span", { class: "saves" }, `${a.upperBound ? "<= " : ""}${seconds(a.savesSeconds)}`),
      el("span", { class: "share" }, share(a.savesSeconds, whole)),
      bar({ share: whole > 0 ? a.savesSeconds / whole : 0, className: a.upperBound ? "hatched" : "saved", title: a.upperBound ? "upper bound" : "predicted" }),
      adviceTitle(a.title)),
    el("div", { class: "evidence" },
      el("p", {}, a.detail),
      a.stages.length > 0 ? el("p", {}, `Stage${a.stages.length === 1 ? " " : "s "}`, listed(a.stages.map((id) => stageLink(id)))) : "",
      a.tasks.length > 0 ? el("p", {}, "In the timeline: task ", listed(a.tasks.map(taskLink))) : "",
      el("p", { class: "small" }, `Analysis: ${a.analysis}.`)));
}

function adviceSection() {
  return section("advice", "What would help, most first", "seconds of the application's time, predicted by replay; <= is an upper bound",
    report.advice.length === 0
      ? el("p", { class: "empty" }, "Nothing here that the log shows would save a thousandth of the time.")
      : el("div", { class: "list" }, report.advice.map((a, i) => adviceItem(a, i + 1))));
}
