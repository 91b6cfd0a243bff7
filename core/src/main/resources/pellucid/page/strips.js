// A thin strip of named bars: the jobs, or the SQL queries, over time.

class Strip {
  static RowHeight = 16;
  static MostRows = 5;
  static LongestName = 150;

  /** @param bars `{from, to, name, title, failed, stages}`, moments in ms; `stages` are rows of the timeline's stages */
  constructor(label, bars) {
    this.label = label;
    this.bars = [...bars].sort((a, b) => a.from - b.from);
    this.rows = this.stack();
    this.canvas = el("canvas", { class: "strip", role: "img", "aria-label": `${label} over time` });
  }

  get height() {
    return this.rows * Strip.RowHeight;
  }

  /** Puts bars that overlap into rows, and those for which there is none left into the last. */
  stack() {
    const free = [];
    for (const bar of this.bars) {
      const row = free.findIndex((end) => end <= bar.from);
      bar.row = row >= 0 ? row : Math.min(free.length, Strip.MostRows - 1);
      free[bar.row] = Math.max(free[bar.row] ?? -Infinity, bar.to);
    }
    return free.length;
  }

  draw(view, width, gutter, colours, selectedStages) {
    const context = sized(this.canvas, width, this.height);
    context.clearRect(0, 0, width, this.height);
    context.font = `11px ${colours.font}`;
    clippedText(context, this.label, 2, Strip.RowHeight / 2, gutter - 10, colours.muted);
    const scale = (width - gutter) / view.span;
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, this.height);
    context.clip();
    for (const bar of this.bars) {
      if (bar.to < view.from || bar.from > view.to) continue;
      const from = Math.max(gutter, gutter + (bar.from - view.from) * scale);
      const to = Math.min(width, gutter + (bar.to - view.from) * scale);
      const faint = selectedStages !== null && !bar.stages.some((s) => selectedStages.has(s));
      context.globalAlpha = faint ? 0.35 : 1;
      context.fillStyle = bar.failed ? colours.outcome("failed") : colours.bar;
      const y = bar.row * Strip.RowHeight;
      context.fillRect(from, y + 1, Math.max(1, to - from - 1), Strip.RowHeight - 2);
      if (to - from > 14) clippedText(context, bar.name.slice(0, Strip.LongestName), from + 4, y + Strip.RowHeight / 2 + 0.5, to - from - 8, bar.failed ? colours.page : colours.text);
    }
    context.restore();
  }

  at(x, y, width, gutter, view) {
    const perPixel = view.span / (width - gutter);
    const moment = view.from + (x - gutter) * perPixel;
    const row = Math.floor(y / Strip.RowHeight);
    return this.bars.findLast((b) => b.row === row && b.from - perPixel <= moment && b.to + perPixel >= moment);
  }
}

const stageRowsById = new Map();
timeline.stages.forEach(({ id }, row) => stageRowsById.set(id, [...(stageRowsById.get(id) ?? []), row]));
const stageRowsOf = (jobs) => jobs.flatMap((j) => j.stages).flatMap((id) => stageRowsById.get(id) ?? []);

function jobStrip() {
  return new Strip("jobs", report.jobs.map((j) => ({
    from: j.startSeconds * 1000,
    to: (j.startSeconds + j.seconds) * 1000,
    name: `${j.id}${j.description ? ` ${j.description}` : ""}`,
    kind: `Job ${j.id}`,
    text: j.description ?? "",
    time: `${seconds(j.seconds)} from ${seconds(j.startSeconds)}`,
    note: j.failure,
    failed: j.failure !== undefined,
    stages: stageRowsOf([j])
  })));
}

function sqlStrip() {
  const byId = new Map(report.jobs.map((j) => [j.id, j]));
  return new Strip("SQL", report.sql.map((q) => ({
    from: q.startSeconds * 1000,
    to: (q.startSeconds + q.seconds) * 1000,
    name: `${q.id} ${q.description}`,
    kind: `SQL query ${q.id}`,
    text: q.description,
    time: `${seconds(q.seconds)} from ${seconds(q.startSeconds)}`,
    note: q.failure,
    failed: q.failure !== undefined,
    stages: stageRowsOf(q.jobs.map((id) => byId.get(id)).filter(Boolean))
  })));
}
