// Wheel, pinch, drag, double click and keys, turned into moves of the view.

class Gestures {
  /** A wheel turn that began by scrolling the page goes on doing so. */
  static ScrollRestMillis = 250;
  static ClickSlack = 4;

  /** @param handlers `toMillis(clientX)`, `perPixel()`, `scrollLanes(pixels)`, `hover(event)`, `leave()`, `click(event)`, `clear()` */
  constructor(element, view, handlers) {
    this.view = view;
    this.handlers = handlers;
    this.pointers = new Map();
    this.lastScroll = -Infinity;
    addEventListener("scroll", (event) => { if (event.target === document) this.lastScroll = performance.now(); }, { passive: true });
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.down(event, element));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    element.addEventListener("pointerleave", () => handlers.leave());
    element.addEventListener("dblclick", () => view.reset());
    element.addEventListener("keydown", (event) => this.key(event));
  }

  wheel(event) {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      return this.view.pan((event.deltaX || event.deltaY) * this.handlers.perPixel());
    }
    const scrolling = performance.now() - this.lastScroll < Gestures.ScrollRestMillis;
    if (scrolling && !event.ctrlKey) return;
    if (this.view.whole() && event.deltaY > 0 && !event.ctrlKey) return;
    event.preventDefault();
    const turn = event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY;
    this.view.zoom(Math.exp(Math.max(-120, Math.min(120, turn)) * (event.ctrlKey ? 0.01 : 0.0025)), this.handlers.toMillis(event.clientX));
  }

  down(event, element) {
    if (event.button !== 0 || event.target.closest("button, a")) return;
    element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.travelled = 0;
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (last === undefined) return this.handlers.hover(event);
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) this.pinch(last, now, other);
    else this.drag(now.x - last.x, now.y - last.y, event.pointerType);
    this.pointers.set(event.pointerId, now);
  }

  drag(dx, dy, pointerType) {
    this.travelled += Math.abs(dx) + Math.abs(dy);
    if (this.travelled < Gestures.ClickSlack) return;
    this.handlers.leave();
    this.view.pan(-dx * this.handlers.perPixel());
    if (pointerType === "mouse") this.handlers.scrollLanes(-dy);
  }

  pinch(last, now, other) {
    this.travelled += Gestures.ClickSlack;
    const [before, after] = [Math.abs(last.x - other.x), Math.abs(now.x - other.x)];
    if (before > 10 && after > 10) this.view.zoom(before / after, this.handlers.toMillis((now.x + other.x) / 2));
  }

  up(event) {
    if (this.pointers.delete(event.pointerId) && this.travelled < Gestures.ClickSlack) this.handlers.click(event);
  }

  key(event) {
    const moves = {
      "+": () => this.view.zoom(0.5), "=": () => this.view.zoom(0.5), "-": () => this.view.zoom(2), 0: () => this.view.reset(),
      ArrowLeft: () => this.view.pan(-this.view.span / 8), ArrowRight: () => this.view.pan(this.view.span / 8),
      ArrowUp: () => this.handlers.scrollLanes(-60), ArrowDown: () => this.handlers.scrollLanes(60), Escape: () => this.handlers.clear()
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button")) return;
    event.preventDefault();
    moves[event.key]();
  }
}
