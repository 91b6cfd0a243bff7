// Elements without markup: text of the log only ever becomes a text node.

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "style") for (const [property, v] of Object.entries(value)) element.style.setProperty(property, v);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== ""));
  return element;
}

function section(id, title, note, ...children) {
  return el("section", { id }, el("h2", {}, title, note ? el("span", { class: "note" }, note) : ""), ...children);
}

function plainTable(head, rows) {
  const cell = (tag, column) => (content, i) => el(tag, { class: column[i]?.number ? "number" : undefined }, content);
  return el("div", { class: "scroll" },
    el("table", {},
      el("thead", {}, el("tr", {}, head.map((h, i) => cell("th", head)(h.label, i)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell("td", head)))))));
}

/** A list with commas between its nodes. */
function listed(nodes) {
  return nodes.flatMap((node, i) => (i === 0 ? [node] : [", ", node]));
}

/** Whether this is a part of another page, as in a notebook: it has no address then, and a link to a place in it would lead away. */
const isInPage = location.protocol === "about:";

/** Keeps what is in view in the address. Browsers refuse it where there is none, and when it changes too often. */
function remember(hash, how = "replaceState") {
  try {
    history[how](null, "", hash);
  } catch {
    // what is in view is not lost for it
  }
}

/** How many rows a table of the first `most` leaves out. */
function andMore(all, most) {
  return all.length > most ? el("p", { class: "small" }, `and ${number(all.length - most)} more, in the JSON`) : "";
}
