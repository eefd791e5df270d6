// Overlay of the map: selection, place under the pointer, route, critical path, and scopes that a row
// of a table leads to.
import { Scene, endsOf } from "./scene.js";

export class MapOverlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d");
  }

  // {scene, shown, theme, view, width, height, ratio, hover, selected, route, steps, scopes}; `shown`: scopes
  // whose content the map has. Without any of the last five the canvas is hidden: then it costs no time per frame.
  paint(frame) {
    Object.assign(this, frame);
    const { ctx, theme, hover, selected } = this;
    const isEmpty = this.route.length < 2 && this.steps.length === 0 && this.scopes.length === 0 && !hover && !selected;
    this.canvas.hidden = isEmpty;
    if (isEmpty) return;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    ctx.lineJoin = ctx.lineCap = "round";
    if (this.route.length > 1) this.polyline(ctx, this.route, theme.route, 4);
    this.drawSteps(ctx);
    for (const scope of this.scopes) if (scope !== selected) this.highlight(ctx, scope, theme.mark, 1.5, true);
    if (hover && hover.name !== selected) this.highlight(ctx, hover.name, theme.mark, 1.5);
    if (selected) this.highlight(ctx, selected, theme.mark, 2.5, true);
  }

  screenBox(box) { return Scene.boxOf(this.view, box); }

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
    if (x > this.width || y > this.height || x + w < 0 || y + h < 0) return;
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

  // Links and blocks of the critical path. A block whose content is not shown has one edge for all
  // nodes in it, so that names stay readable.
  drawSteps(ctx) {
    const shown = new Set(this.shown.map((each) => each.scope)), blocks = new Map();
    const isShown = (scope) => scope === "" || shown.has(scope);
    for (const { node, share, current } of this.steps) {
      const ends = endsOf(node), link = ends && this.scene.link(ends[0], ends[1]);
      if (link && isShown(link.scope)) {
        ctx.globalAlpha = 0.6;
        this.stroke(ctx, link.points, this.theme.path, current ? 5 : 2.5);
        ctx.globalAlpha = 1;
        continue;
      }
      const step = this.scene.path(ends ? ends[0] : node).filter((each) => isShown(each.scope)).pop();
      if (!step) continue;
      const key = step.scope + " " + step.index, block = blocks.get(key) ?? { box: step.box, share: 0, current: false };
      block.share += share || 0;
      block.current ||= current;
      blocks.set(key, block);
    }
    ctx.strokeStyle = this.theme.path;
    for (const { box, share, current } of blocks.values()) {
      const { x, y, w, h } = this.screenBox(box), width = (current ? 3 : 1) + 3 * Math.min(1, share);
      ctx.lineWidth = width;
      ctx.strokeRect(x - width / 2, y - width / 2, w + width, h + width);  // outside of the block
    }
  }
}
