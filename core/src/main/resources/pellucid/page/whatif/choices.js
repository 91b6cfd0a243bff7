// A control for each property of the machines: a slider of numbers, a row of buttons for kinds.

const AxisWords = {
  machines: "machines",
  cores: "cores of each",
  disks: "disks of each",
  disk: "kind of disk",
  network: "network of each",
  input: "input"
};

class Choice {
  constructor(axis, number) {
    this.axis = axis;
    this.number = number;
    const only = axis.values.length === 1 ? "too much to simulate beside the others: ask for it by flag" : "";
    this.fixed = axis.fixed ?? only;
    this.now = axis.values[axis.now].label;
    this.value = el("b", {});
    this.was = el("span", { class: "note" });
    const name = AxisWords[axis.name];
    const sliding = axis.values.every((v) => /^\d+$/.test(v.label));
    this.control = sliding ? this.slider(name) : this.kinds(name);
    this.element = el("div", { class: "choice", "data-axis": axis.name },
      el("div", { class: "choice-head" }, el("span", {}, name), el("span", {}, this.was, " ", sliding ? this.value : "")),
      this.control, this.fixed ? el("p", { class: "small" }, `${this.fixed}.`) : "");
  }

  slider(name) {
    const last = this.axis.values.length - 1;
    this.input = el("input", { type: "range", min: 0, max: last, step: 1, "aria-label": name, disabled: this.fixed !== "",
      oninput: () => position.set(this.number, Number(this.input.value)) });
    return el("div", { class: "slider" }, this.input,
      el("div", { class: "ticks", "aria-hidden": "true" }, this.axis.values.map((v, i) => el("span", {
        class: i === this.axis.now ? "now" : undefined,
        style: { left: `${last === 0 ? 0 : (100 * i) / last}%` },
        onclick: () => { if (!this.input.disabled) position.set(this.number, i); }
      }, v.label))));
  }

  kinds(name) {
    this.radios = this.axis.values.map((_, i) => el("input", { type: "radio", name: this.axis.name, disabled: this.fixed !== "",
      onchange: () => position.set(this.number, i) }));
    return el("div", { class: "kinds", role: "radiogroup", "aria-label": name }, this.axis.values.map((v, i) =>
      el("label", { class: i === this.axis.now ? "now" : undefined }, this.radios[i], el("span", {}, v.label))));
  }

  update() {
    const at = position.at[this.number];
    const label = this.axis.values[at].label;
    const was = at === this.axis.now ? "as now" : `now ${this.now}`;
    this.value.textContent = label;
    this.was.textContent = was;
    this.element.classList.toggle("moved", at !== this.axis.now);
    if (this.input) {
      this.input.value = at;
      this.input.setAttribute("aria-valuetext", `${label}, ${was}`);
    }
    this.radios?.forEach((radio, i) => { radio.checked = i === at; });
  }
}

class Choices {
  constructor() {
    this.all = grid.axes.map((axis, i) => new Choice(axis, i));
    this.reset = el("button", { type: "button", onclick: () => position.reset() }, "as recorded");
    this.element = el("form", { class: "choices", "aria-label": "Machines", onsubmit: (event) => event.preventDefault() },
      el("h2", {}, "What if", this.reset), this.all.map((c) => c.element),
      el("p", { class: "small" }, el("i", { class: "dot" }), `as recorded. Each of the ${count(grid.configurations, "combination")} was simulated: nothing between them is guessed.`));
  }

  update() {
    this.all.forEach((choice) => choice.update());
    this.reset.disabled = position.isNow;
  }
}
