// List of the keys.
import { closeButton, element, noteElement } from "./elements.js";

const keys = [["/", "search a node"], ["arrow keys", "select the neighbour of a block"], ["Enter, double click", "zoom into the selected block"], ["Escape, Backspace", "one level out"],
  ["+ \u2212, wheel", "zoom"], ["drag, Shift + arrows", "move the map"], ["0", "whole machine; in the chart: whole run"], ["r", "route from the selected node"], ["1 \u2026 6", "views of the run; 6 of two runs"], ["space", "replay"],
  ["W S A D", "zoom and move the chart when it has the focus; arrow keys and Enter: its bars; Ctrl + wheel zooms it"], ["drag on the slider", "interval that the map shows; double click: the whole run"], ["m", "focus to the map"], ["?", "this list"]];

export function showHelp(dialog, version) {
  dialog.replaceChildren(element("div", { className: "title" }, element("h2", { text: "Keys" }), closeButton(() => dialog.close())),
    element("dl", {}, ...keys.flatMap(([key, text]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text })])),
    noteElement("With a run, colours are utilisation; of a link each direction by itself, on the right of its direction of travel. " + version));
  dialog.showModal();
}
