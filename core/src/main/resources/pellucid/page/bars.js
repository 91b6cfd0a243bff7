// Bars: one per phase side by side, and rows of label, bar and numbers.

const phaseColour = (key) => `var(--phase-${key}, var(--phase-other))`;

/** A task time's phases side by side, in proportion. */
function phaseStack(breakdown, className) {
  const parts = phases.filter((p) => breakdown.phases[p.key] > 0);
  return el("div", { class: `stack ${className}`, role: "img", "aria-label": `task time: ${parts.map((p) => `${p.label} ${share(breakdown.phases[p.key], breakdown.taskSeconds)}`).join(", ")}` }, parts.map((p) => {
    const s = breakdown.phases[p.key];
    return el("span", {
      title: `${p.label}: ${seconds(s)}, ${share(s, breakdown.taskSeconds)}`,
      style: { width: `${(100 * s) / breakdown.taskSeconds}%`, background: phaseColour(p.key) }
    });
  }));
}

function swatch(colour) {
  return el("i", { class: "swatch", style: { background: colour } });
}

/** Parts of a bar, each `share` (0 to 1) of its width. */
function bar(...parts) {
  return el("div", { class: "bar" }, parts.filter((p) => p.share > 0).map((p) =>
    el("span", { class: p.className, title: p.title, style: { width: `${100 * Math.min(1, p.share)}%`, background: p.colour } })));
}

/** Rows of a label, numbers and a bar. */
function barRows(rows) {
  return el("div", { class: "rows" }, rows.map((r) => el("div", { class: "row" },
    el("span", { class: "label" }, r.label), el("span", { class: "numbers" }, r.numbers.map((n) => el("b", {}, n))), r.bar)));
}
