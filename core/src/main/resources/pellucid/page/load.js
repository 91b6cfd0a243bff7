// What is there and in use over time: slots and cores, and of an application that ran as monotasks each resource with its queue.

class LoadChart {
  /** @param series of each line its label, colour, the opacity of what is below it, and its values; the outermost first */
  constructor(use, title, height, series) {
    const from = use.fromSeconds;
    const last = (values) => [...values, values[values.length - 1]]; // closes the last step
    const moments = [...series[0].values, 0].map((_, i) => from + i * use.bucketSeconds);
    this.height = height;
    this.series = series;
    this.data = [moments, ...series.map((s) => last(s.values))];
    this.element = el("div", { class: "load", style: { height: `${height}px` } },
      el("div", { class: "load-key" }, title ? el("b", {}, title) : "", series.map((s) => el("div", {}, swatch(`var(${s.colour})`), s.label))));
  }

  /** Draws anew: uPlot takes its colours when it is made. */
  make(view, width, gutter, colours) {
    this.chart?.destroy();
    const stepped = uPlot.paths.stepped({ align: 1 });
    const line = (s) => ({ label: s.label, stroke: colours.named(s.colour), fill: colours.named(s.colour) + s.opacity, width: 1, paths: stepped, points: { show: false } });
    const axis = { stroke: colours.muted, font: `11px ${colours.font}`, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } };
    this.chart = new uPlot({
      width,
      height: this.height,
      padding: [6, 0, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (_, min, max) => [min, max] }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
      axes: [
        { ...axis, size: 20, gap: 3, splits: () => ticks(view, width / 90).moments, values: (_, moments) => moments.map((m) => moment(m, ticks(view, width / 90).step)) },
        { ...axis, size: gutter, gap: 6, splits: (_, __, ___, max) => levels(max, this.height / 30) }
      ],
      series: [{}, ...this.series.map(line)]
    }, this.data, this.element);
    this.show(view);
  }

  show(view) {
    this.chart.batch(() => this.chart.setScale("x", { min: view.from / 1000, max: view.to / 1000 }));
  }

  /** Each line's label, colour and value at a moment (seconds), or nothing outside. */
  at(moment) {
    const [moments, ...values] = this.data;
    const i = Math.floor((moment - moments[0]) / (moments[1] - moments[0]));
    return i >= 0 && i < moments.length - 1 ? this.series.map((s, k) => [s.label, s.colour, s.shown ? s.shown[i] : values[k][i]]) : undefined;
  }
}

/** Slots there, slots with a task and cores' worth of CPU time. */
function coreLoad(use) {
  return new LoadChart(use, "", 120, [
    { label: "slots", colour: "--slots", opacity: "30", values: use.slots },
    { label: "slots in use", colour: "--running", opacity: "90", values: use.running },
    { label: "on CPU", colour: "--phase-compute", opacity: "ff", values: use.onCpu }
  ]);
}

/** Of each resource the monotasks that wait for it, above those that use it. */
function monotaskLoads(use) {
  return use.load.filter((l) => l.running.some((n) => n > 0)).map((l) => new LoadChart(use, l.resource, 76, [
    { label: "queued", colour: "--phase-waiting", opacity: "90", values: l.queued.map((n, i) => n + l.running[i]), shown: l.queued },
    { label: `in use, of ${l.slots}`, colour: "--phase-compute", opacity: "ff", values: l.running }
  ]));
}

/** Two or three round numbers. */
function levels(max, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000].find((s) => max / s <= most) ?? max;
  const out = [];
  for (let v = 0; v <= max; v += step) out.push(v);
  return out;
}
