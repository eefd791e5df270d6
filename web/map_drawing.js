// Drawing of the map: blocks, links and names of all levels in view, by the level of detail that the
// scale admits.
import { Batch, widthOf } from "./batch.js";
import { heatColour, percentText, textColourOn } from "./elements.js";
import { Scene, cellsOf, fullName, levels } from "./scene.js";

const expandAt = [0, 6, 3.6, 14];  // px of a typical block from which a level is shown, on a usual screen
const smallestText = 8.5, largestText = 15;
const edge = 6;
const mostBlocks = 4000;  // in view: no level is shown that would have more

function textOf(block, share) { return share > 0 ? block.label + "  " + percentText(share) : block.label; }

export class MapDrawing {
  constructor() {
    this.batches = levels.map(() => new Batch());
    this.statistics = { nodes: 0, links: 0, scopes: [], blocks: 0 };
  }

  // Draws a frame: {scene, theme, uses, marks, view, width, height, ratio}.
  paint(ctx, frame) {
    Object.assign(this, frame);
    const { width: w, height: h, ratio, theme } = this;
    this.statistics = { nodes: 0, links: 0, scopes: [], blocks: 0 };
    this.crowd = Math.max(1, Math.sqrt(w * h / 1.2e6));
    this.deepest = this.deepestLevel();
    for (const batch of this.batches) batch.clear();
    this.veils = [];
    this.collect(0, "", this.view);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = theme.ground;
    ctx.fillRect(0, 0, w, h);
    for (const batch of this.batches) batch.paint(ctx);
    for (const { fill, alpha, x, y, w: vw, h: vh } of this.veils) {
      ctx.globalAlpha = alpha;
      ctx.fillStyle = fill;
      ctx.fillRect(x, y, vw, vh);
    }
    ctx.globalAlpha = 1;
    return this.statistics;
  }

  // Level up to which the scopes in view have at most `mostBlocks` blocks.
  deepestLevel() {
    const { layouts } = this.scene, counts = layouts.map((layout, level) => (level === 0 ? layout.shown : 0));
    this.deepest = levels.length;
    const walk = (level, place) => {
      for (const index of layouts[level].scopes) {
        const box = Scene.boxOf(place, layouts[level].blocks[index]);
        if (!this.isOnScreen(box.x, box.y, box.w, box.h)) continue;
        const inner = this.scene.place(level + 1, box);
        if (!this.expands(level, inner.k)) return;  // nor its neighbours
        counts[level + 1] += layouts[level + 1].shown;
        walk(level + 1, inner);
      }
    };
    walk(0, this.view);
    let deepest = 0, sum = counts[0];
    while (deepest + 1 < levels.length && sum + counts[deepest + 1] <= mostBlocks) sum += counts[++deepest];
    return deepest;
  }

  // The content of a block of this level is shown at a scale; near its limit the block still covers it
  // in part, so that it does not appear at once.
  expands(level, scale) {
    return level < this.deepest && this.scene.layouts[level + 1].typical * scale >= expandAt[level + 1] * this.crowd;
  }
  fade(level, scale) {
    const part = this.scene.layouts[level + 1].typical * scale / (expandAt[level + 1] * this.crowd);
    return level === 0 ? 0 : Math.max(0, (1.25 - part) / 0.25);
  }

  isOnScreen(x, y, w, h) { return x < this.width && y < this.height && x + w > 0 && y + h > 0; }

  // With the edges of blocks and the width of links.
  isDrawn(x, y, w, h) { return this.isOnScreen(x - edge, y - edge, w + 2 * edge, h + 2 * edge); }

  collect(level, scope, place) {
    const layout = this.scene.layouts[level], { theme } = this, batch = this.batches[level];
    const { k, x: ox, y: oy } = place;
    const use = this.uses ? this.uses.of(scope) : null;
    for (const outline of layout.outlines) {
      const x = ox + k * outline.x, y = oy + k * outline.y, w = k * outline.w, h = k * outline.h;
      if (w < 3 || !this.isDrawn(x, y, w, h)) continue;
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
      if (!this.isDrawn(ox + k * link.box.x, oy + k * link.box.y, k * link.box.w, k * link.box.h)) continue;
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
    const share = use ? use.blocks[index] : undefined;
    const batch = this.batches[level];
    if (!this.isDrawn(x, y, w, h)) {
      if (level === 0 && block.child !== null && this.expands(0, this.scene.place(1, { x, y, w, h }).k)) this.nameSip(batch, block, share, x, y, w, h);
      return;
    }
    ++this.statistics.blocks;
    this.statistics.nodes += Math.max(1, block.nodes.length);
    let [fill, stroke] = theme.kinds[block.kind];
    if (use) fill = share === null || share === undefined ? theme.plain : share > 0 ? heatColour(theme, share / this.uses.top) : theme.idleBlock;
    if (use) stroke = theme.plainEdge;
    if (block.child !== null) {
      const name = fullName(scope, block.child), inner = this.scene.place(level + 1, { x, y, w, h });
      if (this.expands(level, inner.k)) {
        if (this.isOnScreen(x, y, w, h)) this.statistics.scopes.push({ scope: name, level: level + 1, box: { x, y, w, h } });
        const fade = this.fade(level, inner.k);
        if (fade > 0) this.veils.push({ fill, alpha: fade, x, y, w, h });
        this.frame(batch, level, block, share, x, y, w, h);
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
    if (level === 0) return this.nameSip(batch, block, share, x, y, w, h);
    const room = h * 0.1, size = Math.min(13, room * 0.85), words = textOf(block, share);
    if (size >= smallestText && widthOf(words) * size < w - 8) batch.text(words, x + Math.min(6, 0.03 * h + 2), y + room / 2 + 1, Math.round(size), theme.quiet, "left", false);
  }

  // SIPs have their name on the board below them.
  nameSip(batch, block, share, x, y, w, h) {
    const words = textOf(block, share), top = y + h + 8 * this.view.k;
    if (widthOf(words) * 12 < w && this.isDrawn(x, top, w, 20)) batch.text(words, x + 2, top + 10, 12, this.theme.quiet, "left", false, this.theme.ground);
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
}
