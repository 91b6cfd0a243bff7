// The longest chain of dependent stages, widths in proportion to seconds.

function pathStep(step, whole) {
  const stage = stageByName.get(stageName(step.stageId, step.attempt));
  const name = stageName(step.stageId, step.attempt);
  const job = step.jobId === undefined ? "" : `job ${step.jobId}, `;
  return [
    step.gapBeforeSeconds > 0
      ? el("span", { class: "gap", title: `${seconds(step.gapBeforeSeconds)} in which none of the chain ran`, style: { width: `${(100 * step.gapBeforeSeconds) / whole}%` } })
      : "",
    el("a", {
      href: `#stage-${name}`, class: step.seconds > whole / 200 ? "apart" : undefined, style: { width: `${(100 * step.seconds) / whole}%` },
      title: `${job}stage ${name}: ${seconds(step.seconds)} from ${seconds(step.fromSeconds)}${stage ? `\n${stage.name}` : ""}`
    }, el("span", {}, name))
  ];
}

function pathSection() {
  const { stages, stageSeconds, betweenSeconds, steps } = report.criticalPath;
  if (steps.length === 0) return section("path", "Critical path", "", el("p", { class: "empty" }, stages === 0 ? "No stage ran." : "It goes through other stages."));
  const longest = [...steps].sort((a, b) => b.seconds - a.seconds).slice(0, 8).sort((a, b) => a.fromSeconds - b.fromSeconds);
  return section("path", "Critical path", `${count(stages, "stage")}, ${seconds(stageSeconds)} in stages, ${seconds(betweenSeconds)} between them`,
    el("div", { class: "chain" }, steps.flatMap((step) => pathStep(step, stageSeconds + betweenSeconds))),
    el("p", {}, longest.length < stages ? "The longest: " : "", longest.flatMap((s, i) =>
      [i === 0 ? "" : " → ", "stage ", stageLink(s.stageId, s.attempt), ` ${seconds(s.seconds)}`])));
}
