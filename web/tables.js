// Tables of a run, drawn by the script of the pages that sweeps write; a row selects its place.
import "./page.js";
import { api } from "./api.js";
import { element, noteElement, numberText } from "./elements.js";

// Texts of a column: as they are, numbers with equal digits.
function texts(column, values) {
  const numbers = values.filter((value) => typeof value === "number");
  const whole = numbers.every(Number.isInteger);
  const most = Math.max(0, ...numbers.map(Math.abs));
  const after = whole || most === 0 ? 0 : Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(most))));
  return values.map((value) => (value === null || value === undefined ? "" : typeof value === "number" && !whole ? value.toFixed(after) : String(value)));
}

// Columns of shares, which the reports print as percent.
const shares = /(^|\.)(busy|.*utilisation|share|gain|mfu|.*_share)$/;

const titles = {
  "bottleneck.resources": "Limiting resources", "bottleneck.kernels": "Limits of kernels", engines: "Engines", links: "Busiest links",
};

// "operators" for operators.operators.
export function titleOf(name) { return titles[name] || [...new Set(name.split(/[._]/))].join(" "); }

// What columns of the tables of limits are.
const meanings = {
  gain: "how much faster with twice as much of the resource", at_least_ns: "time with the resource unlimited", key: "key to double, as --set accepts it",
  busy: "share of time of the busiest server", stalled_ns: "time in queues, summed over all servers: may exceed the run", kind: "rate: works while it is busy; slot: held while others work",
};

// Lets names in a table break after their dots, also after its rows are drawn anew.
export function breakNames(box) {
  const table = box.querySelector("table");
  if (!table) return box;
  breakNamesIn(table);
  new MutationObserver(() => breakNamesIn(table)).observe(table, { childList: true });
  return box;
}

function breakNamesIn(table) {
  for (const cell of table.querySelectorAll("td.text")) {
    const holder = cell.querySelector("button.place") ?? cell, text = holder.textContent;
    if (holder.childElementCount > 0 || !/\w\.\w/.test(text)) continue;
    holder.replaceChildren(...text.split(/(?<=\w\.)(?=\w)/).flatMap((part, i) => (i === 0 ? [part] : [element("wbr"), part])));
  }
}

// Element of a table of the API: {columns: [{name, unit, kind}], rows, places}; `text` of a column: value -> text.
// The rows of a table that has more are the first ones.
export function tableElement(answer, noun, select, part = 100) {
  const box = element("div", { className: "table" }, element("div", { className: "scroll" },
    element("table", {}, element("thead", {}, element("tr")), element("tbody"))));
  const columns = answer.columns.map((column, i) => {
    let values = answer.rows.map((row) => row[i]), { name, unit } = column;
    const title = (answer.name ?? "").startsWith("bottleneck") ? meanings[name] : null;
    if (unit && name.endsWith("_" + unit)) name = name.slice(0, -unit.length - 1);
    if (!column.text && shares.test(name) && !unit && values.every((value) => value === null || typeof value === "number" && Math.abs(value) <= 1)) {
      values = values.map((value) => (value === null ? null : 100 * value));
      unit = "%";
    }
    const numeric = column.kind === "number" || values.some((value) => typeof value === "number") && values.every((value) => value === null || typeof value === "number");
    const cells = column.text ? values.map((value) => column.text(value)) : texts(column, values);
    return { name, title, unit: unit || "", kind: numeric ? "number" : column.kind, further: Boolean(column.further), cells, values: column.text && values };
  });
  if (columns.length === 0) return noteElement("empty");
  window.kernbenchPage.setUp(box, { rows: answer.rows.length, part, noun, columns, places: answer.places || null, select });
  const search = box.querySelector(".controls input[type=search]"), number = columns.find(({ name, kind }) => kind === "number" && !name.includes(" "));
  if (search) search.placeholder = number ? "text or condition, e.g. " + number.name + ">10" : "text";
  if (answer.left_out > 0) box.prepend(noteElement("The first " + numberText(answer.rows.length) + " of " + numberText(answer.rows.length + answer.left_out) + " rows"));
  return box;
}

export class Tables {
  // Tables of the run, chosen from a list.
  constructor(root, store, follow) {
    this.root = root;
    this.store = store;
    this.follow = follow;
    this.name = null;
    this.picker = element("div", { className: "tablist", role: "tablist", "aria-label": "Tables" });
    this.body = element("div", { className: "tablebody" });
    root.append(this.picker, this.body);
  }

  async show() {
    const { run } = this.store.state;
    if (run === null) return this.body.replaceChildren(noteElement("no run is loaded"));
    if (this.run === run) return;
    this.run = run;
    this.body.replaceChildren();
    try {
      this.tables = await api.get("run/" + run + "/tables");
      if (!this.tables.some((each) => each.name === this.name)) this.name = (this.tables[0] || {}).name;
      this.showList();
      await this.showTable();
    } catch (fault) {
      this.picker.replaceChildren();
      this.body.replaceChildren(element("p", { className: "fault", text: fault.message }));
    }
  }

  showList() {
    this.picker.replaceChildren(...this.tables.map(({ name, rows }) => element("button", {
      type: "button", role: "tab", "aria-selected": String(name === this.name), "data-name": name, text: titleOf(name), title: rows + " rows",
      onclick: () => {
        this.name = name;
        this.showList();
        this.showTable();
      },
    })));
  }

  async showTable() {
    const { run, name } = this;
    if (!name) return this.body.replaceChildren(noteElement("this run has no tables"));
    try {
      const answer = await api.get("run/" + run + "/table/" + encodeURIComponent(name));
      if (this.run === run && this.name === name) this.body.replaceChildren(breakNames(tableElement(answer, "row", this.follow)));
    } catch (fault) {
      if (this.run === run && this.name === name) this.body.replaceChildren(element("p", { className: "fault", text: fault.message }));
    }
  }
}
