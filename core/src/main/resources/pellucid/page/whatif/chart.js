// Predicted seconds against machines, with the other properties as the controls have them.

class MachinesChart {
  static Height = 250;
  static Near = 24; // pixels

  constructor() {
    this.axis = grid.axes[MachinesAxis];
    this.counts = this.axis.values.map((v) => Number(v.label));
    this.tooltip = new Tooltip();
    this.box = el("div", { class: "chart", role: "img", "aria-label": "Predicted seconds against machines",
      onpointermove: (event) => this.tell(event), onpointerleave: () => this.tooltip.hide(), onclick: (event) => this.pick(event) });
    const key = (colour, text) => el("span", { class: "key" }, swatch(`var(${colour})`), text);
    this.element = section("chart", "Against machines", "with all else as the controls are", this.box,
      el("div", { class: "legend" }, key("--accent", "predicted by replay"), key("--slots", "by slots"), key("--stays", "ideal time: no run is shorter"),
        el("span", { class: "key" }, el("i", { class: "recorded" }), "as recorded")));
    new ResizeObserver(() => this.make()).observe(this.box);
    onThemeChange(() => this.make());
  }

  data() {
    const along = (column) => this.counts.map((_, i) => millis(column, position.configuration(MachinesAxis, i)));
    const a = grid.application;
    return [this.counts, along(a.idealNextMillis), along(a.slotsMillis), along(a.replayMillis)];
  }

  /** Draws anew: uPlot takes its colours when it is made. */
  make() {
    const colours = theme();
    this.chart?.destroy();
    const axis = { stroke: colours.muted, font: `11px ${colours.font}`, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } };
    const range = (most) => Math.max(1e-3, most, grid.application.seconds) * 1.08;
    this.chart = new uPlot({
      width: Math.max(160, this.box.clientWidth),
      height: MachinesChart.Height,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (_, min, max) => [Math.max(0, min - (max - min) * 0.03), max + (max - min) * 0.03 + (max === min ? 1 : 0)] },
        y: { range: (_, __, max) => [0, range(max)] } },
      axes: [
        { ...axis, size: 22, gap: 4, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
        { ...axis, size: 58, gap: 6, values: (_, moments) => moments.map((s) => (s === 0 ? "0" : seconds(s).replace(".0 ", " "))) }
      ],
      series: [{},
        { stroke: colours.named("--stays"), fill: `${colours.named("--stays")}66`, width: 1, points: { show: false } },
        { stroke: colours.named("--slots"), width: 1, dash: [4, 4], points: { show: false } },
        { stroke: colours.named("--accent"), width: 2, points: { show: true, size: 6, fill: colours.page } }],
      hooks: { draw: [(u) => this.mark(u, colours)] }
    }, this.data(), this.box);
  }

  /** What was recorded, and the number of machines that is chosen. */
  mark(u, colours) {
    const context = u.ctx;
    const at = (machines, s) => [u.valToPos(machines, "x", true), u.valToPos(s, "y", true)];
    const ratio = devicePixelRatio;
    const chosen = position.at[MachinesAxis];
    const [x, y] = at(this.counts[chosen], u.data[3][chosen]);
    context.save();
    context.strokeStyle = colours.named("--accent");
    context.fillStyle = colours.named("--accent");
    context.lineWidth = ratio;
    context.setLineDash([2 * ratio, 3 * ratio]);
    context.beginPath();
    context.moveTo(x, u.bbox.top + u.bbox.height);
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(x, y, 6 * ratio, 0, 2 * Math.PI);
    context.fill();
    const [nowX, nowY] = at(this.counts[this.axis.now], grid.application.seconds);
    context.fillStyle = colours.page;
    context.strokeStyle = colours.text;
    context.lineWidth = 1.5 * ratio;
    context.translate(nowX, nowY);
    context.rotate(Math.PI / 4);
    context.beginPath();
    context.rect(-4 * ratio, -4 * ratio, 8 * ratio, 8 * ratio);
    context.fill();
    context.stroke();
    context.restore();
  }

  nearest(event) {
    const x = event.clientX - this.box.querySelector(".u-over").getBoundingClientRect().left;
    const away = this.counts.map((n) => Math.abs(this.chart.valToPos(n, "x") - x));
    const i = away.indexOf(Math.min(...away));
    return away[i] <= MachinesChart.Near ? i : -1;
  }

  tell(event) {
    const i = this.nearest(event);
    if (i < 0) return this.tooltip.hide();
    const [, ideal, slots, replay] = this.chart.data;
    const line = (colour, label, s) => el("div", {}, swatch(`var(${colour})`), el("span", {}, label), el("b", {}, seconds(s)));
    this.tooltip.show(event.clientX, event.clientY, el("b", {}, count(this.counts[i], "machine")),
      el("div", { class: "phases" }, line("--accent", "replay", replay[i]), line("--slots", "slots", slots[i]), line("--stays", "ideal time", ideal[i])));
  }

  pick(event) {
    const i = this.nearest(event);
    if (i >= 0) position.set(MachinesAxis, i);
  }

  update() {
    this.chart?.setData(this.data());
  }
}
