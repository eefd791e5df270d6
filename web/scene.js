// Nested layouts of a machine: where each node, scope and link is. The layouts are those of the
// diagrams; each is scaled into the block of its scope one level above.

export const levels = ["system", "sip", "cube", "pe"];

const header = 0.1, padding = 0.03;  // parts of a block's height and size that its content leaves

export function fullName(scope, name) {
  return scope === "" ? name : scope + "." + name;
}

export function linkKey(src, dst) { return src + " > " + dst; }

// Box of content in a block; the cubes of a SIP fill its block.
function roomIn(level, box) {
  if (level === 1) return box;
  const pad = padding * Math.min(box.w, box.h), top = header * box.h;
  return { x: box.x + pad, y: box.y + top, w: box.w - 2 * pad, h: box.h - top - pad };
}

class Layout {
  constructor(level, json) {
    Object.assign(this, json);
    this.level = level;
    this.byName = new Map();   // node or scope, relative -> index of its block
    this.byLink = new Map();   // "src > dst", relative -> [index of the link, 0 forward, 1 backward]
    this.ofBlock = json.blocks.map(() => []);  // links of a block
    json.blocks.forEach((block, index) => {
      if (block.reference) return;
      block.only = block.only ? new Set(block.only) : null;
      this.byName.set(block.child || block.name, index);
      for (const name of block.nodes) this.byName.set(name, index);
    });
    json.links.forEach((link, index) => {
      this.ofBlock[link.a].push(index);
      this.ofBlock[link.b].push(index);
      link.forward.forEach(([src, dst]) => this.byLink.set(linkKey(src, dst), [index, 0]));
      link.backward.forEach(([src, dst]) => this.byLink.set(linkKey(src, dst), [index, 1]));
      // Inside a SIP only links with an end at a cube: its chiplets are on the board.
      link.inner = level !== 1 || !json.blocks[link.a].reference || !json.blocks[link.b].reference;
      const xs = link.points.map((point) => point[0]), ys = link.points.map((point) => point[1]);
      link.box = { x: Math.min(...xs), y: Math.min(...ys) };
      link.box.w = Math.max(...xs) - link.box.x;
      link.box.h = Math.max(...ys) - link.box.y;
    });
    this.scopes = [];  // blocks with a level of their own
    json.blocks.forEach((block, index) => { if (block.child !== null) this.scopes.push(index); });
    this.shown = json.blocks.filter((block) => !(block.reference && level === 1)).length;
    const sizes = json.blocks.filter((block) => !block.reference).map((block) => block.w).sort((a, b) => a - b);
    this.typical = sizes.length > 0 ? sizes[sizes.length >> 1] : 100;
  }
}

export class Scene {
  constructor(id, json) {
    this.id = id;
    this.json = json;
    this.layouts = levels.map((level, index) => new Layout(index, json.layouts[level]));
  }

  get bounds() { return this.layouts[0].bounds; }

  // Both machines have the same map, whatever their settings.
  isLike(other) {
    return this === other || this.json.sips.length === other.json.sips.length && this.layouts.every((layout, level) => layout.blocks.length === other.layouts[level].blocks.length && layout.width === other.layouts[level].width);
  }

  // Placement of the layout of a level in a box: coordinates x -> box.x + scale * x.
  place(level, box) {
    const { area } = this.layouts[level], room = roomIn(level, box);
    const k = Math.min(room.w / area.w, room.h / area.h);
    return { k, x: room.x + (room.w - k * area.w) / 2 - k * area.x, y: room.y + (room.h - k * area.h) / 2 - k * area.y };
  }

  static boxOf(place, block) {
    return { x: place.x + place.k * block.x, y: place.y + place.k * block.y, w: place.k * block.w, h: place.k * block.h };
  }

  has(block, scope) { return !block.only || block.only.has(scope); }

  // Steps from the system to the block of a node or scope: [{level, scope, index, box, name}] in the
  // coordinates of the system's layout; empty if there is none.
  path(name) {
    const steps = [];
    let place = { k: 1, x: 0, y: 0 }, scope = "", rest = name;
    for (let level = 0; level < levels.length; ++level) {
      const layout = this.layouts[level], index = this.indexIn(layout, rest);
      if (index === undefined || !this.has(layout.blocks[index], scope)) return [];
      const block = layout.blocks[index], box = Scene.boxOf(place, block);
      const full = fullName(scope, block.child || block.name);
      const step = { level, scope, index, box, name: full, block };
      steps.push(step);
      if (block.child === null) return full === name || block.nodes.includes(rest) || block.id === rest ? steps : [];
      if (rest === block.child) return steps;
      rest = rest.slice(block.child.length + 1);
      scope = full;
      place = this.place(level + 1, box);
    }
    return [];
  }

  indexIn(layout, rest) {
    if (layout.byName.has(rest)) return layout.byName.get(rest);
    for (let dot = rest.indexOf("."); dot >= 0; dot = rest.indexOf(".", dot + 1)) {
      const index = layout.byName.get(rest.slice(0, dot));
      if (index !== undefined) return index;
    }
    return undefined;
  }

  // Place of the content of a scope, in the coordinates of the system's layout.
  inside(scope) {
    if (scope === "") return { level: 0, place: { k: 1, x: 0, y: 0 } };
    const steps = this.path(scope), last = steps[steps.length - 1];
    if (!last || last.block.child === null || last.name !== scope) return null;
    return { level: last.level + 1, place: this.place(last.level + 1, last.box) };
  }

  // Link between two nodes: {level, scope, index, direction, points}, or null.
  link(src, dst) {
    let scope = "";
    for (;;) {
      const here = this.inside(scope);
      if (!here) return null;
      const skip = scope === "" ? 0 : scope.length + 1, layout = this.layouts[here.level];
      const found = layout.byLink.get(linkKey(src.slice(skip), dst.slice(skip)));
      if (found) {
        const [index, direction] = found, { k, x, y } = here.place;
        const points = layout.links[index].points.map(([px, py]) => [x + k * px, y + k * py]);
        if (direction === 1) points.reverse();
        return { level: here.level, scope, index, direction, points, link: layout.links[index] };
      }
      const next = this.indexIn(layout, src.slice(skip));
      const child = next === undefined ? null : layout.blocks[next].child;
      if (child === null || here.level + 1 === levels.length) return null;
      const inner = fullName(scope, child);
      if (!dst.startsWith(inner + ".")) return null;
      scope = inner;
    }
  }

  // Nodes of a link's directions, as names: [[src, dst], ..].
  namesOf(level, scope, index, direction) {
    const link = this.layouts[level].links[index];
    if (level === 3 && link.forward.length + link.backward.length === 0) return this.portNames(scope, link, direction);
    return (direction === 0 ? link.forward : link.backward).map(([src, dst]) => [fullName(scope, src), fullName(scope, dst)]);
  }

  // Link of an engine to its router, which the layout of the cube names.
  portNames(scope, { a, b }, direction) {
    const dot = scope.lastIndexOf("."), cube = scope.slice(0, dot), pe = scope.slice(dot + 1);
    const { blocks } = this.layouts[3], layout = this.layouts[2], at = layout.byName.get(pe);
    const engine = blocks[blocks[a].reference ? b : a], there = blocks[b].reference ? 0 : 1;  // direction from the engine
    const wanted = engine.reference ? null : pe + "." + engine.id, outwards = direction === there;
    for (const index of wanted ? layout.ofBlock[at] : []) {
      const pairs = [...layout.links[index].forward, ...layout.links[index].backward];
      const found = pairs.find(([src, dst]) => (outwards ? src : dst) === wanted);
      if (found) return [found.map((name) => fullName(cube, name))];
    }
    return [];
  }

  // Node that a block of another level stands for: the router of a PE, its HBM.
  referred(level, scope, index) {
    const block = this.layouts[level].blocks[index];
    if (level !== 3) return fullName("", block.id);
    const dot = scope.lastIndexOf("."), cube = scope.slice(0, dot), pe = scope.slice(dot + 1);
    const layout = this.layouts[2], at = layout.byName.get(pe);
    if (block.id === "hbm_ctrl") {
      const memory = layout.blocks.find((each) => each.id === "hbm_ctrl." + pe);
      return memory ? fullName(cube, memory.name) : null;
    }
    for (const index of layout.ofBlock[at]) {
      const { a, b } = layout.links[index], other = layout.blocks[a === at ? b : a];
      if (other.kind === "network") return fullName(cube, other.name);
    }
    return null;
  }

  // Nodes in the block of that name; empty where a level shows them.
  nodesOf(name) {
    const steps = this.path(name), last = steps[steps.length - 1];
    return last && last.name === name && last.block.child === null ? last.block.nodes.map((node) => fullName(last.scope, node)) : [];
  }

  // Names of nodes and scopes that contain all words of a text, at most `most`: [{name, role}].
  search(text, most) {
    const found = [], words = text.toLowerCase().split(/\s+/);
    const walk = (level, scope) => {
      for (const block of this.layouts[level].blocks) {
        if (block.reference || !this.has(block, scope)) continue;
        for (const name of [block.child, ...block.nodes].filter((each) => each).map((each) => fullName(scope, each)))
          if (found.length < most && words.every((word) => name.toLowerCase().includes(word))) found.push({ name, role: block.child ? levels[level + 1] : "" });
        if (block.child && found.length < most) walk(level + 1, fullName(scope, block.child));
      }
    };
    walk(0, "");
    return found;
  }

  parentOf(name) {
    const steps = this.path(name);
    return steps.length > 1 ? steps[steps.length - 2].name : "";
  }
}

// Nodes of a block without a level of its own as cells in it: {columns, rows, x, y, w, h} of the grid;
// null: one node, or no room.
export function cellsOf(block, { x, y, w, h }) {
  const count = block.nodes.length;
  if (count < 2 || Math.min(w, h) < 34) return null;
  const top = Math.min(22, h * 0.35), room = { w: w - 8, h: h - top - 4 };
  let best = null;
  for (let columns = 1; columns <= count; ++columns) {
    const rows = Math.ceil(count / columns), cw = room.w / columns, ch = room.h / rows;
    const fit = Math.min(cw / 110, ch / 17);
    if (!best || fit > best.fit) best = { fit, columns, rows, w: cw, h: Math.min(ch, 40), x: x + 4, y: y + top };
  }
  return best.fit >= 0.75 ? best : null;
}

// Selection of a link: "src > dst".
export function endsOf(name) {
  const at = name.indexOf(" > ");
  return at < 0 ? null : [name.slice(0, at), name.slice(at + 3)];
}
