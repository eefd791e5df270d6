// The machine on a canvas: one continuous zoom from the board to the engines of a PE. A second canvas
// above it shows what changes with the pointer and the selection.
import { element, heatColour, percentText, textColourOn } from "./elements.js";
import { Scene, cellsOf, endsOf, fullName, levels, linkKey } from "./scene.js";

const expandAt = [0, 6, 3.6, 14];  // px of a typical block from which a level is shown, on a usual screen
const smallestText = 8.5, largestText = 15;
const family = "system-ui, 'Liberation Sans', Arial, sans-serif";
const mostBlocks = 4000;  // blocks in a frame from which no scope is expanded
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Rectangles, lines and texts of one level, by colour, so that few styles are set per frame.
class Batch {
  constructor() { this.clear(); }
  clear() {
    this.lines = new Map();
    this.dashed = new Map();
    this.blocks = new Map();
    this.grounds = [];
    this.round = [];
    this.texts = new Map();
  }
  static list(map, key) {
    let list = map.get(key);
    if (list === undefined) map.set(key, list = []);
    return list;
  }
  static round(ctx, list) {
    for (const { fill, stroke, x, y, w, h, radius, width, dash } of list) {
      ctx.beginPath();
      ctx.roundRect(x, y, w, h, radius);
      if (fill) {
        ctx.fillStyle = fill;
        ctx.fill();
      }
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width;
      if (dash) ctx.setLineDash([6, 4]);
      ctx.stroke();
      if (dash) ctx.setLineDash([]);
    }
  }
  line(colour, x, y, w, h) { Batch.list(this.lines, colour).push(x, y, w, h); }
  block(fill, stroke, x, y, w, h) { Batch.list(this.blocks, fill + stroke).push(x, y, w, h); }
  // `plate`: colour behind a text that lines may cross.
  text(words, x, y, size, colour, align, upwards, plate) {
    Batch.list(this.texts, size).push({ words, x, y, colour, align, upwards, plate });
  }

  paint(ctx) {
    Batch.round(ctx, this.grounds);
    for (const [colour, list] of this.lines) {
      ctx.fillStyle = colour;
      for (let i = 0; i < list.length; i += 4) ctx.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    }
    ctx.setLineDash([6, 4]);
    for (const [colour, list] of this.dashed) {
      ctx.strokeStyle = colour;
      for (const { points, width } of list) {
        ctx.lineWidth = width;
        ctx.beginPath();
        points.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
        ctx.stroke();
      }
    }
    ctx.setLineDash([]);
    for (const [key, list] of this.blocks) {
      const fill = key.slice(0, 7), stroke = key.slice(7);
      if (stroke !== "") {
        ctx.fillStyle = stroke;
        for (let i = 0; i < list.length; i += 4) ctx.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
      }
      const edge = stroke === "" ? 0 : 1;
      ctx.fillStyle = fill;
      for (let i = 0; i < list.length; i += 4)
        ctx.fillRect(list[i] + edge, list[i + 1] + edge, list[i + 2] - 2 * edge, list[i + 3] - 2 * edge);
    }
    Batch.round(ctx, this.round);
    ctx.textBaseline = "middle";
    for (const [size, list] of this.texts) {
      ctx.font = size + "px " + family;
      for (const { words, x, y, colour, align, upwards, plate } of list) {
        if (plate) {
          ctx.fillStyle = plate;
          ctx.fillRect(x - 2, y - size * 0.6, widthOf(words) * size + 4, size * 1.2);
        }
        ctx.fillStyle = colour;
        ctx.textAlign = align;
        if (!upwards) {
          ctx.fillText(words, x, y);
          continue;
        }
        ctx.save();
        ctx.translate(x, y);
        ctx.rotate(-Math.PI / 2);
        ctx.fillText(words, 0, 0);
        ctx.restore();
      }
    }
  }
}

// Width of texts in em, measured once.
const widths = new Map();
let measuring = null;
function widthOf(words) {
  let width = widths.get(words);
  if (width === undefined) {
    if (!measuring) {
      measuring = document.createElement("canvas").getContext("2d");
      measuring.font = "100px " + family;
    }
    if (widths.size > 20000) widths.clear();
    widths.set(words, width = measuring.measureText(words).width / 100);
  }
  return width;
}

export class MapView {
  // `options`: {label, uses: () -> Uses or null, onSelect(name), onView(view), describe(name) -> Promise of texts}
  constructor(parent, options) {
    this.options = options;
    this.scene = null;
    this.theme = null;
    this.view = { k: 1, x: 0, y: 0 };
    this.batches = levels.map(() => new Batch());
    this.hover = null;
    this.selected = null;
    this.route = [];
    this.steps = [];    // critical path: [{node, share}]
    this.marks = null;  // differences: Map of name -> kind
    this.statistics = { nodes: 0, links: 0, scopes: [] };
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
    this.overCtx = this.over.getContext("2d");
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

  draw() {
    if (!this.scene || !this.width || !this.theme) return;
    const begin = performance.now(), { ctx, theme } = this;
    this.statistics = { nodes: 0, links: 0, scopes: [], blocks: 0 };
    this.uses = this.options.uses();
    for (const batch of this.batches) batch.clear();
    this.veils = [];
    this.crowd = Math.max(1, Math.sqrt(this.width * this.height / 1.2e6));
    this.collect(0, "", { k: this.view.k, x: this.view.x, y: this.view.y });
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.fillStyle = theme.ground;
    ctx.fillRect(0, 0, this.width, this.height);
    for (const batch of this.batches) batch.paint(ctx);
    for (const { fill, alpha, x, y, w, h } of this.veils) {
      ctx.globalAlpha = alpha;
      ctx.fillStyle = fill;
      ctx.fillRect(x, y, w, h);
    }
    ctx.globalAlpha = 1;
    this.statistics.ms = performance.now() - begin;
    this.options.onDrawn?.(this.statistics);
  }

  // The content of a block of this level is shown at a scale; near its limit the block still covers it
  // in part, so that it does not appear at once.
  expands(level, scale) {
    return this.scene.layouts[level + 1].typical * scale >= expandAt[level + 1] * this.crowd;
  }
  fade(level, scale) {
    const part = this.scene.layouts[level + 1].typical * scale / (expandAt[level + 1] * this.crowd);
    return level === 0 ? 0 : Math.max(0, (1.25 - part) / 0.25);
  }

  visible(x, y, w, h) {
    return x < this.width && y < this.height && x + w > 0 && y + h > 0;
  }

  collect(level, scope, place) {
    const layout = this.scene.layouts[level], { theme } = this, batch = this.batches[level];
    const { k, x: ox, y: oy } = place;
    const use = this.uses ? this.uses.of(scope) : null;
    if (scope !== "") this.statistics.scopes[this.statistics.scopes.length - 1].level = level;
    for (const outline of layout.outlines) {
      const x = ox + k * outline.x, y = oy + k * outline.y, w = k * outline.w, h = k * outline.h;
      if (!this.visible(x, y, w, h) || w < 3) continue;
      const zone = outline.label !== "" && level === 2, host = outline.label !== "" && level === 0;
      const fill = zone ? theme.zone : host ? theme.kinds.control[0] : theme.die;
      batch.grounds.push({ fill, stroke: zone ? theme.zoneEdge : theme.dieEdge, x, y, w, h, radius: Math.min(8, 0.02 * w), width: 1, dash: zone });
      const size = Math.min(largestText, h / (zone ? 7 : 2.4));
      if (outline.label !== "" && size >= smallestText && widthOf(outline.label) * size < w)
        batch.text(outline.label, x + w / 2, y + h / 2, Math.round(size), zone ? theme.zoneEdge : theme.text, "center", false);
    }
    for (const guide of layout.guides) {
      const points = guide.map(([x, y]) => [ox + k * x, oy + k * y]);
      Batch.list(batch.dashed, theme.quiet).push({ points, width: Math.max(0.6, Math.min(1.5, 1.6 * k)) });
    }
    this.collectLinks(layout, scope, place, use);
    for (let index = 0; index < layout.blocks.length; ++index) this.collectBlock(layout, scope, place, use, index);
  }

  collectLinks(layout, scope, { k, x: ox, y: oy }, use) {
    const { theme } = this, batch = this.batches[layout.level];
    const small = layout.typical * k < 4;
    // Links between a chiplet and its SIP are those to single cubes inside.
    const sip = layout.level === 0 ? layout.blocks.find((block) => block.child !== null) : null;
    const detailed = sip && this.expands(0, this.scene.place(1, Scene.boxOf({ k, x: 0, y: 0 }, sip)).k);
    for (let index = 0; index < layout.links.length; ++index) {
      const link = layout.links[index];
      if (!link.inner || detailed && (layout.blocks[link.a].child !== null || layout.blocks[link.b].child !== null)) continue;
      if (!this.visible(ox + k * link.box.x - 4, oy + k * link.box.y - 4, k * link.box.w + 8, k * link.box.h + 8)) continue;
      if (!this.scene.has(layout.blocks[link.a], scope) || !this.scene.has(layout.blocks[link.b], scope)) continue;
      ++this.statistics.links;
      const width = Math.max(0.7, Math.min(9, k * link.width));
      const dashed = link.kind === "control" || link.kind === "ual";
      if (use === null) {
        const colour = theme.links[link.kind];
        if (dashed && !small) {
          Batch.list(batch.dashed, colour).push({ points: link.points.map(([x, y]) => [ox + k * x, oy + k * y]), width: Math.max(0.8, width * 0.7) });
        } else {
          this.segments(batch, colour, link.points, ox, oy, k, 0, width);
        }
        continue;
      }
      const shares = use.links[index] || [null, null];
      const forward = heatColour(theme, shares[0] / this.uses.top), backward = heatColour(theme, shares[1] / this.uses.top);
      if (width < 2) {
        const most = Math.max(shares[0] || 0, shares[1] || 0);
        this.segments(batch, heatColour(theme, most / this.uses.top), link.points, ox, oy, k, 0, Math.max(1, width));
      } else {
        const each = Math.max(1, 0.8 * width), apart = each / 2 + Math.min(0.6, each / 4);
        this.segments(batch, forward, link.points, ox, oy, k, apart, each);
        this.segments(batch, backward, link.points, ox, oy, k, -apart, each);
      }
    }
  }

  // Right-angled line as rectangles, `apart` px to the right of the direction of travel.
  segments(batch, colour, points, ox, oy, k, apart, width) {
    const half = width / 2;
    for (let i = 0; i + 1 < points.length; ++i) {
      const ax = ox + k * points[i][0], ay = oy + k * points[i][1], bx = ox + k * points[i + 1][0], by = oy + k * points[i + 1][1];
      if (Math.abs(by - ay) <= Math.abs(bx - ax)) {
        const y = (ay + by) / 2 + (bx > ax ? apart : -apart);
        batch.line(colour, Math.min(ax, bx) - (i > 0 ? half : 0), y - half, Math.abs(bx - ax) + (i > 0 ? half : 0), width);
      } else {
        const x = (ax + bx) / 2 + (by > ay ? -apart : apart);
        batch.line(colour, x - half, Math.min(ay, by) - (i > 0 ? half : 0), width, Math.abs(by - ay) + (i > 0 ? half : 0));
      }
    }
  }

  collectBlock(layout, scope, place, use, index) {
    const block = layout.blocks[index], { level } = layout, { theme } = this;
    if (block.reference && level === 1 || !this.scene.has(block, scope)) return;
    const x = place.x + place.k * block.x, y = place.y + place.k * block.y, w = place.k * block.w, h = place.k * block.h;
    if (!this.visible(x, y, w, h)) return;
    const batch = this.batches[level];
    ++this.statistics.blocks;
    this.statistics.nodes += Math.max(1, block.nodes.length);
    const share = use ? use.blocks[index] : undefined;
    let [fill, stroke] = theme.kinds[block.kind];
    if (use) fill = share === null || share === undefined ? theme.plain : share > 0 ? heatColour(theme, share / this.uses.top) : theme.idleBlock;
    if (use) stroke = theme.plainEdge;
    if (block.child !== null) {
      const name = fullName(scope, block.child), inner = this.scene.place(level + 1, { x, y, w, h });
      if (this.expands(level, inner.k) && this.statistics.blocks < mostBlocks) {
        const fade = this.fade(level, inner.k);
        if (fade > 0) this.veils.push({ fill, alpha: fade, x, y, w, h });
        this.frame(batch, level, block, share, x, y, w, h);
        this.statistics.scopes.push({ scope: name, level: level + 1, box: { x, y, w, h } });
        this.collect(level + 1, name, inner);
        return;
      }
    }
    if (w < 1 || h < 1) return;
    const mark = this.marks && this.marks.get(fullName(scope, block.child || block.name));
    if (mark) [fill, stroke] = [block.child === null && !use ? theme[mark] : fill, theme[mark]];
    if (Math.min(w, h) >= 22 || block.reference) {
      batch.round.push({ fill: block.reference ? null : fill, stroke, x, y, w, h, radius: Math.min(6, 0.12 * h), width: mark ? 3 : 1, dash: block.reference });
    } else {
      batch.block(fill, w > 5 && h > 5 ? stroke : "", x, y, w, h);
    }
    const colour = use && !block.reference || mark ? textColourOn(fill) : theme.text;
    const cells = cellsOf(block, { x, y, w, h });
    if (!cells) return this.label(batch, block, share, colour, x, y, w, h, place.k, level);
    this.label(batch, block, share, colour, x, y, w, cells.y - y, place.k, level);
    block.nodes.forEach((node, i) => {
      const cx = cells.x + i % cells.columns * cells.w, cy = cells.y + Math.floor(i / cells.columns) * cells.h;
      const words = node.startsWith(block.id + ".") ? node.slice(block.id.length + 1) : node, size = Math.min(11, Math.floor((cells.w - 8) / widthOf(words)));
      batch.round.push({ fill: theme.die, stroke, x: cx + 1, y: cy + 1, w: cells.w - 2, h: cells.h - 2, radius: 3, width: 0.7 });
      if (size >= smallestText) batch.text(words, cx + cells.w / 2, cy + cells.h / 2, size, theme.text, "center", false);
    });
  }

  // Edge and name of a block whose content is shown.
  frame(batch, level, block, share, x, y, w, h) {
    const { theme } = this, mark = this.marks && this.marks.get(block.child);
    batch.grounds.push({ fill: theme.die, stroke: mark ? theme[mark] : level === 2 ? theme.kinds.compute[1] : theme.dieEdge, x, y, w, h, radius: Math.min(6, 0.03 * h), width: 1 });
    // SIPs have their name on the board above them.
    const room = level === 0 ? 99 : h * 0.1, size = Math.min(13, room * 0.85);
    if (size < smallestText) return;
    const words = share > 0 ? block.label + "  " + percentText(share) : block.label;
    if (level === 0) {
      const width = widthOf(words) * 12;
      if (width < w) batch.text(words, x + 2, y + h + 8 * this.view.k + 10, 12, theme.quiet, "left", false, theme.ground);
    } else if (widthOf(words) * size < w - 8) {
      batch.text(words, x + Math.min(6, 0.03 * h + 2), y + room / 2 + 1, Math.round(size), theme.quiet, "left", false);
    }
  }

  longest(level) {
    const layout = this.scene.layouts[level];
    layout.longest ??= Math.max(...layout.blocks.filter((block) => block.child !== null).map((block) => widthOf(block.label)));
    return layout.longest;
  }

  label(batch, block, share, colour, x, y, w, h, k, level) {
    const upwards = h > 2.2 * w, long = upwards ? h : w, across = upwards ? w : h;
    let size = Math.min(largestText, across * 0.62, Math.max(17 * k, smallestText));
    if (size < smallestText) return;
    let words = block.label;
    // Scopes without room for "cube 12" have their numbers, all of a layout.
    if (block.child !== null && this.longest(level) * smallestText > long - 4) words = words.replace(/^\D+/, "");
    let width = widthOf(words);
    if (width * size > long - 4) {
      size = (long - 4) / width;
      if (size < smallestText) return;
    }
    size = Math.floor(size);
    const more = share > 0 ? percentText(share) : null;
    const mx = x + w / 2, my = y + h / 2;
    const second = Math.max(9, Math.floor(size * 0.85));
    if (more !== null && !upwards && h > 2.3 * size && widthOf(more) * second < w - 3) {
      batch.text(words, mx, my - second * 0.55, size, colour, "center", false);
      batch.text(more, mx, my + size * 0.6, second, colour, "center", false);
      return;
    }
    if (more !== null && (width + widthOf("  " + more)) * size < long - 4) words += "  " + more;
    batch.text(words, mx, my, size, colour, "center", upwards);
  }

  // --- Overlay: selection, hover, route, critical path

  screenBox({ x, y, w, h }) {
    return { x: this.view.x + this.view.k * x, y: this.view.y + this.view.k * y, w: this.view.k * w, h: this.view.k * h };
  }

  drawOver() {
    const ctx = this.overCtx, { theme } = this;
    if (!this.scene || !this.width || !theme) return;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    ctx.lineJoin = ctx.lineCap = "round";
    if (this.route.length > 1) this.polyline(ctx, this.route, theme.route, 4);
    this.drawSteps(ctx);
    if (this.hover && this.hover.name !== this.selected) this.highlight(ctx, this.hover.name, theme.mark, 1.5);
    if (this.selected) this.highlight(ctx, this.selected, theme.mark, 2.5, true);
  }

  highlight(ctx, name, colour, width, ring = false) {
    const ends = endsOf(name);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    if (ends) {
      const link = this.scene.link(ends[0], ends[1]);
      if (link) this.stroke(ctx, link.points, colour, Math.max(width, Math.min(9, this.view.k * 3)) + 1);
      return;
    }
    const steps = this.scene.path(name), last = steps[steps.length - 1];
    if (!last) return;
    const { x, y, w, h } = this.screenBox(last.box);
    if (!this.visible(x, y, w, h)) return;
    ctx.beginPath();
    ctx.roundRect(x - 2, y - 2, w + 4, h + 4, 5);
    ctx.stroke();
    if (ring && Math.max(w, h) < 12) {  // tiny: a ring that is seen
      ctx.beginPath();
      ctx.arc(x + w / 2, y + h / 2, 11, 0, 2 * Math.PI);
      ctx.stroke();
    }
  }

  stroke(ctx, points, colour, width) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    points.forEach(([x, y], i) => {
      const sx = this.view.x + this.view.k * x, sy = this.view.y + this.view.k * y;
      i === 0 ? ctx.moveTo(sx, sy) : ctx.lineTo(sx, sy);
    });
    ctx.stroke();
  }

  // Path through nodes along their links.
  pointsOf(nodes) {
    const points = [];
    nodes.forEach((node, i) => {
      const steps = this.scene.path(node), last = steps[steps.length - 1];
      const link = i + 1 < nodes.length ? this.scene.link(node, nodes[i + 1]) : null;
      if (last && (i === 0 || i + 1 === nodes.length)) points.push([last.box.x + last.box.w / 2, last.box.y + last.box.h / 2]);
      if (link) points.push(...link.points);
    });
    return points;
  }

  polyline(ctx, nodes, colour, width) {
    const points = this.pointsOf(nodes);
    if (points.length < 2) return;
    ctx.globalAlpha = 0.85;
    this.stroke(ctx, points, colour, width);
    ctx.globalAlpha = 1;
    for (const [at, fill] of [[points[0], this.theme.page], [points[points.length - 1], colour]]) {
      ctx.beginPath();
      ctx.arc(this.view.x + this.view.k * at[0], this.view.y + this.view.k * at[1], 6, 0, 2 * Math.PI);
      ctx.fillStyle = fill;
      ctx.fill();
      ctx.strokeStyle = colour;
      ctx.lineWidth = 3;
      ctx.stroke();
    }
  }

  drawSteps(ctx) {
    if (this.steps.length === 0) return;
    ctx.strokeStyle = this.theme.path;
    for (const { node, share, current } of this.steps) {
      const ends = endsOf(node);
      if (ends) {
        const link = this.scene.link(ends[0], ends[1]);
        if (link) this.stroke(ctx, link.points, this.theme.path, current ? 5 : 2.5);
        continue;
      }
      const steps = this.scene.path(node), last = steps[steps.length - 1];
      if (!last) continue;
      const { x, y, w, h } = this.screenBox(last.box);
      ctx.strokeStyle = this.theme.path;
      ctx.lineWidth = (current ? 3 : 1) + 3 * Math.min(1, share || 0);
      if (Math.max(w, h) < 8) {
        ctx.beginPath();
        ctx.arc(x + w / 2, y + h / 2, 2.5 + 6 * Math.min(0.5, share || 0) + (current ? 2 : 0), 0, 2 * Math.PI);
        ctx.fillStyle = this.theme.path;
        ctx.fill();
      } else {
        ctx.strokeRect(x - 1, y - 1, w + 2, h + 2);
      }
    }
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
