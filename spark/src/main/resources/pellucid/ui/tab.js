// Around the report in Spark's UI: says how new it is, and loads it again when there is more to tell.

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

  /** A row's details, or a filter: neither would be there in a page that is loaded anew. */
  function isRead() {
    const page = frame.contentDocument;
    return page.querySelector("tr.open") !== null || [...page.querySelectorAll("input[type=search]")].some((box) => box.value !== "");
  }

  function reload() {
    const page = frame.contentWindow;
    const view = page.pellucidTimeline?.view;
    kept = { scrolled: page.scrollY, span: view && !view.whole() ? [view.from, view.to] : undefined };
    page.history.replaceState(null, "", page.location.pathname + page.location.search); // no link of before is followed once more
    page.location.reload();
    wait(LongestLoadMillis); // it takes as long as the analysis does, and ends in `loaded`
  }

  function offer() {
    if (state.querySelector("button")) return; // which may have the keyboard's focus
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Load again";
    button.addEventListener("click", reload);
    state.replaceChildren("More has happened since. ", button);
  }

  async function poll() {
    try {
      const answer = await (await fetch(`${frame.getAttribute("src")}state.json`)).json();
      if (failures >= MostFailures) state.textContent = "";
      failures = 0;
      shown ??= answer.shown;
      if (answer.stale || answer.shown !== shown) {
        // whoever reads or zooms is not interrupted
        if (isRead()) offer();
        else if (Date.now() - touched < RestMillis) state.textContent = "More has happened since: loading again when the pointer rests.";
        else return reload();
      }
    } catch {
      failures += 1;
      if (failures === MostFailures) state.textContent += " The application has ended, or cannot be reached: its event log has the whole report.";
    }
    wait(failures < MostFailures ? PollMillis : RestMillis);
  }

  frame.addEventListener("load", loaded);
  if (frame.contentDocument?.readyState === "complete" && frame.contentWindow.location.href !== "about:blank") loaded();
})();
