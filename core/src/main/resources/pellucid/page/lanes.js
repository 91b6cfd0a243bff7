// The swim lanes: a canvas as high as the window onto them, which scrolls over all lanes.

class Lanes {
  static Highest = 560;

  constructor(state) {
    this.state = state;
    this.blocks = state.blocks;
    this.canvas = el("canvas", { role: "img", "aria-label": "Tasks by executor and slot over time" });
    this.spacer = el("div", { class: "spacer" }, this.canvas);
    this.element = el("div", { class: "lanes" }, this.spacer);
    this.element.addEventListener("scroll", () => state.redraw());
    this.layOut();
  }

  layOut(laneHeight) {
    this.layout = new LaneLayout(timeline.lanes, laneHeight);
    this.height = Math.min(this.layout.height, Lanes.Highest);
    this.spacer.style.height = `${this.layout.height}px`;
    this.element.style.height = `${this.height}px`;
  }

  draw(view, width, gutter, colours, ink) {
    const context = sized(this.canvas, width, this.height);
    const ratio = devicePixelRatio;
    const image = this.image(Math.max(1, Math.round((width - gutter) * ratio)), Math.max(1, Math.round(this.height * ratio)), colours);
    const scrolled = this.element.scrollTop;
    const { top, laneHeight } = this.layout;
    const gap = laneHeight * ratio >= 5 ? 1 : 0;
    for (let lane = 0; lane < top.length; lane++) {
      const y = Math.round((top[lane] - scrolled) * ratio);
      const bottom = Math.round((top[lane] + laneHeight - scrolled) * ratio) - gap;
      if (bottom <= 0 || y >= image.height) continue;
      this.painter.paint(lane, view, this.state.byStage, ink, this.state.selectedStages);
      this.painter.copy(this.pixels, y, bottom - y, image.height);
    }
    context.clearRect(0, 0, width, this.height);
    context.putImageData(image, Math.round(gutter * ratio), 0);
    this.labels(context, gutter, scrolled, colours);
    if (this.state.locatedBlock >= 0) this.outline(context, this.state.locatedBlock, width, gutter, view, colours);
  }

  /** Reused between frames, filled with the page's colour. */
  image(width, height, colours) {
    if (this.drawn?.width !== width || this.drawn?.height !== height) {
      this.drawn = new ImageData(width, height);
      this.pixels = new Uint32Array(this.drawn.data.buffer);
      this.painter = new LanePainter(this.blocks, timeline.lanes, width);
    }
    this.pixels.fill(pixel(colours.page));
    return this.drawn;
  }

  labels(context, gutter, scrolled, colours) {
    context.font = `11px ${colours.font}`;
    let free = -Infinity;
    for (const group of this.layout.groups) {
      const top = group.top - scrolled;
      const bottom = group.bottom - scrolled;
      if (bottom < 0 || top > this.height) continue;
      context.fillStyle = colours.line;
      context.fillRect(gutter - 4, top, 2, Math.max(1, bottom - top - 1));
      const height = bottom - top;
      const line = Math.max(height / 2 - (height >= 26 ? 6 : 0), 6) + top;
      if (line - 6 < free) continue;
      const text = `${group.executor === "driver" ? "driver" : `exec ${group.executor}`}`;
      free = line + 6;
      if (height >= 26) {
        clippedText(context, text, 2, line, gutter - 10, colours.text);
        clippedText(context, shortHost(group.host), 2, line + 12, gutter - 10, colours.muted);
        free += 12;
      } else {
        clippedText(context, text, 2, line, gutter - 10, colours.text);
        const used = context.measureText(text).width + 8;
        clippedText(context, shortHost(group.host), 2 + used, line, gutter - 10 - used, colours.muted);
      }
    }
  }

  outline(context, b, width, gutter, view, colours) {
    const scale = (width - gutter) / view.span;
    const from = Math.max(gutter, gutter + (this.blocks.start(b) - view.from) * scale);
    const to = Math.min(width, gutter + (this.blocks.end(b) - view.from) * scale);
    if (to < gutter || from > width) return;
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(from - 1, this.layout.top[this.blocks.lane(b)] - this.element.scrollTop - 1, Math.max(2, to - from) + 2, this.layout.laneHeight + 1);
  }

  /** Scrolls the lane into the middle of the window onto the lanes. */
  bringIntoView(lane) {
    this.element.scrollTop = this.layout.top[lane] - this.height / 2;
  }

  /** The block at a place of the canvas, or the several that share its pixel; empty where there is none. */
  at(x, y, width, gutter, view) {
    const lane = this.layout.at(y + this.element.scrollTop);
    if (lane < 0 || x < gutter) return [];
    const perPixel = view.span / (width - gutter);
    const moment = view.from + (x - gutter) * perPixel;
    const exact = this.blocks.between(lane, moment - perPixel / 2, moment + perPixel / 2);
    const near = exact.length > 0 ? exact : this.blocks.between(lane, moment - 2 * perPixel, moment + 2 * perPixel);
    const wide = near.filter((b) => this.blocks.end(b) - this.blocks.start(b) >= perPixel);
    return wide.length > 0 ? [wide[wide.length - 1]] : near;
  }
}

/** The canvas's context in CSS pixels, sharp on any screen. */
function sized(canvas, width, height) {
  const ratio = devicePixelRatio;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = "middle";
  return context;
}

/** Text that ends in an ellipsis where it is wider than `width`. */
function clippedText(context, text, x, y, width, colour) {
  if (width < 8) return;
  context.fillStyle = colour;
  let shown = text;
  if (context.measureText(shown).width > width) {
    const perCharacter = context.measureText(text).width / text.length;
    shown = text.slice(0, Math.max(0, Math.floor(width / perCharacter) - 1)) + "…";
    while (shown.length > 1 && context.measureText(shown).width > width) shown = shown.slice(0, -2) + "…";
  }
  if (shown !== "…") context.fillText(shown, x, y);
}
