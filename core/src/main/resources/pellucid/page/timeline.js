// The timeline: load, SQL, jobs and swim lanes over one axis of time.

class TimelineView {
  constructor() {
    this.blocks = new Blocks(timeline);
    this.view = new View(...this.extent());
    this.view.changed = () => this.redraw();
    this.byStage = false;
    this.hiddenPhases = new Set();
    this.selectedStages = null;
    this.locatedBlock = -1;
    this.lastDrawMillis = 0;
    this.tooltip = new Tooltip();
    this.lanes = new Lanes(this);
    this.strips = [sqlStrip(), jobStrip()].filter((s) => s.bars.length > 0);
    this.loads = [coreLoad(report.coreUse), ...(report.monotasks ? monotaskLoads(report.monotasks) : [])];
    this.cursor = el("div", { class: "cursor", hidden: true }, el("span"));
    this.axis = el("canvas", { class: "axis" });
    this.panel = el("div", { class: "panel", tabindex: 0, role: "group", "aria-label": "Timeline: + and - zoom, arrows pan, 0 resets" },
      this.loads.map((l) => l.element), this.strips.map((s) => s.canvas), this.lanes.element, this.axis, this.cursor);
    this.controls = new Controls(this);
    this.element = section("timeline-section", "Timeline", TimelineView.hint(),
      this.controls.element, this.panel, this.controls.legend);
    new Gestures(this.panel, this.view, this);
  }

  static hint() {
    const joined = timeline.joined ? "; short tasks that follow each other in a slot are drawn as one block" : "";
    return `wheel zooms, drag pans, click picks a stage, double click shows all${joined}`;
  }

  extent() {
    const w = report.window;
    if (w) return [w.fromSeconds * 1000, w.toSeconds * 1000];
    return [0, Math.max(report.application.seconds * 1000, this.blocks.ends())];
  }

  /** To be called when the element is in the page. */
  start() {
    this.colour();
    new ResizeObserver(() => this.resize()).observe(this.panel);
  }

  /** Draws at once: a printer does not wait for a frame. */
  colour() {
    this.colours = theme();
    this.repaint();
    this.width = 0;
    this.resize();
    this.draw();
  }

  /** The colours as pixels, with the hidden phases greyed. */
  repaint() {
    const c = this.colours;
    const lane = pixel(c.lane);
    const none = pixel(c.line);
    const ink = {
      lane, none, absent: pixel(c.absent),
      phases: Uint32Array.from(phases, (p, i) => (this.hiddenPhases.has(i) ? none : pixel(c.phase(p.key)))),
      stages: Uint32Array.from(timeline.stages, (_, row) => pixel(c.stage(row))),
      marks: Uint32Array.from(timeline.outcomes, (name) => pixel(c.outcome(name)))
    };
    const fade = (colours) => colours.map((colour) => mix(lane, colour, 0.16));
    ink.faint = { none: mix(lane, none, 0.4), phases: fade(ink.phases), stages: fade(ink.stages), marks: fade(ink.marks) };
    this.ink = ink;
  }

  resize() {
    const width = this.lanes.element.clientWidth;
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.gutter = Math.round(Math.min(150, width * 0.16));
    for (const load of this.loads) load.make(this.view, width, this.gutter, this.colours);
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = undefined;
    if (!this.width) return;
    const began = performance.now();
    for (const load of this.loads) load.show(this.view);
    for (const strip of this.strips) strip.draw(this.view, this.width, this.gutter, this.colours, this.selectedStages);
    this.lanes.draw(this.view, this.width, this.gutter, this.colours, this.ink);
    drawAxis(this.axis, this.view, this.width, this.gutter, this.colours);
    this.controls.update();
    this.lastDrawMillis = performance.now() - began;
  }

  // What gestures need.

  perPixel() {
    return this.view.span / (this.width - this.gutter);
  }

  toMillis(clientX) {
    return this.view.from + (clientX - this.panel.getBoundingClientRect().left - this.panel.clientLeft - this.gutter) * this.perPixel();
  }

  scrollLanes(pixels) {
    this.lanes.element.scrollTop += pixels;
  }

  hover(event) {
    const found = this.under(event);
    this.moveCursor(event);
    if (found.blocks?.length === 1) this.tooltip.show(event.clientX, event.clientY, ...blockContent(this.blocks, found.blocks[0]));
    else if (found.blocks?.length > 1) this.tooltip.show(event.clientX, event.clientY, ...crowdContent(this.blocks, found.blocks));
    else if (found.bar) this.tooltip.show(event.clientX, event.clientY, ...barContent(found.bar));
    else if (found.load) this.tooltip.show(event.clientX, event.clientY, ...loadContent(found.load));
    else this.tooltip.hide();
  }

  leave() {
    this.tooltip.hide();
    this.cursor.hidden = true;
  }

  click(event) {
    const found = this.under(event);
    this.panel.focus({ preventScroll: true });
    if (found.blocks?.length > 0) this.selectStages([this.blocks.stage(found.blocks[0])]);
    else if (found.bar) this.selectStages(found.bar.stages, found.bar.kind);
    else this.clear();
  }

  clear() {
    this.locatedBlock = -1;
    this.selectStages(null);
  }

  under(event) {
    const place = (canvas) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      return x >= 0 && y >= 0 && x < box.width && y < box.height ? [x, y, this.width, this.gutter, this.view] : undefined;
    };
    const inLanes = place(this.lanes.canvas);
    if (inLanes) return { blocks: this.lanes.at(...inLanes) };
    for (const strip of this.strips) {
      const inStrip = place(strip.canvas);
      if (inStrip) return { bar: strip.at(...inStrip) };
    }
    const load = this.loads.find((l) => place(l.element));
    return load ? { load: load.at(this.toMillis(event.clientX) / 1000) } : {};
  }

  moveCursor(event) {
    const x = event.clientX - this.panel.getBoundingClientRect().left - this.panel.clientLeft;
    this.cursor.hidden = x < this.gutter || x > this.width;
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.firstChild.textContent = moment(this.toMillis(event.clientX) / 1000, (this.perPixel() / 1000) * 2);
  }

  // What links and controls ask for.

  /** @param rows of the timeline's stages; null for no selection */
  selectStages(rows, name) {
    this.selectedStages = rows === null || rows.length === 0 ? null : new Set(rows);
    this.selectedName = this.selectedStages && (name ?? stageText(rows[0]));
    this.redraw();
  }

  /** All attempts of the stage, or the one of `ID.ATTEMPT`. */
  selectStage(name) {
    const rows = timeline.stages.map((s, row) => row).filter((row) => {
      const s = timeline.stages[row];
      return `${s.id}` === name || stageName(s.id, s.attempt) === name;
    });
    this.locatedBlock = -1;
    this.selectStages(rows);
  }

  locateTask(id) {
    const b = this.blocks.ofTask(id);
    if (b < 0 || this.blocks.mixed(b)) return this.controls.say(`Task ${id} is drawn in one block with its neighbours: it cannot be told apart here.`);
    const [start, end] = [this.blocks.start(b), this.blocks.end(b)];
    const margin = Math.max(10, (end - start) * 1.5);
    this.locatedBlock = b;
    this.selectStages([this.blocks.stage(b)], `task ${id} of ${stageText(this.blocks.stage(b))}`);
    this.lanes.bringIntoView(this.blocks.lane(b));
    this.view.show(start - margin, end + margin);
    this.element.scrollIntoView({ block: "start" });
  }

  showSeconds(from, to) {
    const margin = Math.max(0.01, (to - from) / 4);
    this.view.show((from - margin) * 1000, (to + margin) * 1000);
    this.element.scrollIntoView({ block: "start" });
  }

  togglePhase(p) {
    if (!this.hiddenPhases.delete(p)) this.hiddenPhases.add(p);
    this.blocks.choose((phase) => !this.hiddenPhases.has(phase));
    this.repaint();
    this.redraw();
  }

  colourBy(byStage) {
    this.byStage = byStage;
    this.redraw();
  }

  laneHeight(change) {
    this.lanes.layOut(Math.max(2, Math.min(40, Math.round(this.lanes.layout.laneHeight * change))));
    this.width = 0;
    this.resize();
  }

  /** The middle of the task's block in the window, for tests. */
  positionOfTask(id) {
    const b = this.blocks.ofTask(id);
    const box = this.lanes.canvas.getBoundingClientRect();
    const middle = (this.blocks.start(b) + this.blocks.end(b)) / 2;
    return {
      x: box.left + this.gutter + (middle - this.view.from) / this.perPixel(),
      y: box.top + this.lanes.layout.top[this.blocks.lane(b)] - this.lanes.element.scrollTop + this.lanes.layout.laneHeight / 2
    };
  }
}

function drawAxis(canvas, view, width, gutter, colours) {
  const context = sized(canvas, width, 18);
  context.clearRect(0, 0, width, 18);
  context.font = `11px ${colours.font}`;
  context.fillStyle = colours.muted;
  context.textAlign = "center";
  const { step, moments } = ticks(view, width / 90);
  for (const m of moments) {
    const x = gutter + ((m * 1000 - view.from) / view.span) * (width - gutter);
    const text = moment(m, step);
    if (x + context.measureText(text).width / 2 < width) context.fillText(text, x, 10);
    context.fillRect(x, 0, 1, 3);
  }
  context.textAlign = "start";
}
