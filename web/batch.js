// What one level of the map draws, in the order of its layers.
const family = "system-ui, 'Liberation Sans', Arial, sans-serif";

// Rectangles, lines and texts of one level, by colour, so that few styles are set per frame.
export class Batch {
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
export function widthOf(words) {
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
