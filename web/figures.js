// Figures of a run as SVG: the roofline with a point per kernel.
import { element, noteElement, numberText, svgElement } from "./elements.js";
import { RunView } from "./run_view.js";

const left = 92, right = 24, top = 18, bottom = 46;

function decades(from, to) {
  const marks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); ++power) marks.push(10 ** power);
  return marks;
}

export class Roofline extends RunView {
  // `machineOf`: id of a run -> its machine of the session
  constructor(root, store, follow, machineOf) {
    super(root, store, { wanted: ({ run }) => (run === null ? null : { path: "run/" + run + "/roofline" }), parts: (answer) => this.figure(answer), redraws: true });
    this.follow = follow;
    this.machineOf = machineOf;
  }

  // Roofs are those of a SIP, kernels run on some of its PEs. More than 64 PEs have the scopes around them.
  caption(answer, points) {
    const machine = this.machineOf(this.store.state.run), perSip = machine?.sips > 0 ? machine.pes / machine.sips : 0;
    if (perSip === 0) return [];
    const compute = answer.peaks.find((peak) => peak.gflops > 0)?.gflops, used = points.map(({ kernel, place }) => {
      const scopes = place?.scopes ?? [], isOfPes = scopes.every((scope) => /\.pe\d+$/.test(scope)), count = scopes.length;
      if (count === 0) return null;
      if (!isOfPes) return kernel + " on more than 64 PEs";
      const roof = compute && count < perSip ? " (their roof: " + numberText(compute * count / perSip) + " GFLOP/s)" : "";
      return kernel + " on " + numberText(count) + (count === 1 ? " PE" : " PEs") + (count === 1 ? roof.replace("their", "its") : roof);
    }).filter((text) => text !== null);
    return [noteElement("Roofs are those of a whole SIP, " + numberText(perSip) + " PEs" + (used.length > 0 ? "; " + used.slice(0, 12).join(", ") : "") + ".")];
  }

  // peaks: {name, gbs} (slopes) and {name, gflops} (ceilings); points: {kernel, place, intensity, rate}.
  figure(answer) {
    const slopes = answer.peaks.filter((peak) => peak.gbs > 0), ceilings = answer.peaks.filter((peak) => peak.gflops > 0);
    const w = Math.max(480, Math.min(1100, this.root.clientWidth - 40)), h = Math.max(230, this.root.clientHeight - 54);
    const points = answer.points.filter((point) => point.intensity > 0 && point.rate > 0);
    const others = answer.points.filter((point) => !points.includes(point)).map((point) => point.kernel);
    const list = (title, names) => (names.length > 0 ? [noteElement(title + ": " + names.join(", "))] : []);
    const notes = [...list("communication only", answer.communication ?? []), ...list("without operations, or bytes of HBM", others)];
    if (points.length === 0) return [noteElement("No kernel of this run computes and moves bytes of HBM."), ...notes];
    const ridge = slopes.length > 0 && ceilings.length > 0 ? Math.max(...ceilings.map((each) => each.gflops)) / Math.min(...slopes.map((each) => each.gbs)) : 1;
    const xs = points.map((point) => point.intensity), ys = points.map((point) => point.rate);
    const x0 = Math.min(...xs, ridge) / 4, x1 = Math.max(...xs, ridge) * 4;
    const y1 = Math.max(...ys, ...ceilings.map((each) => each.gflops)) * 2, y0 = Math.min(...ys, y1 / 1000) / 2;
    const x = (value) => left + (w - left - right) * Math.log(value / x0) / Math.log(x1 / x0);
    const y = (value) => h - bottom - (h - top - bottom) * Math.log(value / y0) / Math.log(y1 / y0);
    const svg = svgElement("svg", { viewBox: "0 0 " + w + " " + h, width: w, height: h, class: "roofline", role: "img", "aria-label": "Roofline: rate over operations per byte" });
    const text = (tx, ty, words, anchor, options = {}) => svgElement("text", { x: tx, y: ty, "text-anchor": anchor, text: words, ...options });
    for (const value of decades(x0, x1)) {
      if (value < x0 || value > x1) continue;
      svg.append(svgElement("line", { x1: x(value), x2: x(value), y1: top, y2: h - bottom, class: "grid" }), text(x(value), h - bottom + 16, numberText(value), "middle"));
    }
    for (const value of decades(y0, y1)) {
      if (value < y0 || value > y1) continue;
      svg.append(svgElement("line", { x1: left, x2: w - right, y1: y(value), y2: y(value), class: "grid" }), text(left - 8, y(value) + 4, numberText(value), "end"));
    }
    const highest = Math.max(...ceilings.map((each) => each.gflops), y0);
    for (const peak of slopes) {
      const end = ceilings.length > 0 ? highest / peak.gbs : x1, begin = Math.max(x0, y0 / peak.gbs);
      svg.append(svgElement("line", { x1: x(begin), y1: y(begin * peak.gbs), x2: x(Math.min(x1, end)), y2: y(Math.min(x1, end) * peak.gbs), class: "peak" }));
      const at = begin * (Math.min(x1, end) / begin) ** 0.3, angle = -Math.atan2(y(begin * peak.gbs) - y(2 * begin * peak.gbs), x(2 * begin) - x(begin)) * 180 / Math.PI;
      svg.append(text(x(at), y(at * peak.gbs) - 6, peak.name + ", " + numberText(peak.gbs) + " GB/s", "middle", { transform: "rotate(" + angle + " " + x(at) + " " + y(at * peak.gbs) + ")" }));
    }
    for (const peak of ceilings) {
      const begin = slopes.length > 0 ? peak.gflops / Math.max(...slopes.map((each) => each.gbs)) : x0;
      svg.append(svgElement("line", { x1: x(Math.max(x0, begin)), x2: w - right, y1: y(peak.gflops), y2: y(peak.gflops), class: "peak" }),
        text(w - right - 4, y(peak.gflops) - 6, peak.name + ", " + numberText(peak.gflops) + " GFLOP/s", "end"));
    }
    points.forEach((point, i) => {
      const follow = () => this.follow(point.place ?? "");
      const mark = svgElement("circle", { onclick: follow, onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        follow();
      }, cx: x(point.intensity), cy: y(point.rate), r: 6, class: "point p" + i % 5, tabindex: 0, role: "button",
        "aria-label": point.kernel + ": " + numberText(point.intensity) + " FLOP/B, " + numberText(point.rate) + " GFLOP/s" });
      mark.append(svgElement("title", { text: point.kernel + ": where it ran\n" + numberText(point.intensity) + " FLOP/B\n" + numberText(point.rate) + " GFLOP/s" }));
      svg.append(mark);
      if (points.length <= 24) svg.append(text(x(point.intensity) + 9, y(point.rate) + 4, point.kernel, "start", { class: "name", onclick: follow }));
    });
    svg.append(text((left + w - right) / 2, h - 8, "operations per byte, FLOP/B", "middle"),
      text(14, (top + h - bottom) / 2, "rate of a SIP, GFLOP/s", "middle", { transform: "rotate(-90 14 " + (top + h - bottom) / 2 + ")" }));
    return [element("figure", {}, svg), ...this.caption(answer, points), ...notes];
  }
}
