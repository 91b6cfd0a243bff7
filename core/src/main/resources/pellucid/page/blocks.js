// The timeline's blocks, decoded and sorted: those of a lane lie together, in order of their start.

class Blocks {
  static Fixed = 8;

  constructor(timeline) {
    this.fields = timeline.fields;
    this.count = timeline.count;
    const laneCount = timeline.lanes.length;
    const sent = decodeInts(timeline.blocks);
    this.laneFrom = new Int32Array(laneCount + 1);
    for (let b = 0; b < this.count; b++) this.laneFrom[sent[b * this.fields] + 1]++;
    for (let l = 0; l < laneCount; l++) this.laneFrom[l + 1] += this.laneFrom[l];
    this.ints = this.byLane(sent);
    this.latestEnd = this.latestEnds();
    this.largest = new Int8Array(this.count);
    this.choose(() => true);
  }

  /** The blocks come in order of start, so a stable sort by lane leaves each lane's in order. */
  byLane(sent) {
    const ints = new Int32Array(sent.length);
    const next = this.laneFrom.slice();
    for (let b = 0; b < this.count; b++) {
      const at = b * this.fields;
      ints.set(sent.subarray(at, at + this.fields), next[sent[at]]++ * this.fields);
    }
    return ints;
  }

  /** By block: the latest end of it and those before it in its lane, so that it never falls along a lane. */
  latestEnds() {
    const out = new Float64Array(this.count);
    for (let l = 0; l + 1 < this.laneFrom.length; l++) {
      let latest = -Infinity;
      for (let b = this.laneFrom[l]; b < this.laneFrom[l + 1]; b++) {
        latest = Math.max(latest, this.end(b));
        out[b] = latest;
      }
    }
    return out;
  }

  lane(b) { return this.ints[b * this.fields]; }
  start(b) { return this.ints[b * this.fields + 1] * timeline.tickMillis; }
  end(b) { return (this.ints[b * this.fields + 1] + this.ints[b * this.fields + 2]) * timeline.tickMillis; }
  stage(b) { return this.ints[b * this.fields + 3]; }
  tasks(b) { return this.ints[b * this.fields + 4]; }
  taskId(b) { return this.ints[b * this.fields + 5]; }
  outcome(b) { return this.ints[b * this.fields + 6]; }
  /** Whether it has tasks of several stages; `stage` is the longest's then. */
  mixed(b) { return this.ints[b * this.fields + 7] === 1; }
  phase(b, p) { return this.ints[b * this.fields + Blocks.Fixed + p] * timeline.tickMillis; }

  /** Sets each block's largest phase among those shown; -1 where it has none. */
  choose(shown) {
    const some = phases.map((_, p) => p).filter(shown);
    for (let b = 0; b < this.count; b++) {
      let best = -1;
      let most = 0;
      for (const p of some) {
        const millis = this.phase(b, p);
        if (millis > most) { most = millis; best = p; }
      }
      this.largest[b] = best;
    }
  }

  /** The first block of the lane that can end after the moment. */
  firstAfter(lane, millis) {
    let low = this.laneFrom[lane];
    let high = this.laneFrom[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.latestEnd[middle] > millis) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Blocks of the lane that touch the span. */
  between(lane, from, to) {
    const out = [];
    for (let b = this.firstAfter(lane, from); b < this.laneFrom[lane + 1] && this.start(b) < to; b++) if (this.end(b) > from) out.push(b);
    return out;
  }

  /** The block of a task, -1 where it was joined to another's. */
  ofTask(id) {
    for (let b = 0; b < this.count; b++) if (this.taskId(b) === id) return b;
    return -1;
  }

  ends() {
    return this.count === 0 ? 0 : this.latestEnd.reduce((a, b) => Math.max(a, b));
  }
}

function decodeInts(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Int32Array(bytes.buffer);
}
