// The span of time in view, in milliseconds since the application's start; all of the timeline's rows share it.

class View {
  static Narrowest = 2;

  constructor(from, to) {
    this.first = from;
    this.last = Math.max(to, from + View.Narrowest);
    this.from = this.first;
    this.to = this.last;
    this.changed = () => {};
  }

  get span() {
    return this.to - this.from;
  }

  show(from, to) {
    const span = Math.min(Math.max(to - from, View.Narrowest), this.last - this.first);
    this.from = Math.max(this.first, Math.min((from + to - span) / 2, this.last - span));
    this.to = this.from + span;
    this.changed();
  }

  /** Shows `factor` times the span, with the moment `at` staying where it is. */
  zoom(factor, at = (this.from + this.to) / 2) {
    const span = Math.min(Math.max(this.span * factor, View.Narrowest), this.last - this.first);
    const from = at - ((at - this.from) / this.span) * span;
    this.show(from, from + span);
  }

  pan(millis) {
    this.show(this.from + millis, this.to + millis);
  }

  reset() {
    this.show(this.first, this.last);
  }

  whole() {
    return this.span >= this.last - this.first;
  }
}

const TickSteps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800,
  86400, 172800, 604800];

/** Round moments (seconds) in the view, at most `most` of them, and the step between them. */
function ticks(view, most) {
  const step = TickSteps.find((s) => view.span / 1000 / s <= most) ?? TickSteps[TickSteps.length - 1];
  const out = [];
  for (let i = Math.ceil(view.from / 1000 / step); i * step <= view.to / 1000; i++) out.push(i * step);
  return { step, moments: out };
}
