// What the page shows, pellucid.model.Grid, and which of its configurations: the controls step through those that were simulated.

const grid = JSON.parse(document.getElementById("grid").textContent);

/** Of each property of the machines the number of its value. */
class Position {
  constructor() {
    this.at = grid.axes.map((axis) => axis.asked);
    this.changed = () => {};
  }

  /** Its number in the columns, with the value of one property replaced: the last property's varies fastest. */
  configuration(replaced = -1, value = 0) {
    return grid.axes.reduce((n, axis, i) => n * axis.values.length + (i === replaced ? value : this.at[i]), 0);
  }

  set(axis, value) {
    this.at[axis] = value;
    this.moved();
  }

  /** To the recorded machines. */
  reset() {
    this.at = grid.axes.map((axis) => axis.now);
    this.moved();
  }

  get isNow() {
    return grid.axes.every((axis, i) => axis.now === this.at[i]);
  }

  /** What asks the command for it. */
  get flags() {
    return grid.axes.map((axis, i) => axis.values[this.at[i]].flag).filter((f) => f !== "").join(" ");
  }

  moved() {
    remember(`#${new URLSearchParams(grid.axes.map((axis, i) => [axis.name, axis.values[this.at[i]].label]))}`);
    this.changed();
  }

  /** To where the address says, as far as that was simulated. */
  follow() {
    for (const [name, label] of new URLSearchParams(location.hash.slice(1))) {
      const axis = grid.axes.findIndex((a) => a.name === name);
      const value = grid.axes[axis]?.values.findIndex((v) => v.label === label) ?? -1;
      if (value >= 0) this.at[axis] = value;
    }
    this.changed();
  }
}

const position = new Position();
const MachinesAxis = grid.axes.findIndex((axis) => axis.name === "machines");
const millis = (column, configuration = position.configuration()) => column[configuration] / 1000;
