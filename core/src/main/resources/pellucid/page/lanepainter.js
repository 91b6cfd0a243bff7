// Paints lanes of blocks into pixels. The cost is one pass over the visible blocks and one over the pixels, whatever the zoom.

class LanePainter {
  /** From this many pixels on a block shows its phases one after the other. */
  static PhasesFrom = 6;

  constructor(blocks, lanes, width) {
    this.blocks = blocks;
    this.lanes = lanes;
    this.width = width;
    this.row = new Uint32Array(width);
    this.marks = new Uint32Array(width);
  }

  /** @param ink colours (pixels): lane, absent, none, phases, stages and marks, and `faint`, the same for what is not selected
    * @param selected stage rows in full colour; null for all
    */
  paint(lane, view, byStage, ink, selected) {
    this.view = view;
    this.scale = this.width / view.span;
    this.byStage = byStage;
    this.ink = ink;
    this.selected = selected;
    this.row.fill(ink.absent);
    this.marks.fill(0);
    const there = this.lanes[lane];
    this.row.fill(ink.lane, this.x(there.fromSeconds * 1000), this.x(there.toSeconds * 1000));
    this.column = -1;
    const blocks = this.blocks;
    const end = blocks.laneFrom[lane + 1];
    for (let b = blocks.firstAfter(lane, view.from); b < end && blocks.start(b) < view.to; b++) this.block(b);
    this.finishColumn();
  }

  x(millis) {
    return Math.max(0, Math.min(this.width, Math.round((millis - this.view.from) * this.scale)));
  }

  block(b) {
    const from = (this.blocks.start(b) - this.view.from) * this.scale;
    const to = (this.blocks.end(b) - this.view.from) * this.scale;
    if (to - from < 1) this.narrow(b, from, to - from);
    else {
      this.finishColumn();
      this.wide(b, Math.round(from), Math.max(Math.round(from) + 1, Math.round(to)));
    }
    this.mark(b, Math.floor(from), Math.max(Math.floor(from) + 1, Math.round(to)));
  }

  colours(b) {
    return this.selected !== null && !this.selected.has(this.blocks.stage(b)) ? this.ink.faint : this.ink;
  }

  colour(b) {
    const ink = this.colours(b);
    if (this.byStage) return ink.stages[this.blocks.stage(b)];
    const phase = this.blocks.largest[b];
    return phase < 0 ? ink.none : ink.phases[phase];
  }

  wide(b, from, to) {
    const end = to - from >= 4 ? to - 1 : to;
    if (this.byStage || to - from < LanePainter.PhasesFrom) this.fill(from, end, this.colour(b));
    else this.phases(b, from, end);
  }

  phases(b, from, to) {
    const ink = this.colours(b);
    let total = 0;
    for (let p = 0; p < ink.phases.length; p++) total += this.blocks.phase(b, p);
    if (total === 0) return this.fill(from, to, ink.none);
    let before = 0;
    for (let p = 0; p < ink.phases.length; p++) {
      const millis = this.blocks.phase(b, p);
      if (millis === 0) continue;
      this.fill(Math.round(from + ((to - from) * before) / total), Math.round(from + ((to - from) * (before + millis)) / total), ink.phases[p]);
      before += millis;
    }
  }

  /** Blocks narrower than a pixel share one, in the colour of the widest, paler the less of the pixel they fill. */
  narrow(b, from, width) {
    const column = Math.max(0, Math.floor(from));
    if (column !== this.column) {
      this.finishColumn();
      this.column = column;
      this.filled = 0;
      this.widest = -1;
    }
    this.filled += width;
    if (width > this.widest) { this.widest = width; this.inColumn = b; }
  }

  finishColumn() {
    if (this.column >= 0 && this.column < this.width)
      this.row[this.column] = mix(this.row[this.column], this.colour(this.inColumn), Math.max(0.45, Math.min(1, this.filled)));
    this.column = -1;
  }

  mark(b, from, to) {
    const outcome = this.blocks.outcome(b);
    if (outcome > 0) this.marks.fill(this.colours(b).marks[outcome], Math.max(0, from), Math.max(0, to));
  }

  fill(from, to, colour) {
    if (to > 0 && from < this.width) this.row.fill(colour, Math.max(0, from), Math.min(this.width, to));
  }

  /** Copies the lane to `height` rows of the image from row `top`, with its marks in the lowest third. */
  copy(image, top, height, imageHeight) {
    const marked = top + height - Math.max(1, Math.round(height / 3));
    const hasMarks = this.marks.some((m) => m !== 0);
    for (let y = Math.max(0, top); y < Math.min(imageHeight, top + height); y++) {
      const at = y * this.width;
      image.set(this.row, at);
      if (hasMarks && y >= marked) for (let x = 0; x < this.width; x++) if (this.marks[x] !== 0) image[at + x] = this.marks[x];
    }
  }
}
