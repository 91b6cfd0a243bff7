// Around the report in Spark's UI: says how new it is, and loads it again when stages have ended.

(() => {
  "use strict";
  const PollMillis = 3000;
  const RestMillis = 10000;
  const frame = document.getElementById("pellucid-report");
  const state = document.getElementById("pellucid-state");
  let shown;
  let touched = 0;
  let kept;

  frame.addEventListener("load", () => {
    const page = frame.contentWindow;
    const says = page.document.getElementById("page") ? "" : "The report could not be made; the log of the server says why. ";
    state.textContent = `${says}Loaded at ${new Date().toLocaleTimeString()}.`;
    for (const event of ["pointermove", "wheel", "keydown"]) page.addEventListener(event, () => { touched = Date.now(); }, { passive: true });
    const view = page.pellucidTimeline?.view;
    if (kept?.span && view) view.show(...kept.span);
    if (kept) page.scrollTo(0, kept.scrolled);
  });

  async function poll() {
    try {
      const answer = await (await fetch(`${frame.getAttribute("src")}changes.json`)).json();
      if (!answer.live) return;
      if (shown !== undefined && answer.changes > shown) {
        // whoever reads or zooms is not interrupted
        if (Date.now() - touched < RestMillis) state.textContent = "Stages have ended since: loading again when the pointer rests.";
        else {
          const view = frame.contentWindow.pellucidTimeline?.view;
          kept = { scrolled: frame.contentWindow.scrollY, span: view && !view.whole() ? [view.from, view.to] : undefined };
          shown = answer.changes;
          frame.contentWindow.location.reload();
        }
      } else if (shown === undefined) shown = answer.changes;
      setTimeout(poll, PollMillis);
    } catch {
      state.textContent = "The application has ended, or cannot be reached. Its event log has the whole report.";
    }
  }

  poll();
})();
