// Legend of the map: the scale of utilisation, or the kinds of blocks; marks of differences.
import { element, heatColour, numberText, percentText } from "./elements.js";

const kinds = [["control", "control"], ["compute", "compute"], ["memory", "memory"], ["network", "network"], ["die_to_die", "UCIe"], ["input_output", "I/O"], ["translation", "MMU"]];
// Time that a utilisation is of, by the name of its window.
export const windowTexts = { pe: "while kernels ran", host: "while the host moved data", time: "in the interval", run: "over the run" };
const tops = [0.05, 0.1, 0.2, 0.5, 1];

function keyOf(fill, edge, text) {
  const swatch = element("span", { className: "swatch" });
  swatch.style.background = fill;
  if (edge) swatch.style.borderColor = edge;
  return element("span", { className: "key" }, swatch, text);
}

function scale(theme, uses, topChosen) {
  const bar = element("canvas", { width: "160", height: "10", "aria-hidden": "true" }), ctx = bar.getContext("2d");
  for (let x = 0; x < 160; ++x) {
    ctx.fillStyle = heatColour(theme, (x + 1) / 160);
    ctx.fillRect(x, 0, 1, 10);
  }
  const top = element("select", { "aria-label": "Top of the colour scale" }, element("option", { value: "", text: "auto: " + percentText(uses.commonTop) }),
    ...tops.map((value) => element("option", { value: String(value), text: percentText(value) })));
  top.value = uses.fixedTop === null ? "" : String(uses.fixedTop);
  top.addEventListener("change", () => topChosen(top.value === "" ? null : Number(top.value)));
  const of = windowTexts[uses.window?.name];
  return [element("span", { text: "utilisation" + (of ? " " + of : "") }), keyOf(theme.plain, theme.plainEdge, "not counted"), keyOf(theme.idle, null, "idle"), element("span", { text: "0" }), bar, top];
}

// `uses`: of the run, or null; `differences`: of machines, or null; `topChosen(share or null)`.
export function legendParts({ theme, uses, differences, topChosen }) {
  const parts = uses ? scale(theme, uses, topChosen) : kinds.map(([kind, text]) => keyOf(...theme.kinds[kind], text));
  if (differences) {
    const { changed_count: changed, only_a_count: onlyA, only_b_count: onlyB } = differences;
    for (const [mark, text, count] of [["changed", "changed", changed], ["onlyA", "only A", onlyA], ["onlyB", "only B", onlyB]]) parts.push(keyOf(theme[mark], null, text + ": " + numberText(count)));
  }
  return parts;
}
