// What bounds the application: its stages' time by the resource that is the bottleneck of each, now and then.

const ResourceColours = { cpu: "--phase-compute", disk: "--phase-inputRead", network: "--phase-shuffleRead", output: "--phase-outputWrite" };
const resourceSwatch = (name) => swatch(`var(${ResourceColours[name]})`);

class Bottlenecks {
  constructor() {
    this.now = grid.axes.reduce((n, axis) => n * axis.values.length + axis.now, 0);
    this.bars = el("div", {});
    this.element = section("bottlenecks", "Bottlenecks", "the stages' time by the resource that bounds each", this.bars,
      el("div", { class: "legend" }, grid.bottlenecks.map((name) => el("span", { class: "key" }, resourceSwatch(name), name))));
  }

  of(configuration) {
    return grid.bottlenecks.map((name, i) => ({ name, seconds: millis(grid.bottleneckMillis[i], configuration) }));
  }

  update() {
    const both = [["now", this.of(this.now)], ["predicted", this.of(position.configuration())]];
    const sum = (parts) => parts.reduce((all, p) => all + p.seconds, 0);
    const longest = Math.max(...both.map(([, parts]) => sum(parts)));
    this.bars.replaceChildren(barRows(both.map(([label, parts]) => ({
      label,
      numbers: [seconds(sum(parts))],
      bar: bar(...parts.map((p) => ({ share: longest > 0 ? p.seconds / longest : 0, colour: `var(${ResourceColours[p.name]})`, title: `${p.name}: ${seconds(p.seconds)}` })))
    }))));
  }
}
