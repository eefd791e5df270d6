// Activity over a run with the interval that the map shows: a slider.
import { axisText, element, niceStep, percentText, timeText } from "./elements.js";

export const gutter = 190;
export const rulerHeight = 22;
export const family = "system-ui, 'Liberation Sans', Arial, sans-serif";
const series = [["links", 0], ["memories", 1], ["engines", 2]];

export function canvasOf(className, label) {
  return element("canvas", { className, tabindex: "0", role: "application", "aria-label": label });
}

export function sized(canvas, w, h) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
  if (canvas.width !== pw || canvas.height !== ph) [canvas.width, canvas.height] = [pw, ph];
  canvas.style.height = h + "px";
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return ctx;
}

// Marks of time between `gutter` and the right edge of a canvas.
export function drawAxis(ctx, width, { from, to }, top, bottom, theme, lines = false) {
  const left = gutter, right = width - 8, step = niceStep((to - from) / Math.max(2, (right - left) / 110));
  ctx.font = "11px " + family;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    const x = left + (right - left) * (t - from) / (to - from);
    ctx.fillStyle = theme.grid;
    ctx.fillRect(Math.round(x), lines ? top : top - 4, 1, lines ? 4000 : 4);
    const words = axisText(t, step), half = ctx.measureText(words).width / 2;
    ctx.fillStyle = theme.quiet;
    ctx.fillText(words, Math.min(Math.max(x, left + half), right - half), (lines ? top - rulerHeight + bottom : top + bottom) / 2);
  }
}

export class Overview {
  // `options`: {theme: () -> theme, parts: () -> parts of the run of which a new interval has one, grabbed():
  // the slider is moved}
  constructor(store, options) {
    this.store = store;
    this.options = options;
    this.end = this.width = 0;
    this.overviews = [];
    this.canvas = canvasOf("overview", "Activity over the run; the interval is what the map shows");
    const handle = (which) => element("div", { className: "handle", role: "slider", tabindex: "0", "aria-label": which + " of the interval", "aria-orientation": "horizontal" });
    this.handles = [handle("Begin"), handle("End")];
    this.root = element("div", { className: "slider" }, this.canvas, ...this.handles);
    this.listen();
    this.handles.forEach((node, i) => node.addEventListener("keydown", (event) => this.handleKey(event, i)));
  }

  // Of the whole run: null.
  setInterval(interval) {
    if (interval) {
      const from = Math.max(0, Math.min(interval.from, interval.to)), to = Math.min(this.end, Math.max(interval.from, interval.to));
      const least = this.end / 2048;
      interval = { from: Math.round(Math.min(from, this.end - least)), to: Math.round(Math.max(to, from + least)) };
    }
    this.store.set({ interval });
  }

  xOf(fs) { return gutter + (this.width - gutter - 8) * fs / this.end; }
  fsOf(x) { return this.end * (x - gutter) / (this.width - gutter - 8); }

  draw() {
    if (!this.width) return;
    const theme = this.options.theme(), h = 58, ctx = sized(this.canvas, this.width, h);
    const { interval } = this.store.state;
    if (this.end === 0) {
      this.handles.forEach((node) => { node.hidden = true; });
      return;
    }
    const left = gutter, right = this.width - 8, base = h - 14;
    ctx.fillStyle = theme.page;
    ctx.fillRect(left, 2, right - left, base - 2);
    // Shares of all links of a machine are small: the axis ends at the largest.
    const most = Math.max(0.001, ...this.overviews.flatMap((overview) => (overview ? overview.bins : []).flatMap((bin) => series.map(([name]) => bin[name] || 0))));
    this.overviews.forEach((overview, number) => {
      if (!overview) return;
      const rows = overview.bins || [];
      for (const [name, colour] of series) {
        ctx.beginPath();
        let begun = false;
        for (const bin of rows) {
          const share = bin[name];
          if (share === null || share === undefined) continue;
          const y = base - (base - 6) * share / most;
          if (!begun) ctx.moveTo(this.xOf(bin.begin_fs), base);
          begun = true;
          ctx.lineTo(this.xOf(bin.begin_fs), y);
          ctx.lineTo(this.xOf(bin.end_fs), y);
        }
        if (!begun) continue;
        ctx.strokeStyle = theme.series[colour];
        ctx.lineWidth = 1.3;
        ctx.setLineDash(number === 1 ? [4, 3] : []);
        ctx.stroke();
        ctx.setLineDash([]);
      }
    });
    ctx.font = "11px " + family;
    ctx.textBaseline = "middle";
    series.forEach(([name, colour], i) => {
      const y = 10 + 14 * i;
      ctx.fillStyle = theme.series[colour];
      ctx.fillRect(12, y - 1, 14, 2.5);
      ctx.fillStyle = theme.quiet;
      ctx.textAlign = "left";
      ctx.fillText("busy " + name, 32, y);
    });
    if (this.overviews[1]) {
      ctx.textAlign = "left";
      ctx.fillText("dashed: run B", 12, 51);
    }
    if (this.overviews.some((overview) => overview)) {
      ctx.textAlign = "right";
      ctx.fillText(percentText(most), left - 6, 9);
      ctx.fillText("0", left - 6, base - 2);
    }
    drawAxis(ctx, this.width, { from: 0, to: this.end }, base, h, theme);
    const from = interval ? this.xOf(interval.from) : left, to = interval ? this.xOf(interval.to) : right;
    ctx.fillStyle = theme.dark ? "#0f1215aa" : "#eef0f2bb";
    ctx.fillRect(left, 2, from - left, base - 2);
    ctx.fillRect(to, 2, right - to, base - 2);
    ctx.strokeStyle = theme.mark;
    ctx.lineWidth = interval ? 1.5 : 1;
    ctx.strokeRect(from, 2.5, Math.max(1, to - from), base - 3);
    const times = interval || { from: 0, to: this.end };
    this.handles.forEach((node, i) => {
      node.hidden = false;
      node.style.left = (i === 0 ? from : to) - 4 + "px";
      node.setAttribute("aria-valuemin", "0");
      node.setAttribute("aria-valuemax", String(this.end));
      node.setAttribute("aria-valuenow", String(i === 0 ? times.from : times.to));
      node.setAttribute("aria-valuetext", timeText(i === 0 ? times.from : times.to));
    });
  }

  listen() {
    let drag = null;
    const { canvas } = this;
    const at = (event) => Math.max(0, Math.min(this.end, this.fsOf(event.clientX - canvas.getBoundingClientRect().left)));
    const start = (event, kind) => {
      if (this.end === 0 || event.button !== 0) return;
      this.options.grabbed();
      const fs = at(event), { interval } = this.store.state;
      const slack = this.end * 5 / (this.width - gutter);
      if (!kind && interval && fs > interval.from + slack && fs < interval.to - slack) kind = "move";
      drag = { kind: kind || "new", fs, interval: interval || { from: 0, to: this.end }, moved: false };
      canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
    };
    canvas.addEventListener("pointerdown", (event) => start(event, null));
    this.handles.forEach((node, i) => node.addEventListener("pointerdown", (event) => {
      start(event, i === 0 ? "from" : "to");
      node.focus();
    }));
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const fs = at(event), { interval } = drag;
      if (Math.abs(fs - drag.fs) > this.end / 1000) drag.moved = true;
      if (!drag.moved) return;
      if (drag.kind === "new") this.setInterval({ from: drag.fs, to: fs });
      else if (drag.kind === "from") this.setInterval({ from: Math.min(fs, interval.to), to: interval.to });
      else if (drag.kind === "to") this.setInterval({ from: interval.from, to: Math.max(fs, interval.from) });
      else {
        const length = interval.to - interval.from, from = Math.max(0, Math.min(this.end - length, interval.from + fs - drag.fs));
        this.setInterval({ from, to: from + length });
      }
    });
    canvas.addEventListener("pointerup", () => {
      if (drag && !drag.moved && drag.kind === "new") {
        const length = this.end / this.options.parts();
        this.setInterval({ from: Math.max(0, drag.fs - length / 2), to: drag.fs + length / 2 });
      }
      drag = null;
    });
    canvas.addEventListener("dblclick", () => this.setInterval(null));
    canvas.addEventListener("keydown", (event) => {
      const { interval } = this.store.state;
      const length = interval ? interval.to - interval.from : this.end / this.options.parts();
      const from = interval ? interval.from : 0, by = { ArrowLeft: -0.5, ArrowRight: 0.5, PageUp: -5, PageDown: 5 }[event.key];
      if (event.key === "Escape" && interval) this.setInterval(null);
      else if (by) {
        const begin = Math.max(0, Math.min(this.end - length, from + by * length));
        this.setInterval({ from: begin, to: begin + length });
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  handleKey(event, which) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const interval = { ...(this.store.state.interval || { from: 0, to: this.end }) };
    const key = which === 0 ? "from" : "to";
    if (by) interval[key] += by * this.end / 100;
    else if (event.key === "Home") interval[key] = 0;
    else if (event.key === "End") interval[key] = this.end;
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (which === 0) interval.from = Math.min(interval.from, interval.to - this.end / 2048);
    else interval.to = Math.max(interval.to, interval.from + this.end / 2048);
    this.setInterval(interval);
  }
}
