// Differences of two runs, and of their machines.
import { element, noteElement, numberCell, numberText, placeButton, plainTable } from "./elements.js";
import { RunView } from "./run_view.js";
import { tableElement } from "./tables.js";

export class Comparison extends RunView {
  constructor(root, store, follow) {
    super(root, store, {
      wanted: ({ run, other }) => (run === null || other === null ? null : { path: "compare", parameters: { a: run, b: other } }), absent: "choose a second run above",
      parts: (answer) => [...(answer.note ? [noteElement(answer.note)] : []), ...answer.tables.flatMap((table) => [element("h3", { text: table.name.replaceAll("_", " ") }), tableElement(table, "row", follow, 50)])],
    });
  }
}

// name -> "changed", "onlyA", "onlyB". All in a scope that only A has is only in A.
class Marks extends Map {
  get(name) {
    const own = super.get(name);
    if (own || !name) return own;
    for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) if (super.get(name.slice(0, dot)) === "onlyA") return "onlyA";
    return undefined;
  }
}

// Marks of the map; scopes with a difference in them are changed.
export function marksOf(difference) {
  const marks = new Marks();
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
  for (const { names } of difference.changed) for (const name of names) add(name, "changed");
  return marks;
}

// List of what differs, for the details: equal changes of many nodes in one row. What only B has
// leads nowhere on the map, which is of A.
export function differenceParts(difference, choose) {
  const groups = new Map();
  const add = (name, key) => {
    const id = JSON.stringify([name.split(" > ").map((end) => end.split(".").pop().replace(/\d+/g, "")), key]);
    if (!groups.has(id)) groups.set(id, { name, key, a: null, b: null, count: 0 });
    ++groups.get(id).count;
  };
  for (const name of difference.only_a) add(name, "only in A");
  for (const name of difference.only_b) add(name, "only in B");
  const all = [...difference.changed, ...groups.values()], most = 200;
  if (all.length === 0) return [noteElement("no node or link differs")];
  const number = (value) => numberCell(typeof value === "number" ? value : null, numberText(value));
  const rows = all.slice(0, most).map(({ name, key, a, b, count }) => element("tr", {},
    element("td", {}, key === "only in B" ? name : placeButton(name, choose), count > 1 ? " and " + (count - 1) + " more" : ""),
    element("td", { text: key.replace(/^attrs\./, "") }), number(a), number(b)));
  const isCut = difference.only_a.length < difference.only_a_count || difference.only_b.length < difference.only_b_count || all.length > most;
  return [plainTable(null, ["name", "key", "#A", "#B"], rows), ...(isCut ? [noteElement("further differences are not listed")] : [])];
}
