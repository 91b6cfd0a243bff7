// Around the report in Spark's UI: says how new it is, and loads it again when stages have ended.

(() => {
  "use strict";
  const PollMillis = 3000;
  const LongestLoadMillis = 600000;
  const RestMillis = 10000;
  const MostFailures = 5;
  const frame = document.getElementById("pellucid-report");
  const state = document.getElementById("pellucid-state");
  let touched = 0;
  let failures = 0;
  let kept;
  let shown; // which report, of those that this application has had
  let next;

  function wait(millis = PollMillis) {
    clearTimeout(next);
    next = setTimeout(poll, millis);
  }

  function loaded() {
    wait();
    shown = undefined;
    const page = frame.contentWindow;
    const made = page.document.getElementById("page");
    state.textContent = made ? `As of ${new Date().toLocaleTimeString()}.` : "There is no report:";
    if (!made) return;
    for (const event of ["pointermove", "wheel", "keydown"]) page.addEventListener(event, () => { touched = Date.now(); }, { passive: true });
    const view = page.pellucidTimeline?.view;
    if (kept?.span && view) view.show(...kept.span);
    if (kept) page.scrollTo(0, kept.scrolled);
  }

  async function poll() {
    try {
      const answer = await (await fetch(`${frame.getAttribute("src")}state.json`)).json();
      failures = 0;
      shown ??= answer.shown;
      if (answer.stale || answer.shown !== shown) {
        // whoever reads or zooms is not interrupted
        if (Date.now() - touched < RestMillis) state.textContent = "Stages have ended since: loading again when the pointer rests.";
        else {
          const view = frame.contentWindow.pellucidTimeline?.view;
          kept = { scrolled: frame.contentWindow.scrollY, span: view && !view.whole() ? [view.from, view.to] : undefined };
          frame.contentWindow.location.reload();
          return wait(LongestLoadMillis); // it takes as long as the analysis does, and ends in `loaded`
        }
      }
    } catch {
      failures += 1;
      if (failures === MostFailures) state.textContent += " The application has ended, or cannot be reached: its event log has the whole report.";
    }
    if (failures < MostFailures) wait();
  }

  frame.addEventListener("load", loaded);
  if (frame.contentDocument?.readyState === "complete" && frame.contentWindow.location.href !== "about:blank") loaded();
})();
