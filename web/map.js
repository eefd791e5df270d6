// The machine on a canvas: one continuous zoom from the board to the engines of a PE. A second canvas
// above it shows what changes with the pointer and the selection.
import { element } from "./elements.js";
import { MapDrawing } from "./map_drawing.js";
import { MapOverlay } from "./map_overlay.js";
import { Scene, cellsOf, endsOf, fullName, linkKey } from "./scene.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class MapView {
  // `options`: {label, uses: () -> Uses or null, onSelect(name), onView(view), describe(name) -> Promise of texts}
  constructor(parent, options) {
    this.options = options;
    this.scene = null;
    this.theme = null;
    this.view = { k: 1, x: 0, y: 0 };
    this.drawing = new MapDrawing();
    this.hover = null;
    this.selected = null;
    this.route = [];
    this.steps = [];    // critical path: [{node, share}]
    this.scopes = [];   // where a row of a table leads
    this.marks = null;  // differences: Map of name -> kind
    this.statistics = this.drawing.statistics;
    this.canvas = element("canvas", {
      className: "map", tabindex: "0", role: "application", "aria-roledescription": "map of the machine",
      "aria-label": options.label, "aria-keyshortcuts": "ArrowUp ArrowDown ArrowLeft ArrowRight Enter Escape + - 0",
    });
    this.over = element("canvas", { className: "over", "aria-hidden": "true" });
    this.tip = element("div", { className: "tip", role: "tooltip", hidden: true });
    this.legend = element("div", { className: "legend" });
    this.badge = element("div", { className: "badge", hidden: true });
    const button = (text, title, action) => element("button", { type: "button", title, "aria-label": title, text, onclick: action });
    const zoom = element("div", { className: "zoom" },
      button("+", "Zoom in (+)", () => this.zoomBy(1.6)), button("\u2212", "Zoom out (-)", () => this.zoomBy(1 / 1.6)),
      button("\u2922", "Whole machine (0)", () => this.fit()));
    this.root = element("div", { className: "pane" }, this.canvas, this.over, this.badge, zoom, this.legend, this.tip);
    parent.append(this.root);
    this.canvas.mapView = this;  // for tests and measurements
    this.ctx = this.canvas.getContext("2d", { alpha: false });
    this.overlay = new MapOverlay(this.over);
    this.listen();
    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(this.root);
  }

  close() {
    this.resizer.disconnect();
    this.root.remove();
    this.scene = null;
  }

  setScene(scene) {
    this.scene = scene;
    this.hover = null;
    this.fit(false);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const { clientWidth: w, clientHeight: h } = this.root;
    if (w === 0 || h === 0) return;
    const before = this.width ? { w: this.width, h: this.height } : null;
    this.width = w;
    this.height = h;
    this.ratio = ratio;
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    if (this.scene && !before) this.fit(false);
    else if (this.scene && before) {
      const k = Math.min(w / before.w, h / before.h);
      const cx = (before.w / 2 - this.view.x) / this.view.k, cy = (before.h / 2 - this.view.y) / this.view.k;
      this.view.k *= k;
      this.view.x = w / 2 - cx * this.view.k;
      this.view.y = h / 2 - cy * this.view.k;
    }
    this.draw();
    this.drawOver();
  }

  // --- View

  fitView(box, part = 0.94) {
    const k = part * Math.min(this.width / box.w, this.height / box.h);
    return { k, x: this.width / 2 - k * (box.x + box.w / 2), y: this.height / 2 - k * (box.y + box.h / 2) };
  }

  fit(animated = true) {
    if (!this.scene || !this.width) return;
    const { bounds } = this.scene, legend = 46, margin = 14, names = 30, top = this.badge.hidden ? margin : 44;
    const k = Math.min((this.width - 2 * margin) / bounds.w, Math.max(60, this.height - legend - top - names) / bounds.h);
    this.go({ k, x: this.width / 2 - k * (bounds.x + bounds.w / 2), y: top - k * bounds.y }, animated);
  }

  limits() {
    const whole = this.fitView(this.scene.bounds);
    return [whole.k * 0.4, whole.k * 60000];
  }

  go(view, animated = true) {
    cancelAnimationFrame(this.motion);
    if (!animated || calm.matches) return this.setView(view);
    const from = { ...this.view }, begin = performance.now(), length = 320;
    // The centre moves so that it keeps its place relative to the change of scale.
    const centre = (v) => [(this.width / 2 - v.x) / v.k, (this.height / 2 - v.y) / v.k];
    const a = centre(from), b = centre(view), ratio = view.k / from.k;
    const step = (now) => {
      const t = Math.min(1, (now - begin) / length), eased = t * t * (3 - 2 * t);
      const k = from.k * ratio ** eased;
      const part = Math.abs(ratio - 1) < 1e-6 ? eased : (1 - from.k / k) / (1 - from.k / view.k);
      const cx = a[0] + (b[0] - a[0]) * part, cy = a[1] + (b[1] - a[1]) * part;
      this.setView(t === 1 ? view : { k, x: this.width / 2 - cx * k, y: this.height / 2 - cy * k });
      if (t < 1) this.motion = requestAnimationFrame(step);
    };
    this.motion = requestAnimationFrame(step);
  }

  setView(view, quiet = false) {
    const [least, most] = this.limits(), k = Math.min(Math.max(view.k, least), most);
    if (k !== view.k) {
      const cx = (this.width / 2 - view.x) / view.k, cy = (this.height / 2 - view.y) / view.k;
      view = { k, x: this.width / 2 - cx * k, y: this.height / 2 - cy * k };
    }
    const { bounds } = this.scene, margin = 60;
    this.view = {
      k,
      x: Math.min(Math.max(view.x, margin - k * (bounds.x + bounds.w)), this.width - margin - k * bounds.x),
      y: Math.min(Math.max(view.y, margin - k * (bounds.y + bounds.h)), this.height - margin - k * bounds.y),
    };
    this.tip.hidden = true;
    this.later();
    if (!quiet) this.options.onView?.(this.view);
  }

  // Draws in the next frame.
  later() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
      this.drawOver();
    });
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    cancelAnimationFrame(this.motion);
    const [least, most] = this.limits();
    const k = Math.min(Math.max(this.view.k * factor, least), most), part = k / this.view.k;
    this.setView({ k, x: x - (x - this.view.x) * part, y: y - (y - this.view.y) * part });
  }

  zoomTo(name, part = 0.8) {
    const ends = endsOf(name);
    let box = null;
    if (ends) {
      const link = this.scene.link(ends[0], ends[1]);
      if (!link) return;
      // With the blocks at its ends.
      const { place } = this.scene.inside(link.scope), { blocks } = this.scene.layouts[link.level];
      const parts = [link.link.a, link.link.b].map((index) => Scene.boxOf(place, blocks[index]));
      parts.push(...link.points.map(([x, y]) => ({ x, y, w: 0, h: 0 })));
      const x = Math.min(...parts.map((each) => each.x)), y = Math.min(...parts.map((each) => each.y));
      box = { x, y, w: Math.max(...parts.map((each) => each.x + each.w)) - x, h: Math.max(...parts.map((each) => each.y + each.h)) - y };
      part = 0.6;
    } else {
      const steps = this.scene.path(name), last = steps[steps.length - 1];
      if (!last) return;
      box = last.box;
      const inside = last.block.child === null ? null : this.scene.inside(name);
      if (inside && last.level > 0) {  // its content, without empty margins
        const { area } = this.scene.layouts[inside.level];
        box = Scene.boxOf(inside.place, area);
        part = 0.92;
      }
      if (last.block.child === null) {  // with its surroundings
        const w = box.w + 4 * Math.min(box.w, box.h), h = box.h + 4 * Math.min(box.w, box.h);
        box = { x: box.x + (box.w - w) / 2, y: box.y + (box.h - h) / 2, w, h };
        part = last.block.nodes.length > 1 ? 0.9 : 0.8;
      }
    }
    this.go(this.fitView(box, part));
  }

  // All of several nodes, unless they are visible.
  zoomToAll(names) {
    const boxes = names.map((name) => this.scene.path(name)).filter((steps) => steps.length > 0).map((steps) => steps[steps.length - 1].box);
    if (boxes.length === 0) return;
    const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
    const w = Math.max(...boxes.map((box) => box.x + box.w)) - x, h = Math.max(...boxes.map((box) => box.y + box.h)) - y;
    const screen = this.screenBox({ x, y, w, h });
    const visible = screen.x > 0 && screen.y > 0 && screen.x + screen.w < this.width && screen.y + screen.h < this.height;
    if (!visible || Math.max(screen.w, screen.h) < 0.2 * Math.min(this.width, this.height)) this.go(this.fitView({ x, y, w, h }, 0.7));
  }

  // Moves only if the place is not well visible.
  reveal(name) {
    const ends = endsOf(name), steps = ends ? null : this.scene.path(name);
    const target = ends ? this.scene.link(ends[0], ends[1]) : steps[steps.length - 1];
    if (!target) return;
    const [x, y, w, h] = ends ? [...target.points[0], 0, 0] : [target.box.x, target.box.y, target.box.w, target.box.h];
    const sx = this.view.x + this.view.k * x, sy = this.view.y + this.view.k * y;
    const inside = sx > -2 && sy > -2 && sx + this.view.k * w < this.width + 2 && sy + this.view.k * h < this.height + 2;
    const level = target.level;
    const shown = this.statistics.scopes.some((each) => each.scope === target.scope) || level === 0;
    if (!inside || !shown || !ends && this.view.k * Math.max(w, h) < 14) this.zoomTo(name);
  }

  // Scope in which the middle of the view is, as far as it is shown.
  scopeInView() {
    let scope = "";
    for (const each of this.statistics.scopes) {
      const { x, y, w, h } = each.box;
      if (x < this.width * 0.35 && x + w > this.width * 0.65 && y < this.height * 0.4 && y + h > this.height * 0.6 && each.scope.length > scope.length) scope = each.scope;
    }
    return scope;
  }

  // --- Drawing

  screenBox(box) { return Scene.boxOf(this.view, box); }

  draw() {
    if (!this.scene || !this.width || !this.theme) return;
    const begin = performance.now(), { scene, theme, marks, view, width, height, ratio } = this;
    const uses = this.uses = this.options.uses();
    this.statistics = this.drawing.paint(this.ctx, { scene, theme, uses, marks, view, width, height, ratio });
    this.statistics.ms = performance.now() - begin;
    this.options.onDrawn?.(this.statistics);
  }

  drawOver() {
    const { scene, theme, view, width, height, ratio, hover, selected, route, steps, scopes } = this;
    if (scene && width && theme) this.overlay.paint({ scene, shown: this.statistics.scopes, theme, view, width, height, ratio, hover, selected, route, steps, scopes });
  }

  // --- Place under the pointer

  hit(px, py) {
    return this.scene ? this.hitIn(0, "", this.view, px, py) : null;
  }

  hitIn(level, scope, place, px, py) {
    const layout = this.scene.layouts[level];
    for (let index = layout.blocks.length - 1; index >= 0; --index) {
      const block = layout.blocks[index];
      if (block.reference && level === 1 || !this.scene.has(block, scope)) continue;
      const { x, y, w, h } = Scene.boxOf(place, block);
      if (px < x || py < y || px > x + w || py > y + h) continue;
      if (block.reference) {
        const name = this.scene.referred(level, scope, index);
        return name ? { name, reference: true } : null;
      }
      const name = fullName(scope, block.child || block.name);
      if (block.child !== null && this.statistics.scopes.some((each) => each.scope === name))
        return this.hitIn(level + 1, name, this.scene.place(level + 1, { x, y, w, h }), px, py) || { name, level, scope, index };
      const cells = block.child === null ? cellsOf(block, { x, y, w, h }) : null;
      if (cells) {
        const column = Math.floor((px - cells.x) / cells.w), row = Math.floor((py - cells.y) / cells.h), node = block.nodes[row * cells.columns + column];
        if (py >= cells.y && column >= 0 && column < cells.columns && node) return { name: fullName(scope, node), level, scope, index };
      }
      return { name, level, scope, index };
    }
    return this.linkAt(layout, scope, place, px, py);
  }

  linkAt(layout, scope, { k, x: ox, y: oy }, px, py) {
    let best = null, nearest = 5;
    layout.links.forEach((link, index) => {
      if (!link.inner) return;
      for (let i = 0; i + 1 < link.points.length; ++i) {
        const ax = ox + k * link.points[i][0], ay = oy + k * link.points[i][1], bx = ox + k * link.points[i + 1][0], by = oy + k * link.points[i + 1][1];
        const dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
        const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length));
        const distance = Math.hypot(px - ax - t * dx, py - ay - t * dy);
        if (distance >= nearest) continue;
        // The direction on whose side the pointer is.
        const right = dx * (py - ay) - dy * (px - ax) >= 0;
        const both = [0, 1].map((direction) => this.scene.namesOf(layout.level, scope, index, direction));
        const direction = right && both[0].length > 0 || both[1].length === 0 ? 0 : 1;
        if (both[direction].length === 0) continue;
        const [src, dst] = both[direction][0];
        nearest = distance;
        best = { name: linkKey(src, dst), level: layout.level, scope, link: index, direction };
      }
    });
    return best;
  }

  // --- Pointer and keys

  listen() {
    const { canvas } = this, pointers = new Map();
    let moved = 0, pinch = 0;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      moved = pointers.size > 1 ? 99 : 0;
      cancelAnimationFrame(this.motion);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event), before = pointers.get(event.pointerId);
      if (!before) return this.hoverAt(x, y);
      pointers.set(event.pointerId, [x, y]);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (pinch > 0) this.zoomBy(apart / pinch, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        pinch = apart;
        return;
      }
      moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
      if (moved < 4) return;
      canvas.classList.add("dragged");
      this.setView({ k: this.view.k, x: this.view.x + x - before[0], y: this.view.y + y - before[1] });
    });
    const end = (event) => {
      const known = pointers.delete(event.pointerId);
      pinch = 0;
      canvas.classList.remove("dragged");
      if (!known || event.type === "pointercancel" || moved >= 4) return;
      const found = this.hit(...at(event));
      this.options.onSelect(found ? found.name : null, event);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => this.hoverAt(-1, -1));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1;
      const rate = event.ctrlKey ? 0.01 : 0.0018;
      this.zoomBy(Math.exp(-rate * Math.max(-400, Math.min(400, event.deltaY * unit))), ...at(event));
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => {
      const found = this.hit(...at(event));
      if (found) this.zoomTo(found.name);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.hoverAt(-1, -1));
  }

  hoverAt(x, y) {
    const found = x < 0 ? null : this.hit(x, y);
    if ((found ? found.name : null) !== (this.hover ? this.hover.name : null)) {
      this.hover = found;
      this.canvas.style.cursor = found ? "pointer" : "";
      this.drawOver();
      this.tip.hidden = true;
      clearTimeout(this.tipTimer);
      if (found) this.tipTimer = setTimeout(() => this.showTip(found), 140);
    }
    this.pointer = [x, y];
    if (!this.tip.hidden) this.placeTip();
  }

  async showTip(found) {
    const lines = await this.options.describe(found);
    if (this.hover !== found || lines.length === 0) return;
    this.tip.replaceChildren(...lines.map((line, i) => element("div", { className: i === 0 ? "name" : "", text: line })));
    this.tip.hidden = false;
    this.placeTip();
  }

  placeTip() {
    const [x, y] = this.pointer, { offsetWidth: w, offsetHeight: h } = this.tip;
    this.tip.style.left = Math.max(2, x + 16 + w > this.width ? x - w - 10 : x + 16) + "px";
    this.tip.style.top = Math.max(2, y + 18 + h > this.height ? y - h - 10 : y + 18) + "px";
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const direction = directions[event.key];
    const pan = 80;
    if (direction && event.shiftKey)
      this.setView({ k: this.view.k, x: this.view.x - pan * direction[0], y: this.view.y - pan * direction[1] });
    else if (direction) this.move(direction);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.4);
    else if (event.key === "-") this.zoomBy(1 / 1.4);
    else if (event.key === "0" || event.key === "Home") this.fit();
    else if (event.key === "Enter") this.enter();
    else if (event.key === "Escape" || event.key === "Backspace") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Next block in a direction: in the same layout, else next to the scope.
  move([dx, dy]) {
    const selected = this.selected && !endsOf(this.selected) ? this.scene.path(this.selected) : [];
    if (selected.length === 0) {
      const found = this.hit(this.width / 2, this.height / 2) || this.hit(this.width / 2, this.height / 3);
      const first = this.scene.layouts[0].blocks.find((block) => block.child !== null);
      return this.choose(found ? found.name : first.child);
    }
    for (let depth = selected.length - 1; depth >= 0; --depth) {
      const { level, scope, index } = selected[depth];
      const layout = this.scene.layouts[level], from = layout.blocks[index];
      let best = null, least = Infinity;
      layout.blocks.forEach((block, i) => {
        if (i === index || block.reference || !this.scene.has(block, scope)) return;
        // Distance between the edges along the direction, and across it between the centres.
        const x = block.x + block.w / 2 - from.x - from.w / 2, y = block.y + block.h / 2 - from.y - from.h / 2;
        const ahead = dx * x + dy * y, across = Math.abs(dx * y) + Math.abs(dy * x);
        if (ahead <= 1 || across > 2.2 * ahead) return;
        if (ahead + 2 * across < least) [best, least] = [block, ahead + 2 * across];
      });
      if (best) return this.choose(fullName(scope, best.child || best.name));
    }
  }

  choose(name) {
    this.options.onSelect(name);
    this.reveal(name);
  }

  enter() {
    const name = this.selected;
    if (!name) return this.move([1, 0]);
    const steps = endsOf(name) ? [] : this.scene.path(name), last = steps[steps.length - 1];
    if (!last) return this.zoomTo(name);
    const { w, h } = this.screenBox(last.box);
    const large = Math.max(w / this.width, h / this.height) > 0.72;
    if (!large || last.block.child === null) return this.zoomTo(name);
    const layout = this.scene.layouts[last.level + 1];
    const inner = layout.blocks.find((block) => !block.reference && this.scene.has(block, name));
    if (inner) this.choose(fullName(name, inner.child || inner.name));
  }

  leave() {
    const scope = this.selected ? this.outer(this.selected) : this.scene.parentOf(this.scopeInView());
    this.options.onSelect(scope === "" ? null : scope);
    scope === "" ? this.fit() : this.zoomTo(scope);
  }

  outer(name) {
    const ends = endsOf(name);
    if (!ends) return this.scene.parentOf(name);
    const link = this.scene.link(ends[0], ends[1]);
    return link ? link.scope : "";
  }
}
