// Differences of two runs, and of their machines.
import { api } from "./api.js";
import { element, numberText } from "./elements.js";
import { tableElement } from "./tables.js";

export class Comparison {
  constructor(root, store, choose) {
    this.root = root;
    this.store = store;
    this.choose = choose;
  }

  async show() {
    const { run, other } = this.store.state;
    if (run === null || other === null) return this.root.replaceChildren(element("p", { className: "note", text: "choose a second run above" }));
    const key = run + "," + other;
    if (this.shown === key) return;
    this.shown = key;
    try {
      const answer = await api.get("compare", { a: run, b: other });
      const parts = [];
      for (const table of answer.tables) parts.push(element("h3", { text: table.name.replaceAll("_", " ") }), tableElement(table, "row", this.choose, 50));
      if (answer.note) parts.unshift(element("p", { className: "note", text: answer.note }));
      if (this.shown === key) this.root.replaceChildren(...parts);
    } catch (fault) {
      this.root.replaceChildren(element("p", { className: "fault", text: fault.message }));
    }
  }
}

// Marks of the map: name -> "changed", "onlyA", "onlyB"; scopes have the mark of what is in them.
export function marksOf(difference) {
  const marks = new Map();
  const add = (name, mark) => {
    for (const end of name.split(" > ")) {
      if (!marks.has(end)) marks.set(end, mark);
      for (let dot = end.lastIndexOf("."); dot > 0; dot = end.lastIndexOf(".", dot - 1)) {
        const scope = end.slice(0, dot);
        if (!marks.has(scope)) marks.set(scope, "changed");
      }
    }
  };
  for (const name of difference.only_a) add(name, "onlyA");
  for (const name of difference.only_b) add(name, "onlyB");
  for (const { name } of difference.changed) add(name, "changed");
  return marks;
}

// List of what differs, for the details: equal changes of many nodes in one row.
export function differenceParts(difference, choose) {
  const groups = new Map();
  const add = (name, key, a, b) => {
    const id = JSON.stringify([name.split(" > ").map((end) => end.split(".").pop().replace(/\d+/g, "")), key, a, b]);
    if (!groups.has(id)) groups.set(id, { name, key, a, b, count: 0 });
    ++groups.get(id).count;
  };
  for (const { name, key, a, b } of difference.changed) add(name, key, a, b);
  for (const name of difference.only_a) add(name, "only in A", null, null);
  for (const name of difference.only_b) add(name, "only in B", null, null);
  if (groups.size === 0) return [element("p", { className: "note", text: "no node or link differs" })];
  const rows = [...groups.values()].slice(0, 200).map(({ name, key, a, b, count }) => element("tr", {},
    element("td", {}, element("button", { type: "button", className: "place", text: name, onclick: () => choose(name) }), count > 1 ? " and " + (count - 1) + " more" : ""),
    element("td", { text: key.replace(/^attrs\./, "") }), element("td", { className: "number", text: numberText(a) }), element("td", { className: "number", text: numberText(b) })));
  return [element("table", {}, element("thead", {}, element("tr", {}, ...["name", "key", "A", "B"].map((text, i) => element("th", { scope: "col", className: i > 1 ? "number" : null, text })))), element("tbody", {}, ...rows))];
}
