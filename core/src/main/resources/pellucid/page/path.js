// The longest chain of dependent stages, widths in proportion to seconds.

const sum = (values) => values.reduce((a, b) => a + b, 0);

function pathStep(step, whole) {
  const stage = stageByName.get(stageName(step.stageId, step.attempt));
  const name = stageName(step.stageId, step.attempt);
  const job = step.jobId === undefined ? "" : `job ${step.jobId}, `;
  return [
    step.gapBeforeSeconds > 0
      ? el("span", { class: "gap", title: `${seconds(step.gapBeforeSeconds)} in which none of the chain ran`, style: { width: `${(100 * step.gapBeforeSeconds) / whole}%` } })
      : "",
    el("a", {
      href: `#stage-${name}`, style: { width: `${(100 * step.seconds) / whole}%` },
      title: `${job}stage ${name}: ${seconds(step.seconds)} from ${seconds(step.fromSeconds)}${stage ? `\n${stage.name}` : ""}`
    }, el("span", {}, name))
  ];
}

function pathSection() {
  const steps = report.criticalPath;
  if (steps.length === 0) return section("path", "Critical path", "", el("p", { class: "empty" }, "No stage ran."));
  const on = sum(steps.map((s) => s.seconds));
  const gaps = sum(steps.map((s) => s.gapBeforeSeconds));
  const longest = [...steps].sort((a, b) => b.seconds - a.seconds).slice(0, 8).sort((a, b) => a.fromSeconds - b.fromSeconds);
  return section("path", "Critical path", `${count(steps.length, "stage")}, ${seconds(on)} in stages, ${seconds(gaps)} between them`,
    el("div", { class: "chain" }, steps.flatMap((step) => pathStep(step, on + gaps))),
    el("p", {}, longest.length < steps.length ? "The longest: " : "", longest.flatMap((s, i) =>
      [i === 0 ? "" : " → ", "stage ", stageLink(s.stageId, s.attempt), ` ${seconds(s.seconds)}`])));
}
