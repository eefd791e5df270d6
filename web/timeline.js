// Time of a run: activity over the whole run with the interval that the map shows, replay, and a Gantt
// chart of launches, kernels and engines. With two runs both have the same time axis.
import { api } from "./api.js";
import { axisText, element, niceStep, percentText, timeText } from "./elements.js";

const gutter = 190, rulerHeight = 22, laneHeight = 17, launchHeight = 20;
const family = "system-ui, 'Liberation Sans', Arial, sans-serif";
const series = [["links", 0], ["memories", 1], ["engines", 2]];
const kindsOfScopes = ["launch", "kernel"];

// Node or scope that a lane is of: "pe_dma read" of sip0.cube0.pe0 -> its pe_dma.
function placeOf(lane) {
  if (!lane.place) return /^sip\d+$/.test(lane.name) ? lane.name : null;
  const engine = /^(?:commands of )?(pe_\w+)/.exec(lane.name);
  return engine && (lane.kind === "engine" || lane.kind === "command") ? lane.place + "." + engine[1] : lane.place;
}

function titleOf(lane) {
  if (lane.kind === "launch") return "launches" + (lane.name ? " on " + lane.name : "");
  if (!lane.place) return lane.name;
  return lane.name.startsWith("kernel") ? lane.place : lane.place.split(".").slice(-1)[0] + "  " + lane.name;
}

function canvasOf(className, label) {
  return element("canvas", { className, tabindex: "0", role: "application", "aria-label": label });
}

function sized(canvas, w, h) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
  if (canvas.width !== pw || canvas.height !== ph) [canvas.width, canvas.height] = [pw, ph];
  canvas.style.height = h + "px";
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return ctx;
}

export class Timeline {
  // `options`: {theme: () -> theme, runOf: id -> run of the session, choose(name), scope: () -> scope in
  // view, exported: () -> facts of an exported file or null}
  constructor(root, store, options) {
    this.root = root;
    this.store = store;
    this.options = options;
    this.overviews = [];
    this.lanes = [];
    this.steps = [];
    this.view = null;
    this.end = 0;
    this.build();
    store.subscribe(["run", "other"], () => this.load());
    store.subscribe(["interval"], () => this.intervalChanged());
    store.subscribe(["place"], () => this.draw());
    store.subscribe(["path"], () => this.draw());
    store.subscribe(["laneScope"], () => this.ask(true));
    new ResizeObserver(() => this.draw()).observe(root);
  }

  build() {
    const button = (text, title, action) => element("button", { type: "button", title, "aria-label": title, text, onclick: action });
    this.play = button("\u25b6", "Replay the run (space)", () => this.toggle());
    this.length = element("select", { "aria-label": "Length of the interval in a replay" },
      ...[[100, "1/100"], [50, "1/50"], [20, "1/20"], [10, "1/10"]].map(([value, text]) => element("option", { value, text: "interval " + text })));
    this.length.value = "50";
    this.pace = element("select", { "aria-label": "Duration of a replay" },
      ...[[10, "10 s"], [20, "20 s"], [60, "60 s"]].map(([value, text]) => element("option", { value, text: "in " + text })));
    this.pace.value = "20";
    this.text = element("output", { className: "interval" });
    this.counted = element("span", { className: "note" });
    this.whole = button("whole run", "Show the whole run", () => this.setInterval(null));
    this.scopeChoice = element("select", { "aria-label": "Lanes of the chart" });
    this.scopeChoice.addEventListener("change", () => this.store.set({ laneScope: this.scopeChoice.value }));
    this.note = element("span", { className: "note" });
    const bar = element("div", { className: "bar" }, this.play, this.length, this.pace, this.whole, this.text, this.counted, this.note,
      element("span", { className: "grow" }), element("label", {}, "lanes of ", this.scopeChoice));
    this.overview = canvasOf("overview", "Activity over the run; the interval is what the map shows");
    const handle = (which) => element("div", { className: "handle", role: "slider", tabindex: "0", "aria-label": which + " of the interval", "aria-orientation": "horizontal" });
    this.handles = [handle("Begin"), handle("End")];
    this.slider = element("div", { className: "slider" }, this.overview, ...this.handles);
    this.gantt = canvasOf("gantt", "Chart of launches, kernels and engines over time. W and S zoom, A and D move.");
    this.gantt.timeline = this;  // for tests and measurements
    this.spacer = element("div", { className: "spacer" });
    this.scroll = element("div", { className: "lanes" }, this.gantt, this.spacer);
    this.tip = element("div", { className: "tip", role: "tooltip", hidden: true });
    this.root.append(bar, this.slider, this.scroll, this.tip);
    this.listenOverview();
    this.listenGantt();
    this.handles.forEach((node, i) => node.addEventListener("keydown", (event) => this.handleKey(event, i)));
  }

  // --- Data

  runs() {
    const { run, other } = this.store.state;
    return [run, other].filter((id) => id !== null && id !== undefined);
  }

  async load() {
    this.stop();
    const runs = this.runs();
    this.overviews = [];
    this.lanes = [];
    this.end = Math.max(0, ...runs.map((id) => (this.options.runOf(id) || {}).end_fs || 0));
    this.view = this.end > 0 ? { from: 0, to: this.end } : null;
    const facts = runs.map((id) => this.options.runOf(id) || {});
    const without = facts.some((run) => !run.has_windows);
    this.note.textContent = runs.length > 0 && without ? "no counters per window in this " + (facts[0].kind === "stats" ? "file" : "log") + ": colours are those of the whole run" : "";
    this.fillScopes();
    this.draw();
    const key = runs.join();
    this.overviews = await Promise.all(runs.map((id, i) => (facts[i].has_windows ? api.get("run/" + id + "/overview", { bins: 512 }).catch(() => null) : null)));
    if (this.runs().join() !== key) return;
    this.draw();
    this.ask(true);
  }

  fillScopes() {
    const { laneScope } = this.store.state, names = ["", "view"];
    const options = [["", "the machine"], ["view", "what the map shows"]];
    if (laneScope && !names.includes(laneScope)) options.push([laneScope, laneScope]);
    this.scopeChoice.replaceChildren(...options.map(([value, text]) => element("option", { value, text })));
    this.scopeChoice.value = laneScope || "";
  }

  scope() {
    const { laneScope } = this.store.state;
    return laneScope === "view" ? this.options.scope() : laneScope || "";
  }

  // The map shows another scope.
  scopeInView(scope) {
    if (this.store.state.laneScope === "view" && scope !== this.askedScope) this.ask();
  }

  ask(now = false) {
    clearTimeout(this.timer);
    if (!this.view || this.runs().length === 0) return;
    this.timer = setTimeout(async () => {
      const { from, to } = this.view, runs = this.runs(), scope = this.askedScope = this.scope();
      const bins = Math.max(50, Math.min(2000, Math.round((this.root.clientWidth - gutter) / 2) || 600));
      const margin = (to - from) * 0.25;
      const whole = from <= 0 && to >= this.end || this.options.exported();
      const range = whole ? {} : { from_fs: Math.max(0, Math.round(from - margin)), to_fs: Math.min(this.end, Math.round(to + margin)) };
      const key = JSON.stringify([range, runs, scope]);
      this.askedKey = key;
      try {
        const settled = await Promise.allSettled(runs.map((id) => this.bars(id, { ...range, bins: this.options.exported() ? this.options.exported().timeline_bins : whole ? bins : Math.round(bins * 1.5), scope })));
        if (this.askedKey !== key) return;
        if (settled.every((each) => each.status === "rejected")) throw settled[0].reason;
        const answers = settled.map((each) => each.value || { lanes: [], labels: [] });
        this.lanes = answers.flatMap((answer, i) => answer.lanes.map((lane) => ({ ...lane, title: titleOf(lane), node: placeOf(lane), labels: answer.labels, number: i })));
        const order = new Intl.Collator("en", { numeric: true });
        this.lanes.sort((a, b) => a.number - b.number || order.compare(a.place || "", b.place || ""));
        this.lanes.forEach((lane, i) => { lane.first = i === 0 || this.lanes[i - 1].number !== lane.number; });
        this.leftOut = answers.reduce((sum, answer) => sum + (answer.lanes_left_out || 0), 0);
        this.fault = null;
        this.isPartial = answers.some((answer) => answer.complete === false);
        if (this.isPartial) this.ask();
      } catch (fault) {
        if (this.askedKey !== key) return;
        this.fault = fault.message;
      }
      this.draw();
    }, now ? 0 : 130);
  }

  // Without the operations of a large log (`complete` is false) while the server reads them.
  async bars(run, parameters) {
    if (this.options.runOf(run).kind === "stats") return { lanes: [], labels: [] };
    const path = "run/" + run + "/timeline";
    if (this.options.exported()) return api.get(path, parameters);
    const soon = { ...parameters, wait_ms: this.isPartial ? 1000 : 300 }, answer = await api.get(path, soon);
    if (!answer.complete) api.forget(path, soon);
    return answer;
  }

  // --- Interval and replay

  // Recorded windows that the colours of the interval are from.
  showWindow(window) {
    this.window = window;
    this.drawOverview();
  }

  setInterval(interval) {
    if (interval) {
      const from = Math.max(0, Math.min(interval.from, interval.to)), to = Math.min(this.end, Math.max(interval.from, interval.to));
      const least = this.end / 2048;
      interval = { from: Math.round(Math.min(from, this.end - least)), to: Math.round(Math.max(to, from + least)) };
    }
    this.store.set({ interval });
  }

  intervalChanged() {
    this.drawOverview();
    this.drawGantt();
  }

  toggle() {
    if (this.playing) return this.stop();
    if (!this.view || this.end === 0) return;
    const length = this.end / Number(this.length.value);
    let at = this.store.state.interval ? this.store.state.interval.from : 0;
    if (at + length >= this.end) at = 0;
    let before = performance.now();
    this.play.textContent = "\u2759\u2759";
    this.play.setAttribute("aria-label", "Pause (space)");
    const rate = this.end / (1000 * Number(this.pace.value));
    let shown = 0;
    const step = (now) => {
      at += (now - before) * rate;
      before = now;
      if (at + length >= this.end) {
        this.setInterval({ from: this.end - length, to: this.end });
        return this.stop();
      }
      // Few distinct intervals, so that answers are found again in the next replay.
      const grid = this.end / 512, from = Math.round(at / grid) * grid;
      if (now - shown > 90) {
        shown = now;
        this.setInterval({ from, to: from + length });
      }
      this.playing = requestAnimationFrame(step);
    };
    this.playing = requestAnimationFrame(step);
  }

  stop() {
    cancelAnimationFrame(this.playing || 0);
    this.playing = 0;
    this.play.textContent = "\u25b6";
    this.play.setAttribute("aria-label", "Replay the run (space)");
  }

  // --- Overview

  xOf(fs) { return gutter + (this.width - gutter - 8) * fs / this.end; }
  fsOf(x) { return this.end * (x - gutter) / (this.width - gutter - 8); }

  draw() {
    this.width = this.root.clientWidth;
    if (this.width === 0) return;
    this.drawOverview();
    this.drawGantt();
  }

  drawOverview() {
    if (!this.width) return;
    const theme = this.options.theme(), h = 58, ctx = sized(this.overview, this.width, h);
    const { interval } = this.store.state;
    this.counted.textContent = interval && this.window && this.window.begin_fs !== undefined ? "counted from " + timeText(this.window.begin_fs) + " to " + timeText(this.window.end_fs) : "";
    this.text.textContent = this.end === 0 ? "" : interval ? timeText(interval.from) + " to " + timeText(interval.to) + " (" + timeText(interval.to - interval.from) + ")" : "0 to " + timeText(this.end);
    this.whole.disabled = !interval;
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
    if (this.overviews.some((overview) => overview)) {
      ctx.textAlign = "right";
      ctx.fillText(percentText(most), left - 6, 9);
      ctx.fillText("0", left - 6, base - 2);
    }
    this.axis(ctx, { from: 0, to: this.end }, base, h, theme);
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

  axis(ctx, { from, to }, top, bottom, theme, lines = false) {
    const left = gutter, right = this.width - 8, step = niceStep((to - from) / Math.max(2, (right - left) / 110));
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

  listenOverview() {
    let drag = null;
    const { overview } = this;
    const at = (event) => Math.max(0, Math.min(this.end, this.fsOf(event.clientX - overview.getBoundingClientRect().left)));
    const start = (event, kind) => {
      if (this.end === 0 || event.button !== 0) return;
      this.stop();
      const fs = at(event), { interval } = this.store.state;
      const slack = this.end * 5 / (this.width - gutter);
      if (!kind && interval && fs > interval.from + slack && fs < interval.to - slack) kind = "move";
      drag = { kind: kind || "new", fs, interval: interval || { from: 0, to: this.end }, moved: false };
      overview.setPointerCapture(event.pointerId);
      event.preventDefault();
    };
    overview.addEventListener("pointerdown", (event) => start(event, null));
    this.handles.forEach((node, i) => node.addEventListener("pointerdown", (event) => {
      start(event, i === 0 ? "from" : "to");
      node.focus();
    }));
    overview.addEventListener("pointermove", (event) => {
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
    overview.addEventListener("pointerup", () => {
      if (drag && !drag.moved && drag.kind === "new") {
        const length = this.end / Number(this.length.value);
        this.setInterval({ from: Math.max(0, drag.fs - length / 2), to: drag.fs + length / 2 });
      }
      drag = null;
    });
    overview.addEventListener("dblclick", () => this.setInterval(null));
    overview.addEventListener("keydown", (event) => {
      const { interval } = this.store.state;
      const length = interval ? interval.to - interval.from : this.end / Number(this.length.value);
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

  // --- Gantt

  heightOf(lane) { return kindsOfScopes.includes(lane.kind) ? launchHeight : laneHeight; }

  // Lanes with their places: the critical path first.
  rows() {
    const rows = [], { path } = this.store.state;
    let y = rulerHeight;
    if (path && path.steps.length > 0) {
      rows.push({ kind: "path", name: "critical path", y, h: launchHeight, steps: path.steps });
      y += launchHeight;
    }
    for (const lane of this.lanes) {
      if (lane.first && this.runs().length > 1) {
        rows.push({ kind: "title", name: lane.number === 0 ? "Run A" : "Run B", y, h: launchHeight });
        y += launchHeight;
      }
      const h = this.heightOf(lane);
      rows.push({ kind: lane.kind, name: lane.title, lane, y, h });
      y += h;
    }
    if (this.leftOut > 0) {
      rows.push({ kind: "title", name: this.leftOut + " more lanes", y, h: laneHeight });
      y += laneHeight;
    }
    this.total = y + 4;
    return rows;
  }

  gx(fs) { return gutter + (this.width - gutter - 8) * (fs - this.view.from) / (this.view.to - this.view.from); }
  gfs(x) { return this.view.from + (this.view.to - this.view.from) * (x - gutter) / (this.width - gutter - 8); }

  drawGantt() {
    const theme = this.options.theme();
    // The canvas has the visible part, and stays there while the lanes are scrolled.
    const rows = this.rowsDrawn = this.rows(), visible = Math.max(60, this.scroll.clientHeight);
    const ctx = sized(this.gantt, this.width, visible);
    this.spacer.style.height = Math.max(0, this.total - visible) + "px";
    ctx.font = "11px " + family;
    ctx.textBaseline = "middle";
    if (!this.view || this.lanes.length === 0) {
      ctx.fillStyle = theme.quiet;
      ctx.textAlign = "left";
      ctx.fillText(this.runs().length === 0 ? "no run is loaded" : this.fault || "no operations are recorded here", 12, 30);
      if (!this.view) return;
    }
    const { view } = this, right = this.width - 8, first = this.scroll.scrollTop, last = first + visible;
    this.axis(ctx, view, rulerHeight, rulerHeight, theme, true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, rulerHeight, this.width, visible - rulerHeight);
    ctx.clip();
    ctx.translate(0, -first);
    for (const row of rows) {
      if (row.y + row.h < first + rulerHeight || row.y > last) continue;
      this.drawRow(ctx, row, theme);
    }
    ctx.restore();
    const { interval } = this.store.state;
    if (interval) {
      const from = Math.max(gutter, this.gx(interval.from)), to = Math.min(right, this.gx(interval.to));
      if (to > from) {
        ctx.fillStyle = theme.dark ? "#6cb2ff22" : "#0b62c414";
        ctx.fillRect(from, 0, to - from, visible);
        ctx.fillStyle = theme.mark;
        ctx.fillRect(from, 0, 1, visible);
        ctx.fillRect(to - 1, 0, 1, visible);
      }
    }
    const note = this.fault || (this.isPartial ? "reading the operations\u2026" : null);
    if (note && this.lanes.length > 0) {
      ctx.fillStyle = theme.quiet;
      ctx.textAlign = "left";
      ctx.fillText(note, gutter + 8, rulerHeight + 8);
    }
  }

  drawRow(ctx, row, theme) {
    const { y, h } = row, right = this.width - 8, { view } = this;
    const selected = row.lane && row.lane.node !== null && row.lane.node === this.store.state.place;
    if (selected) {
      ctx.fillStyle = theme.dark ? "#1d2c3d" : "#e6f0fb";
      ctx.fillRect(0, y, this.width, h);
    }
    ctx.textAlign = "right";
    ctx.font = (row.kind === "title" || row.kind === "launch" ? "600 " : "") + "11px " + family;
    ctx.fillStyle = row.kind === "path" ? theme.path : selected ? theme.mark : theme.text;
    let words = row.name;
    while (ctx.measureText(words).width > gutter - 16 && words.length > 4) words = "\u2026" + words.slice(3);
    ctx.fillText(words, gutter - 8, y + h / 2);
    ctx.fillStyle = theme.grid;
    ctx.fillRect(0, y + h - 1, this.width, 1);
    if (row.kind === "title") return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(gutter, y, right - gutter, h);
    ctx.clip();
    const bars = row.kind === "path" ? row.steps.map((step) => [step.start_fs, step.end_fs, step.node + "  " + step.what, 1]) : row.lane.bars;
    ctx.textAlign = "left";
    ctx.font = "11px " + family;
    for (const [start, end, label, count] of bars) {
      if (end < view.from || start > view.to) continue;
      const x = Math.max(gutter - 2, this.gx(start)), w = Math.max(1, Math.min(right + 2, this.gx(end)) - x);
      const colour = row.kind === "path" ? theme.path : this.colourOf(row, label, theme);
      ctx.globalAlpha = count > 1 && row.kind !== "kernel" ? 0.65 : 1;
      ctx.fillStyle = colour;
      ctx.fillRect(x, y + 2, w, h - 4);
      ctx.globalAlpha = 1;
      if (w > 3) {  // gap between neighbours
        ctx.fillStyle = theme.ground;
        ctx.fillRect(x + w - 0.6, y + 2, 0.6, h - 4);
      }
      if (w < 34) continue;
      const text = (row.kind === "path" ? label : row.lane.labels[label]) + (count > 1 ? (row.kind === "kernel" ? "  on " + count + " PEs" : "  \u00d7" + count) : "");
      const most = Math.floor(w / 6);
      ctx.fillStyle = row.kind === "stall" ? theme.text : theme.dark ? "#0f1215" : "#ffffff";
      ctx.fillText(text.length > most ? text.slice(0, Math.max(1, most - 1)) + "\u2026" : text, x + 4, y + h / 2 + 0.5);
    }
    ctx.restore();
  }

  colourOf(row, label, theme) {
    if (row.kind === "launch") return theme.series[5];
    if (row.kind === "stall") return theme.idle;
    let hash = 0;
    const text = row.lane.labels[label] || "";
    for (let i = 0; i < text.length; ++i) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
    return theme.series[hash % 5];
  }

  setView(from, to) {
    const length = Math.min(this.end, Math.max(to - from, this.end / 1e6, 1000));
    from = Math.max(0, Math.min(this.end - length, from));
    this.view = { from, to: from + length };
    this.drawGantt();
    this.ask();
  }

  zoom(factor, fs) {
    const { from, to } = this.view;
    this.setView(fs - (fs - from) * factor, fs + (to - fs) * factor);
  }

  rowAt(y) {
    const at = y + this.scroll.scrollTop;
    return y < rulerHeight ? null : (this.rowsDrawn || []).find((row) => at >= row.y && at < row.y + row.h) || null;
  }

  barAt(row, x) {
    if (!row || row.kind === "title" || x < gutter) return null;
    const fs = this.gfs(x), slack = (this.view.to - this.view.from) * 2 / this.width;
    const bars = row.kind === "path" ? row.steps.map((step) => [step.start_fs, step.end_fs, step.what, 1, step.node, step.on_map]) : row.lane.bars;
    return bars.find(([start, end]) => fs >= start - slack && fs <= end + slack) || null;
  }

  listenGantt() {
    const { gantt } = this;
    let drag = null;
    const at = (event) => {
      const box = gantt.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    gantt.addEventListener("pointerdown", (event) => {
      if (!this.view || event.button !== 0) return;
      const [x, y] = at(event);
      drag = { x, y, view: this.view, ruler: y < rulerHeight || event.shiftKey, moved: false, top: this.scroll.scrollTop, clientY: event.clientY };
      gantt.setPointerCapture(event.pointerId);
    });
    gantt.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (!drag) return this.hover(x, y, event);
      if (Math.abs(x - drag.x) + Math.abs(event.clientY - drag.clientY) > 3) drag.moved = true;
      if (!drag.moved) return;
      this.tip.hidden = true;
      if (drag.ruler) return this.setInterval({ from: this.gfs(drag.x), to: this.gfs(x) });
      const by = (drag.view.to - drag.view.from) * (drag.x - x) / (this.width - gutter - 8);
      this.setView(drag.view.from + by, drag.view.to + by);
      this.scroll.scrollTop = drag.top + drag.clientY - event.clientY;
    });
    gantt.addEventListener("pointerup", (event) => {
      const [x, y] = at(event);
      if (drag && !drag.moved) this.click(x, y);
      drag = null;
    });
    gantt.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    gantt.addEventListener("dblclick", (event) => {
      const [x, y] = at(event), bar = this.barAt(this.rowAt(y), x);
      if (!bar) return;
      const margin = (bar[1] - bar[0]) * 0.1;
      this.setView(bar[0] - margin, bar[1] + margin);
      this.setInterval({ from: bar[0], to: bar[1] });
    });
    gantt.addEventListener("wheel", (event) => {
      if (!this.view) return;
      const [x] = at(event), scrolls = this.total > this.scroll.clientHeight + 2;
      if (scrolls && !event.ctrlKey && !event.shiftKey) return;  // scrolls the lanes
      event.preventDefault();
      this.zoom(Math.exp((event.ctrlKey ? 0.006 : 0.0018) * (event.deltaY || event.deltaX)), this.gfs(Math.max(gutter, x)));
    }, { passive: false });
    this.scroll.addEventListener("scroll", () => this.drawGantt());
    gantt.addEventListener("keydown", (event) => {
      if (!this.view || event.ctrlKey || event.metaKey || event.altKey) return;
      const { from, to } = this.view, middle = (from + to) / 2, key = event.key.toLowerCase();
      if (key === "w" || key === "+") this.zoom(0.7, middle);
      else if (key === "s" || key === "-") this.zoom(1 / 0.7, middle);
      else if (key === "a" || key === "arrowleft") this.setView(from - (to - from) * 0.2, to - (to - from) * 0.2);
      else if (key === "d" || key === "arrowright") this.setView(from + (to - from) * 0.2, to + (to - from) * 0.2);
      else if (key === "0" || key === "home") this.setView(0, this.end);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  hover(x, y, event) {
    const row = this.rowAt(y), bar = this.barAt(row, x);
    this.gantt.style.cursor = bar || row && x < gutter ? "pointer" : "";
    if (!bar) {
      this.tip.hidden = true;
      return;
    }
    const label = row.kind === "path" ? bar[4] + ": " + bar[2] : row.lane.labels[bar[2]];
    const lines = [label, timeText(bar[1] - bar[0]) + " from " + timeText(bar[0], 7) + " to " + timeText(bar[1], 7)];
    if (bar[3] > 1) lines.push(row.kind === "kernel" ? "on up to " + bar[3] + " PEs" : bar[3] + " operations, drawn as one");
    lines.push(row.lane && row.lane.place ? row.lane.place + "  " + row.lane.name : row.name);
    this.tip.replaceChildren(...lines.map((line, i) => element("div", { className: i === 0 ? "name" : "", text: line })));
    this.tip.hidden = false;
    const box = this.root.getBoundingClientRect(), tx = event.clientX - box.left + 14;
    this.tip.style.left = Math.min(tx, this.width - this.tip.offsetWidth - 8) + "px";
    this.tip.style.top = Math.max(2, event.clientY - box.top - this.tip.offsetHeight - 12) + "px";
  }

  click(x, y) {
    const row = this.rowAt(y), bar = this.barAt(row, x);
    if (row && row.kind === "path" && bar && bar[5] !== false) return this.options.choose(bar[4]);
    if (row && row.lane && row.lane.node && (row.kind !== "launch" || !bar)) this.options.choose(row.lane.node);
    if (row && row.kind === "launch" && bar) this.setInterval({ from: bar[0], to: bar[1] });
  }
}

