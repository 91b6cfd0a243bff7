// Links inside the page: #stage-ID, #stage-ID.ATTEMPT, #job-ID, #sql-ID, #task-ID, #time-FROM..TO (seconds).

const targets = {};

function link(kind, key, text) {
  return el("a", { href: `#${kind}-${key}` }, text);
}
const stageLink = (id, attempt = 0) => link("stage", stageName(id, attempt), stageName(id, attempt));
const jobLink = (id) => link("job", id, `${id}`);
const taskLink = (id) => link("task", id, `${id}`);
const timeLink = (from, to, text) => link("time", `${from}..${to}`, text);

function follow(hash) {
  const match = /^#(\w+)-(.+)$/.exec(hash);
  if (!match || !targets[match[1]]) return false;
  targets[match[1]](match[2]);
  return true;
}

function followLinks() {
  document.addEventListener("click", (event) => {
    const hash = event.target.closest?.("a[href^='#']")?.getAttribute("href");
    if (!hash || event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens another tab
    const known = follow(hash);
    if (known) remember(hash, "pushState"); // so that one can go back
    else if (isInPage) document.getElementById(hash.slice(1))?.scrollIntoView();
    if (known || isInPage) event.preventDefault();
  });
  addEventListener("hashchange", () => follow(location.hash));
  follow(location.hash);
}
