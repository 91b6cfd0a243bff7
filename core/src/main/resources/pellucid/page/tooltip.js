// One tooltip for the page, beside the pointer.

class Tooltip {
  constructor() {
    this.element = el("div", { class: "tooltip", role: "status", hidden: true });
    document.body.append(this.element);
  }

  show(x, y, ...content) {
    this.element.replaceChildren(...content.filter((c) => c !== ""));
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const left = x + 14 + width > innerWidth ? x - width - 10 : x + 14;
    const top = y + 16 + height > innerHeight ? y - height - 10 : y + 16;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${Math.max(4, top)}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}

function stageText(row) {
  const { id, attempt } = timeline.stages[row];
  const name = stageName(id, attempt);
  const stage = stageByName.get(name);
  return `stage ${name}${stage ? `: ${stage.name}` : ""}`;
}

/** What the tooltip says of one block. */
function blockContent(blocks, b) {
  const lane = timeline.lanes[blocks.lane(b)];
  const tasks = blocks.tasks(b);
  const outcome = timeline.outcomes[blocks.outcome(b)];
  const millis = blocks.end(b) - blocks.start(b);
  const rows = phases.map((p, i) => ({ p, millis: blocks.phase(b, i) })).filter((r) => r.millis > 0);
  return [
    el("b", {}, tasks === 1 ? `Task ${blocks.taskId(b)}` : `${number(tasks)} tasks, the first ${blocks.taskId(b)}`),
    outcome === "success" ? "" : el("b", { class: "outcome" }, tasks === 1 ? ` ${outcome}` : ` (some ${outcome})`),
    el("div", {}, `${blocks.mixed(b) ? "of several stages, the longest of " : ""}${stageText(blocks.stage(b))}`),
    el("div", { class: "muted" }, `${lane.executor === "driver" ? "driver" : `executor ${lane.executor}`}, slot ${lane.slot}, ${lane.host}`),
    el("div", {}, `${seconds(millis / 1000)} from ${moment(blocks.start(b) / 1000, 0.001)}`),
    el("div", { class: "phases" }, rows.map((r) => el("div", {}, swatch(phaseColour(r.p.key)), el("span", {}, r.p.label), el("b", {}, seconds(r.millis / 1000)))))
  ];
}

/** What it says of blocks that share a pixel. */
function crowdContent(blocks, several) {
  const lane = timeline.lanes[blocks.lane(several[0])];
  const stages = [...new Set(several.map((b) => blocks.stage(b)))];
  const tasks = several.reduce((n, b) => n + blocks.tasks(b), 0);
  return [
    el("b", {}, `${number(tasks)} tasks`),
    ...stages.slice(0, 4).map((s) => el("div", {}, stageText(s))),
    stages.length > 4 ? el("div", {}, `and ${stages.length - 4} stages more`) : "",
    el("div", { class: "muted" }, `executor ${lane.executor}, slot ${lane.slot}, ${lane.host}`),
    el("div", { class: "muted" }, "zoom in to tell them apart")
  ];
}

function barContent(bar) {
  return [el("b", {}, bar.kind), el("div", { class: "text" }, bar.text), el("div", {}, bar.time), bar.note ? el("div", { class: "outcome" }, bar.note) : ""];
}

/** What it says of a moment of a load chart. */
function loadContent(lines) {
  return [el("div", { class: "phases" }, lines.map(([label, colour, value]) =>
    el("div", {}, swatch(`var(${colour})`), el("span", {}, label), el("b", {}, value.toFixed(1)))))];
}
