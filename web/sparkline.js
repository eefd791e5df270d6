// Utilisation of a place over the run, with the interval marked and the value under the pointer.
import { element, percentText, svgElement, timeText } from "./elements.js";

const w = 300, h = 46;

export function sparkline(windows, interval) {
  const begin = windows[0].begin_fs, end = windows[windows.length - 1].end_fs, most = Math.max(...windows.map((each) => each.share));
  const x = (fs) => (w * (fs - begin) / (end - begin)).toFixed(1), y = (share) => (h - 2 - (h - 6) * Math.min(1, share)).toFixed(1);
  let path = "M0," + (h - 2);
  for (const each of windows) path += "L" + x(each.begin_fs) + "," + y(each.share) + "L" + x(each.end_fs) + "," + y(each.share);
  path += "L" + w + "," + (h - 2) + "Z";
  const svg = svgElement("svg", { viewBox: "0 0 " + w + " " + h, class: "spark", role: "img", "aria-label": "Utilisation over time, at most " + percentText(most) });
  if (interval) svg.append(svgElement("rect", { x: x(interval.from), y: 0, width: Math.max(1, x(interval.to) - x(interval.from)), height: h, class: "window" }));
  svg.append(svgElement("path", { d: path, class: "area" }), svgElement("line", { x1: 0, x2: w, y1: h - 1.5, y2: h - 1.5, class: "axis" }));
  const summary = "utilisation over the run, at most " + percentText(most), caption = element("figcaption", { text: summary });
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), fs = begin + (end - begin) * (event.clientX - box.left) / box.width;
    const found = windows.find((each) => fs < each.end_fs) ?? windows[windows.length - 1];
    caption.textContent = percentText(found.share) + " from " + timeText(found.begin_fs) + " to " + timeText(found.end_fs);
  });
  svg.addEventListener("pointerleave", () => { caption.textContent = summary; });
  return element("figure", { className: "sparkline" }, svg, element("div", { className: "ends" }, element("span", { text: timeText(begin) }), element("span", { text: timeText(end) })), caption);
}
