// Elements, numbers and colours that all modules of the page share.

function filled(node, options, children) {
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key === "className" ? "class" : key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function element(name, options = {}, ...children) { return filled(document.createElement(name), options, children); }
export function svgElement(name, options = {}, ...children) { return filled(document.createElementNS("http://www.w3.org/2000/svg", name), options, children); }

export function noteElement(text) { return element("p", { className: "note", text }); }

export function closeButton(close, label = "Close") {
  return element("button", { type: "button", className: "close", text: "\u00d7", title: label, "aria-label": label, onclick: close });
}

// Button that selects a node, link or scope.
export function placeButton(name, choose, text = name) {
  return element("button", { type: "button", className: "place", text, title: name, onclick: () => choose(name) });
}

// Makes a click anywhere in a row that of its button, and arrow keys lead to the buttons of other rows.
export function followRow(row, follow) {
  window.kernbenchPage.followRow(row, follow);
  return row;
}

// Cell with a number as text, which sorts by its value.
export function numberCell(value, ...children) {
  return element("td", { className: "number", "data-value": value === null || value === undefined ? null : String(value) }, ...children);
}

// Table of few rows, sorted by a click on a title; the titles of columns with numbers begin with "#".
export function plainTable(className, titles, rows) {
  const body = element("tbody", {}, ...rows), head = element("tr");
  let sorted = -1, direction = 1;
  const valueOf = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  titles.forEach((text, column) => {
    const isNumber = text.startsWith("#");
    const sort = () => {
      direction = column === sorted ? -direction : isNumber ? -1 : 1;
      sorted = column;
      const compare = window.kernbenchPage.comparison({ kind: isNumber ? "number" : "text", cells: rows.map((row) => valueOf(row, column)) }, direction);
      body.replaceChildren(...rows.map((_, i) => i).sort(compare).map((i) => rows[i]));
      [...head.cells].forEach((cell, i) => (i === column ? cell.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending") : cell.removeAttribute("aria-sort")));
    };
    const title = isNumber ? text.slice(1) : text;
    head.append(element("th", { scope: "col", className: isNumber ? "number" : null }, title === "" ? "" : element("button", { type: "button", text: title, onclick: sort })));
  });
  return element("table", { className }, element("thead", {}, head), body);
}

// --- Numbers

function digits(value, most) {
  return Number(value.toPrecision(most)).toString();
}

const timeUnits = [[1e15, "s"], [1e12, "ms"], [1e9, "µs"], [1e6, "ns"], [1e3, "ps"]];

// "12.35 µs", of femtoseconds.
export function timeText(fs, most = 4) {
  const size = Math.abs(fs);
  for (const [unit, name] of timeUnits) {
    if (size >= unit) return digits(fs / unit, most) + " " + name;
  }
  return size === 0 ? "0 ns" : digits(fs, most) + " fs";
}

// Time on an axis: equally many digits for all marks that are `step` apart.
export function axisText(fs, step) {
  const [unit, name] = timeUnits.find(([size]) => Math.max(Math.abs(fs), step) >= size) || [1, "fs"];
  const after = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return (fs / unit).toFixed(after) + " " + name;
}

export function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return digits(bytes, 4) + " " + units[unit];
}

export function percentText(share) {
  const value = 100 * share;
  if (value === 0) return "0 %";
  if (value < 0.1) return "<0.1 %";
  return (value >= 9.95 ? value.toFixed(0) : value.toFixed(1)) + " %";
}

export function numberText(value) {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US").replaceAll(",", "\u202f");
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e7 ? digits(value, 6) : value.toExponential(3);
}

// Distances of marks on an axis: 1, 2 or 5 times a power of ten.
export function niceStep(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) {
    if (factor * ten >= least * (1 - 1e-12)) return factor * ten;
  }
  return 10 * ten;
}

// --- Colours: those of the diagrams (platform/topology/diagram_style.cpp), and their dark variant

const light = {
  dark: false,
  page: "#ffffff", ground: "#f6f7f9", text: "#1b1f24", quiet: "#5b6570", grid: "#dfe3e7", mark: "#0b62c4",
  die: "#fdfdfe", dieEdge: "#a3abb4", zone: "#eef7f3", zoneEdge: "#7fb8a3", idle: "#c4c9cf", idleBlock: "#e6e9ec", plain: "#ffffff", plainEdge: "#8a949e",
  kinds: {
    control: ["#f8dfae", "#8a6000"], compute: ["#c3e3f7", "#1f6fa5"], memory: ["#a8dcca", "#00694e"],
    network: ["#e4e8ec", "#4f5963"], die_to_die: ["#eccfe0", "#96466f"], input_output: ["#f7cfb8", "#9a4300"],
    translation: ["#f7f1b0", "#7d7400"], module: ["#ffffff", "#4f5963"],
  },
  links: {
    mesh: "#4f5963", pe_port: "#1f6fa5", memory: "#00694e", die_to_die: "#96466f", input_output: "#9a4300",
    pcie: "#9a4300", ual: "#c26a1c", internal: "#4f5963", module: "#4f5963", control: "#8a6000",
  },
  heat: ["#fbd08a", "#f9962b", "#e45a31", "#b63655", "#781c6d", "#2b0b57"],
  series: ["#1f6fa5", "#00694e", "#c26a1c", "#96466f", "#7d7400", "#4f5963"],
  changed: "#d55e00", onlyA: "#0072b2", onlyB: "#009e73", path: "#d60270", route: "#0b62c4",
};

const dark = {
  dark: true,
  page: "#14181c", ground: "#0f1215", text: "#e8ebee", quiet: "#9aa4ae", grid: "#2a3138", mark: "#6cb2ff",
  die: "#181d22", dieEdge: "#4b555f", zone: "#14231e", zoneEdge: "#2f6b57", idle: "#3b444d", idleBlock: "#272e35", plain: "#1e242a", plainEdge: "#65707b",
  kinds: {
    control: ["#4d3c14", "#d9a936"], compute: ["#173c55", "#66b2e6"], memory: ["#0f4536", "#4fc3a1"],
    network: ["#2b3239", "#8d98a3"], die_to_die: ["#472c3c", "#d18bb3"], input_output: ["#512c17", "#e8945c"],
    translation: ["#423f12", "#cfc552"], module: ["#1e242a", "#8d98a3"],
  },
  links: {
    mesh: "#8d98a3", pe_port: "#66b2e6", memory: "#4fc3a1", die_to_die: "#d18bb3", input_output: "#e8945c",
    pcie: "#e8945c", ual: "#e3a15f", internal: "#8d98a3", module: "#8d98a3", control: "#d9a936",
  },
  // On a dark ground the busiest is the lightest.
  heat: ["#5f3391", "#93348a", "#c5436a", "#ea6b3d", "#fba634", "#fdf0a8"],
  series: ["#66b2e6", "#4fc3a1", "#e8945c", "#d18bb3", "#cfc552", "#9aa4ae"],
  changed: "#ff9f4a", onlyA: "#56b4e9", onlyB: "#3ddbab", path: "#ff6ab0", route: "#6cb2ff",
};

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// 256 colours of the scale, so that equal shares have equal strings.
function scaleOf(colours) {
  const parts = colours.map(channels);
  return Array.from({ length: 256 }, (_, step) => {
    const at = step / 255 * (parts.length - 1), low = Math.min(Math.floor(at), parts.length - 2);
    const mixed = [0, 1, 2].map((i) => Math.round(parts[low][i] + (at - low) * (parts[low + 1][i] - parts[low][i])));
    return "#" + mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
  });
}

for (const theme of [light, dark]) theme.scale = scaleOf(theme.heat);

export function themeOf(name) {
  const isDark = name === "dark" || name !== "light" && matchMedia("(prefers-color-scheme: dark)").matches;
  return isDark ? dark : light;
}

// 0 or less: idle.
export function heatColour(theme, shareOfScale) {
  if (!(shareOfScale > 0)) return theme.idle;
  return theme.scale[Math.round(255 * Math.min(shareOfScale, 1))];
}

const textColours = new Map();
export function textColourOn(fill) {
  let colour = textColours.get(fill);
  if (colour === undefined) {
    const [r, g, b] = channels(fill);
    colour = 0.299 * r + 0.587 * g + 0.114 * b < 130 ? "#ffffff" : "#1b1f24";
    textColours.set(fill, colour);
  }
  return colour;
}
