// The timeline's buttons, what is in view, what is selected, and the legend.

class Controls {
  constructor(view) {
    this.timeline = view;
    this.range = el("span", { class: "range", "aria-live": "polite" });
    this.message = el("span", { class: "message", role: "status" });
    this.selection = el("span", { class: "selection", hidden: true });
    this.element = el("div", { class: "controls" },
      this.group("Zoom", ["+", "Zoom in", () => view.view.zoom(0.5)], ["−", "Zoom out", () => view.view.zoom(2)],
        ["◂", "Earlier", () => view.view.pan(-view.view.span / 4)], ["▸", "Later", () => view.view.pan(view.view.span / 4)], ["all", "The whole time", () => view.view.reset()]),
      this.group("Lanes", ["taller", "Taller lanes", () => view.laneHeight(1.5)], ["flatter", "Flatter lanes", () => view.laneHeight(1 / 1.5)]),
      this.colourChoice(), this.range, this.selection, this.message);
    this.legend = el("div", { class: "legend" }, this.phaseKeys(), this.outcomeKeys());
  }

  group(label, ...buttons) {
    return el("span", { class: "group", role: "group", "aria-label": label },
      buttons.map(([text, title, act]) => el("button", { type: "button", title, "aria-label": title, onclick: act }, text)));
  }

  colourChoice() {
    const choice = (text, byStage) => el("button", { type: "button", "aria-pressed": `${!byStage}`, onclick: (event) => {
      for (const b of event.target.parentElement.children) b.setAttribute("aria-pressed", `${b === event.target}`);
      this.timeline.colourBy(byStage);
      this.legend.classList.toggle("by-stage", byStage);
    } }, text);
    return el("span", { class: "group", role: "group", "aria-label": "Colour" }, choice("colour by phase", false), choice("by stage", true));
  }

  /** The phases that some task spent time in. */
  phaseKeys() {
    return phases.map((p, i) => [p, i]).filter(([p]) => report.breakdown.phases[p.key] > 0).map(([p, i]) =>
      el("button", { type: "button", class: "phase", "aria-pressed": "true", title: "Show or grey out", onclick: (event) => {
        this.timeline.togglePhase(i);
        event.currentTarget.setAttribute("aria-pressed", `${!this.timeline.hiddenPhases.has(i)}`);
      } }, swatch(phaseColour(p.key)), p.label));
  }

  outcomeKeys() {
    const blocks = this.timeline.blocks;
    const seen = new Set();
    for (let b = 0; b < blocks.count; b++) seen.add(blocks.outcome(b));
    return timeline.outcomes.map((name, i) => [name, i]).filter(([, i]) => i > 0 && seen.has(i)).map(([name]) =>
      el("span", { class: "key" }, el("i", { class: "swatch mark", style: { "border-color": `var(--outcome-${name})` } }),
        name === "running" ? "still running at the log's end" : name === "resubmitted" ? "succeeded, output lost" : name));
  }

  update() {
    const { view, selectedStages, selectedName } = this.timeline;
    const step = view.span / 1000 / 1000;
    this.range.textContent = `${moment(view.from / 1000, step)} to ${moment(view.to / 1000, step)}`;
    this.selection.hidden = selectedStages === null;
    if (selectedName === this.shownName) return;
    this.shownName = selectedName;
    this.message.textContent = "";
    if (selectedStages === null) return;
    const { id, attempt } = timeline.stages[[...selectedStages][0]];
    this.selection.replaceChildren(el("span", { title: selectedName }, selectedName),
      selectedStages.size === 1 ? link("stage", stageName(id, attempt), "details") : "",
      el("button", { type: "button", "aria-label": "Clear the selection", onclick: () => this.timeline.clear() }, "×"));
  }

  say(text) {
    this.message.textContent = text;
  }
}
