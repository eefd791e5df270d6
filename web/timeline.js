// Time of a run: activity over the whole run with the interval that the map shows, replay, and a Gantt
// chart of launches, kernels and engines. With two runs both have the same time axis.
import { api } from "./api.js";
import { element, timeText } from "./elements.js";
import { Overview, canvasOf, drawAxis, family, gutter, rulerHeight, sized } from "./overview.js";
import { targetOf } from "./path_view.js";

const laneHeight = 17, launchHeight = 20;
const kindsOfScopes = ["launch", "kernel"];

// Node or scope that a lane is of: "pe_dma read" of sip0.cube0.pe0 -> its pe_dma; "": the machine.
function placeOf(lane) {
  if (!lane.place) return lane.name.includes(",") ? "" : lane.name;
  const engine = /^(?:commands of )?(pe_\w+)/.exec(lane.name);
  return engine && (lane.kind === "engine" || lane.kind === "command") ? lane.place + "." + engine[1] : lane.place;
}

function titleOf(lane) {
  if (lane.kind === "launch") return "launches" + (lane.name ? " on " + lane.name : "");
  if (!lane.place) return lane.name;
  return lane.name.startsWith("kernel") ? lane.place : lane.place.split(".").slice(-1)[0] + "  " + lane.name;
}

export class Timeline {
  // `options`: {theme: () -> theme, runOf: id -> run of the session, follow(target), say(text), scope: () ->
  // scope in view, exported: () -> facts of an exported file or null}
  constructor(root, store, options) {
    this.root = root;
    this.store = store;
    this.options = options;
    this.lanes = [];
    this.cursor = null;  // bar that the arrow keys have reached
    this.view = null;
    this.end = 0;
    this.build();
    store.subscribe(["run", "other"], () => this.load());
    store.subscribe(["interval"], () => this.intervalChanged());
    store.subscribe(["place"], () => this.draw());
    store.subscribe(["path"], () => this.draw());
    store.subscribe(["target"], () => this.showTarget());
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
    this.overview = new Overview(this.store, { theme: this.options.theme, parts: () => Number(this.length.value), grabbed: () => this.stop() });
    this.gantt = canvasOf("gantt", "Chart of launches, kernels and engines over time. W and S zoom, A and D move, arrow keys go to bars, Enter to their place.");
    this.gantt.timeline = this;  // for tests and measurements
    this.spacer = element("div", { className: "spacer" });
    this.scroll = element("div", { className: "lanes" }, this.gantt, this.spacer);
    this.tip = element("div", { className: "tip", role: "tooltip", hidden: true });
    this.root.append(bar, this.overview.root, this.scroll, this.tip);
    this.listenGantt();
  }

  // --- Data

  runs() {
    const { run, other } = this.store.state;
    return [run, other].filter((id) => id !== null && id !== undefined);
  }

  async load() {
    this.stop();
    const runs = this.runs();
    this.overview.overviews = [];
    this.lanes = [];
    this.end = this.overview.end = Math.max(0, ...runs.map((id) => (this.options.runOf(id) || {}).end_fs || 0));
    this.view = this.end > 0 ? { from: 0, to: this.end } : null;
    const facts = runs.map((id) => this.options.runOf(id) || {});
    const without = facts.some((run) => !run.has_windows);
    this.note.textContent = runs.length > 0 && without ? "no counters per window in this log: colours are those of the whole run" : "";
    this.fillScopes();
    this.draw();
    const key = runs.join();
    this.overview.overviews = await Promise.all(runs.map((id, i) => (facts[i].has_windows ? api.get("run/" + id + "/overview", { bins: 512 }).catch(() => null) : null)));
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
    this.showInterval();
  }

  showInterval() {
    const { interval } = this.store.state, { window } = this;
    this.counted.textContent = interval && window && window.begin_fs !== undefined ? "counted from " + timeText(window.begin_fs) + " to " + timeText(window.end_fs) : "";
    this.text.textContent = this.end === 0 ? "" : interval ? timeText(interval.from) + " to " + timeText(interval.to) + " (" + timeText(interval.to - interval.from) + ")" : "0 to " + timeText(this.end);
    this.whole.disabled = !interval;
    this.overview.draw();
  }

  setInterval(interval) { this.overview.setInterval(interval); }

  intervalChanged() {
    this.showInterval();
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

  draw() {
    this.width = this.overview.width = this.gantt.clientWidth;  // without the scroll bar of the lanes
    if (this.width === 0) return;
    this.showInterval();
    this.drawGantt();
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
    drawAxis(ctx, this.width, view, rulerHeight, rulerHeight, theme, true);
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
    const { interval, target } = this.store.state;
    if (target && target.to_fs !== undefined) {
      const from = Math.max(gutter, this.gx(target.from_fs)), to = Math.min(right, this.gx(target.to_fs));
      ctx.fillStyle = theme.route;
      if (to >= from) ctx.fillRect(from - 1, rulerHeight - 3, Math.max(3, to - from + 2), 3);
    }
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
    const bars = this.barsOf(row), isCursor = this.isCursor(row);
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
      if (isCursor && start === this.cursor.start) {
        ctx.strokeStyle = theme.mark;
        ctx.lineWidth = 2;
        ctx.strokeRect(x - 1, y + 1, w + 2, h - 2);
      }
      if (w < 34) continue;
      const text = (row.kind === "path" ? row.steps[label].node + "  " + row.steps[label].what : row.lane.labels[label]) + (count > 1 ? (row.kind === "kernel" ? "  on " + count + " PEs" : "  \u00d7" + count) : "");
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

  // [[start, end, label, count]]; of a critical path `label` is the index of the step.
  barsOf(row) {
    if (row.kind === "path") return row.steps.map((step, i) => [step.start_fs, step.end_fs, i, 1]);
    return row.lane ? row.lane.bars : [];
  }

  rowAt(y) {
    const at = y + this.scroll.scrollTop;
    return y < rulerHeight ? null : (this.rowsDrawn || []).find((row) => at >= row.y && at < row.y + row.h) || null;
  }

  barAt(row, x) {
    if (!row || x < gutter) return null;
    const fs = this.gfs(x), slack = (this.view.to - this.view.from) * 2 / this.width;
    return this.barsOf(row).find(([start, end]) => fs >= start - slack && fs <= end + slack) || null;
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
      else if (key === "a") this.setView(from - (to - from) * 0.2, to - (to - from) * 0.2);
      else if (key === "d") this.setView(from + (to - from) * 0.2, to + (to - from) * 0.2);
      else if (key === "0" || key === "home") this.setView(0, this.end);
      else if (key === "arrowleft" || key === "arrowright") this.moveCursor(key === "arrowleft" ? -1 : 1, 0);
      else if (key === "arrowup" || key === "arrowdown") this.moveCursor(0, key === "arrowup" ? -1 : 1);
      else if (key === "enter") this.enter();
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
    const lines = [this.labelOf(row, bar), timeText(bar[1] - bar[0]) + " from " + timeText(bar[0], 7) + " to " + timeText(bar[1], 7)];
    if (bar[3] > 1) lines.push(row.kind === "kernel" ? "on up to " + bar[3] + " PEs" : bar[3] + " operations, drawn as one");
    lines.push(row.lane && row.lane.place ? row.lane.place + "  " + row.lane.name : row.name);
    this.tip.replaceChildren(...lines.map((line, i) => element("div", { className: i === 0 ? "name" : "", text: line })));
    this.tip.hidden = false;
    const box = this.root.getBoundingClientRect(), tx = event.clientX - box.left + 14;
    this.tip.style.left = Math.min(tx, this.width - this.tip.offsetWidth - 8) + "px";
    this.tip.style.top = Math.max(2, event.clientY - box.top - this.tip.offsetHeight - 12) + "px";
  }

  labelOf(row, bar) { return row.kind === "path" ? row.steps[bar[2]].node + ": " + row.steps[bar[2]].what : row.lane.labels[bar[2]]; }

  click(x, y) {
    const row = this.rowAt(y), bar = this.barAt(row, x);
    if (row && row.kind !== "title") this.follow(row, bar);
  }

  // To the place of a lane, and the time of its bar.
  follow(row, bar) {
    this.cursor = bar ? { name: row.name, number: row.lane ? row.lane.number : 0, start: bar[0] } : null;
    if (row.kind === "path") return bar && this.options.follow(targetOf(row.steps[bar[2]]));
    const { lane } = row, devices = lane.kind === "launch" ? lane.name.split(",") : [];
    this.options.follow({ place: lane.node, scopes: devices.length > 1 ? devices : [], ...(bar ? { from_fs: bar[0], to_fs: bar[1] } : {}) });
    if (row.kind === "launch" && bar) this.setInterval({ from: bar[0], to: bar[1] });
  }

  // Part of the time, and lane, where a row of a table leads.
  showTarget() {
    const { target } = this.store.state;
    if (!this.view || !target) return this.drawGantt();
    const { from_fs: from, to_fs: to } = target;
    const lane = this.rows().find((row) => row.lane && row.lane.node === target.place);
    if (lane && (lane.y < this.scroll.scrollTop + rulerHeight || lane.y + lane.h > this.scroll.scrollTop + this.scroll.clientHeight)) this.scroll.scrollTop = lane.y - rulerHeight;
    if (to === undefined) return this.drawGantt();
    const margin = Math.max((to - from) / 2, this.end / 400), length = this.view.to - this.view.from;
    const isSeen = from >= this.view.from && to <= this.view.to && length <= 20 * (to - from + 2 * margin);
    if (isSeen) this.drawGantt();
    else this.setView(from - margin, to + margin);
  }

  // Arrow keys: the next bar of the lane, or the bar of another lane at that time.
  moveCursor(dx, dy) {
    const rows = (this.rowsDrawn || []).filter((row) => this.barsOf(row).length > 0);
    if (rows.length === 0) return;
    let at = this.cursor ? rows.findIndex((row) => this.isCursor(row)) : -1, start = this.cursor ? this.cursor.start : this.view.from;
    if (at < 0) at = 0;
    else at = Math.max(0, Math.min(rows.length - 1, at + dy));
    const row = rows[at], bars = this.barsOf(row);
    let bar = bars.findIndex((each) => each[0] >= start);
    if (bar < 0) bar = bars.length - 1;
    if (this.cursor && dx !== 0) bar = Math.max(0, Math.min(bars.length - 1, bar + dx));
    this.cursor = { name: row.name, number: row.lane ? row.lane.number : 0, start: bars[bar][0] };
    const [from, to] = bars[bar], length = this.view.to - this.view.from;
    if (row.y < this.scroll.scrollTop + rulerHeight) this.scroll.scrollTop = row.y - rulerHeight;
    else if (row.y + row.h > this.scroll.scrollTop + this.scroll.clientHeight) this.scroll.scrollTop = row.y + row.h - this.scroll.clientHeight;
    this.options.say(this.labelOf(row, bars[bar]) + ", " + timeText(to - from) + " from " + timeText(from, 7) + ", " + row.name);
    if (from < this.view.from || from > this.view.to) this.setView(from - length / 2, from + length / 2);
    else this.drawGantt();
  }

  isCursor(row) { return Boolean(this.cursor) && this.cursor.name === row.name && this.cursor.number === (row.lane ? row.lane.number : 0); }

  enter() {
    const row = this.cursor && this.rowsDrawn.find((each) => this.isCursor(each)), bar = row && this.barsOf(row).find((each) => each[0] === this.cursor.start);
    if (bar) this.follow(row, bar);
    return Boolean(bar);
  }
}

