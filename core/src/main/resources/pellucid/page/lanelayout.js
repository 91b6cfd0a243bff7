// Where each lane lies (CSS pixels from the top): executors a little apart, hosts more.

class LaneLayout {
  static Tallest = 22;
  static Usual = 460;

  constructor(lanes, laneHeight) {
    this.lanes = lanes;
    this.laneHeight = laneHeight ?? LaneLayout.fitting(lanes.length);
    this.top = new Float64Array(lanes.length);
    this.groups = [];
    let y = 0;
    lanes.forEach((lane, i) => {
      const before = lanes[i - 1];
      const newHost = before === undefined || before.host !== lane.host;
      if (newHost || before.executor !== lane.executor) {
        if (before !== undefined) y += newHost ? 7 : 3;
        this.groups.push({ executor: lane.executor, host: lane.host, newHost, top: y, bottom: y });
      }
      this.top[i] = y;
      y += this.laneHeight;
      this.groups[this.groups.length - 1].bottom = y;
    });
    this.height = y;
  }

  static fitting(count) {
    return Math.max(3, Math.min(LaneLayout.Tallest, Math.floor(LaneLayout.Usual / Math.max(1, count))));
  }

  /** The lane at a height, or -1. */
  at(y) {
    let low = 0;
    let high = this.top.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.top[middle] <= y) low = middle + 1;
      else high = middle;
    }
    return low > 0 && y < this.top[low - 1] + this.laneHeight ? low - 1 : -1;
  }
}
