// A table that sorts by its headers, filters by a text, and opens a row's details below it.

class DataTable {
  static Page = 15;

  /** @param columns `{label, value: row => number or string to sort by, cell: row => node or string, number, title}`
    * @param key row => what links call it
    * @param words row => text that the filter looks in
    */
  constructor({ id, title, columns, rows, key, words, detail, sortBy }) {
    Object.assign(this, { id, columns, rows, key, words, detail, sortBy, descending: true, limit: DataTable.Page, open: new Set(), filter: "" });
    this.body = el("tbody");
    this.more = el("button", { type: "button", class: "more", onclick: () => { this.limit = Infinity; this.draw(); } });
    this.headers = columns.map((c) => el("th", { class: c.number ? "number" : undefined, title: c.title, scope: "col" },
      el("button", { type: "button", onclick: () => this.sort(c) }, c.label)));
    this.box = el("input", { type: "search", placeholder: "filter", "aria-label": `Filter ${title}`, oninput: () => this.setFilter(this.box.value) });
    this.shown = el("span", { class: "note" });
    this.element = section(id, title, "", el("div", { class: "filter" }, this.box, this.shown),
      el("div", { class: "scroll" }, el("table", { class: "data" }, el("thead", {}, el("tr", {}, this.headers)), this.body)), this.more);
    this.draw();
  }

  sort(column) {
    this.descending = this.sortBy === column.label ? !this.descending : Boolean(column.number);
    this.sortBy = column.label;
    this.draw();
  }

  setFilter(text) {
    this.filter = text.trim().toLowerCase();
    this.draw();
  }

  /** The rows that pass the filter, in order. */
  wanted() {
    const column = this.columns.find((c) => c.label === this.sortBy);
    const sign = this.descending ? -1 : 1;
    const compare = (a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    };
    return this.rows.filter((r) => this.filter === "" || this.words(r).toLowerCase().includes(this.filter)).sort(compare);
  }

  draw() {
    const wanted = this.wanted();
    this.headers.forEach((th, i) => {
      const sorted = this.columns[i].label === this.sortBy;
      if (sorted) th.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    this.body.replaceChildren(...wanted.slice(0, this.limit).flatMap((row) => this.rowElements(row)));
    const first = wanted.length > this.limit ? `the first ${this.limit} of ` : "";
    this.shown.textContent = `${first}${this.filter === "" ? "" : `${number(wanted.length)} of `}${count(this.rows.length, "row")}`;
    this.more.hidden = wanted.length <= this.limit;
    this.more.textContent = `show all ${number(wanted.length)}`;
  }

  rowElements(row) {
    const key = this.key(row);
    const opened = this.open.has(key);
    const tr = el("tr", {
      class: opened ? "open" : undefined, tabindex: 0, "aria-expanded": `${opened}`, "data-key": key,
      onclick: (event) => { if (!event.target.closest("a, button") && getSelection().isCollapsed) this.toggle(key); },
      onkeydown: (event) => { if ((event.key === "Enter" || event.key === " ") && event.target === event.currentTarget) { event.preventDefault(); this.toggle(key); } }
    }, this.columns.map((c) => el("td", { class: c.number ? "number" : c.className }, c.cell(row))));
    return opened ? [tr, el("tr", { class: "detail" }, el("td", { colspan: this.columns.length }, this.detail(row)))] : [tr];
  }

  toggle(key) {
    if (!this.open.delete(key)) this.open.add(key);
    this.draw();
    this.find(key)?.focus({ preventScroll: true });
  }

  find(key) {
    return [...this.body.children].find((tr) => tr.dataset.key === key);
  }

  /** Opens the row and scrolls to it, whatever the filter hides. */
  reveal(key) {
    if (!this.rows.some((r) => this.key(r) === key)) return;
    this.open.add(key);
    this.draw();
    if (!this.find(key)) {
      this.box.value = "";
      this.filter = "";
      this.limit = Infinity;
      this.draw();
    }
    const tr = this.find(key);
    tr.scrollIntoView({ block: "center" });
    tr.focus({ preventScroll: true });
  }
}
