// Slots there, slots with a task and cores' worth of CPU time, over time.

class CoreUse {
  static Height = 120;
  static Series = [["slots", "--slots"], ["slots in use", "--running"], ["on CPU", "--phase-compute"]];

  constructor(use) {
    const from = use.fromSeconds;
    const last = (values) => [...values, values[values.length - 1]]; // closes the last step
    const moments = [...use.slots, 0].map((_, i) => from + i * use.bucketSeconds);
    this.data = [moments, last(use.slots), last(use.running), last(use.onCpu)];
    this.element = el("div", { class: "core-use" },
      el("div", { class: "core-key" }, CoreUse.Series.map(([label, colour]) => el("div", {}, swatch(`var(${colour})`), label))));
  }

  /** Draws anew: uPlot takes its colours when it is made. */
  make(view, width, gutter, colours) {
    this.chart?.destroy();
    const stepped = uPlot.paths.stepped({ align: 1 });
    const series = (label, stroke, fill) => ({ label, stroke, fill, width: 1, paths: stepped, points: { show: false } });
    const axis = { stroke: colours.muted, font: `11px ${colours.font}`, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } };
    this.chart = new uPlot({
      width,
      height: CoreUse.Height,
      padding: [6, 0, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (_, min, max) => [min, max] }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
      axes: [
        { ...axis, size: 20, gap: 3, splits: () => ticks(view, width / 90).moments, values: (_, moments) => moments.map((m) => moment(m, ticks(view, width / 90).step)) },
        { ...axis, size: gutter, gap: 6, splits: (_, __, ___, max) => levels(max) }
      ],
      series: [{}, ...CoreUse.Series.map(([label, name], i) => series(label, colours.named(name), colours.named(name) + ["30", "90", "ff"][i]))]
    }, this.data, this.element);
    this.show(view);
  }

  show(view) {
    this.chart.batch(() => this.chart.setScale("x", { min: view.from / 1000, max: view.to / 1000 }));
  }

  resize(width) {
    this.chart.setSize({ width, height: CoreUse.Height });
  }

  /** The values at a moment (seconds) in the order of the series, or nothing outside. */
  at(moment) {
    const [moments, ...series] = this.data;
    const i = Math.floor((moment - moments[0]) / (moments[1] - moments[0]));
    return i >= 0 && i < moments.length - 1 ? series.map((values) => values[i]) : undefined;
  }
}

/** Two or three round numbers of cores. */
function levels(max) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000].find((s) => max / s <= 4) ?? max;
  const out = [];
  for (let v = 0; v <= max; v += step) out.push(v);
  return out;
}
