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
  if (groups.size === 0) return [noteElement("no node or link differs")];
  const number = (value) => numberCell(typeof value === "number" ? value : null, numberText(value));
  const rows = [...groups.values()].slice(0, 200).map(({ name, key, a, b, count }) => element("tr", {},
    element("td", {}, placeButton(name, choose), count > 1 ? " and " + (count - 1) + " more" : ""),
    element("td", { text: key.replace(/^attrs\./, "") }), number(a), number(b)));
  return [plainTable(null, ["name", "key", "#A", "#B"], rows)];
}
