// Details of the selection: attributes with unit and source, links, use in the run, routes.
import { api } from "./api.js";
import { differenceParts } from "./compare.js";
import { bytesText, closeButton, element, noteElement, numberCell, numberText, percentText, placeButton, plainTable, timeText } from "./elements.js";
import { windowTexts } from "./legend.js";
import { isOfTransfers } from "./pane.js";
import { endsOf } from "./scene.js";
import { sparkline } from "./sparkline.js";

function shareBar(share) {
  const bar = element("span", { className: "share" }, element("span"));
  bar.firstChild.style.width = Math.min(100, 100 * share) + "%";
  return bar;
}

const shown = (value, text) => (value === null || value === undefined ? "" : text(value));

export class Panel {
  // `store`: place, run, interval, route; `choose(name)` selects.
  constructor(root, store, choose) {
    this.root = root;
    this.store = store;
    this.choose = choose;
    store.subscribe(["machine", "place"], () => this.show());
    store.subscribe(["run", "interval", "other"], () => this.showUse());
    store.subscribe(["route", "picking"], () => this.showRoute());
    store.subscribe(["target"], () => this.showTarget());
    this.head = element("div", { className: "head" });
    this.target = element("div", { className: "target" });
    this.use = element("div", { className: "use" });
    this.body = element("div", { className: "body" });
    this.path = element("div", { className: "route" });
    root.append(this.head, this.target, this.path, this.use, this.body);
  }

  async show() {
    const { machine, place, target } = this.store.state;
    if (machine === null) return;
    if (!place) {
      this.head.replaceChildren(element("h2", { text: target ? "Whole machine" : "Nothing selected" }), target ? "" :
        noteElement("Click a block or a link, search a node with /, or move between blocks with the arrow keys. Double click or Enter zooms into a block, Escape out of it."));
      this.body.replaceChildren(...(this.differences ? [element("h3", { text: "Differences" }), ...differenceParts(this.differences, this.choose)] : []));
      this.showUse();
      return;
    }
    const ends = endsOf(place);
    const title = ends ? [placeButton(ends[0], this.choose), element("span", { className: "arrow", text: " \u2192 " }), placeButton(ends[1], this.choose)] : [place];
    this.head.replaceChildren(element("h2", {}, ...title), element("p", { className: "kind", text: "\u00a0" }));
    this.body.replaceChildren();
    this.known = null;
    this.showUse();
    try {
      const answer = await api.get("machine/" + machine + "/node", { name: place });
      if (this.store.state.place !== place) return;
      this.showAnswer(answer);
    } catch (fault) {
      if (this.store.state.place !== place) return;
      if (!api.exported) return this.body.replaceChildren(element("p", { className: "fault", text: fault.message }));
      this.body.replaceChildren(noteElement("Its attributes are not in the exported file."));
    }
    this.known = place;
    this.showUse();
  }

  // Scopes and time of the row that has led here.
  showTarget() {
    const { target, place } = this.store.state, parts = [];
    if (!place) this.show();
    if (target && target.to_fs !== undefined)
      parts.push(element("p", { className: "time" }, timeText(target.from_fs, 6) + " to " + timeText(target.to_fs, 6) + " (" + timeText(target.to_fs - target.from_fs) + ") ",
        element("button", { type: "button", text: "Timeline", title: "Show it in the timeline (1)", onclick: () => this.store.set({ tab: "timeline" }) })));
    const scopes = target && target.scopes && target.scopes.length > 1 ? target.scopes : [];
    if (scopes.length > 0)
      parts.push(element("h3", { text: "In " + scopes.length + " places" }), element("ul", { className: "nodes" }, ...scopes.map((name) => element("li", {}, placeButton(name, this.choose)))));
    this.target.replaceChildren(...parts);
  }

  showAnswer(answer) {
    const words = [answer.role, answer.implementation].filter((word) => word);
    this.head.querySelector(".kind").textContent = words.join(" \u00b7 ") || "link";
    if (answer.type === "node") this.head.append(this.routeButton());
    const parts = [], { attributes, links } = answer;
    if (attributes.length > 0) {
      const rows = attributes.map(({ key, value, unit, source, description }) => element("tr", {},
        element("th", { scope: "row", title: description || null }, ...key.split(/(?<=[._])/).flatMap((part) => [part, element("wbr")])),
        element("td", { className: "number", text: numberText(value) }),
        element("td", { className: "quiet", text: unit || "" }),
        element("td", { className: "quiet source", text: source || "", title: source || null })));
      parts.push(element("h3", { text: "Attributes" }), plainTable("attributes", ["name", "value", "unit", "source"], rows));
    }
    const nodes = this.nodesOf(answer.name);
    if (nodes.length > 1) parts.push(element("h3", { text: "Nodes" }), element("ul", { className: "nodes" }, ...nodes.map((name) => element("li", {}, placeButton(name, this.choose)))));
    if (links.length > 0) {
      const rows = links.map((link) => element("tr", {},
        element("td", { text: link.direction === "out" ? "\u2192" : "\u2190", title: link.direction }),
        element("td", {}, placeButton(link.name, this.choose, link.peer)),
        numberCell(link.bw_gbs ?? Infinity, link.bw_gbs === null ? "\u221e" : numberText(link.bw_gbs)),
        numberCell(link.distance_mm, numberText(link.distance_mm))));
      parts.push(element("h3", { text: "Links" }), plainTable("links", ["", "to or from", "#GB/s", "#mm"], rows));
    }
    this.body.replaceChildren(...parts);
  }

  // --- Use in the run

  async showUse() {
    const { run, other, place, interval } = this.store.state;
    this.asked = null;
    if (!place || run === null || place !== this.known) return this.use.replaceChildren();
    const asked = JSON.stringify([run, other, place, interval]);
    this.asked = asked;
    const parts = [];
    for (const [number, id] of [run, other].entries()) {
      if (id === null || id === undefined) continue;
      const used = this.intervalOf(id), { from, to } = used || {};
      try {
        const answer = await api.get("run/" + id + "/place", { name: place, from_fs: from, to_fs: to });
        const share = answer.servers.length > 0 ? null : await this.askedShareOf(place, number);
        parts.push(...this.useOf(answer, share, (other !== null ? (number === 0 ? "Run A" : "Run B") : "In the run") + (answer.window.name === "run" ? "" : ", " + windowTexts[answer.window.name])));
      } catch (fault) {
        const share = number === 0 && api.exported ? this.shareOf(place) : null;
        parts.push(element("h3", { text: "In the run" }), element("p", { className: share === null ? "note" : "", text: share === null ? fault.message : "utilisation " + percentText(share) }));
      }
      if (this.asked !== asked) return;
    }
    this.use.replaceChildren(...parts);
  }

  // `share`: that of the map, of a place without servers.
  useOf(answer, share, title) {
    const { servers } = answer, { place } = this.store.state;
    const parts = [element("h3", { text: title })];
    if (servers.length === 0) parts.push(noteElement(share === 0 ? "idle in this window" : "nothing is counted here: select one of its links"));
    else {
      const rows = servers.slice(0, 24).map((server) => element("tr", {},
        element("th", { scope: "row" }, this.serverName(server)),
        numberCell(server.share, shareBar(server.share ?? 0), shown(server.share, percentText)),
        numberCell(server.stalled_fs, shown(server.stalled_fs, timeText)), numberCell(server.bytes, shown(server.bytes, bytesText))));
      parts.push(plainTable("servers", ["server", "#busy", "#queued", "#bytes"], rows));
      if (servers.some((server) => isOfTransfers(server.place ?? place) && server.kind === "slot")) parts.push(noteElement("PE_DMA: share of the time with a transfer in flight, waits for links and memory included."));
      if (answer.server_count > rows.length) parts.push(noteElement(answer.server_count - rows.length + " more servers"));
    }
    if (answer.windows.length > 1) parts.push(sparkline(answer.windows, this.store.state.interval));
    return parts;
  }

  // Relative to the selection.
  serverName(server) {
    const { place } = this.store.state, name = server.name || server.kind || "";
    if (server.place === place) return name.startsWith(place + " ") ? name.slice(place.length + 1) : name === place && endsOf(place) ? "link" : name;
    const text = name.replaceAll(place + ".", "");
    return server.place ? placeButton(server.place, this.choose, text) : text;
  }

  // --- Route

  routeButton() {
    return element("button", { type: "button", className: "route-from", text: "Route from here\u2026 (r)", onclick: () => this.startRoute() });
  }

  startRoute() {
    const { place } = this.store.state;
    if (place && !endsOf(place)) this.store.set({ picking: place, route: null });
  }

  async showRoute() {
    const { picking, route, machine } = this.store.state;
    const close = closeButton(() => this.store.set({ picking: null, route: null }), "Close the route");
    if (picking) {
      this.path.replaceChildren(element("h3", {}, "Route from ", picking, close), noteElement("Now select the other end: click it, or search it with /."));
      return;
    }
    if (!route) return this.path.replaceChildren();
    this.path.replaceChildren(element("h3", {}, "Route", close), noteElement("\u2026"));
    try {
      const answer = await api.get("machine/" + machine + "/route", { from: route.from, to: route.to, bytes: route.bytes });
      if (this.store.state.route !== route) return;
      this.path.replaceChildren(element("h3", {}, "Route", close), ...this.routeParts(answer, route));
      this.store.set({ hops: answer.hops.map((hop) => hop.node) });
    } catch (fault) {
      if (this.store.state.route === route) this.path.replaceChildren(element("h3", {}, "Route", close), element("p", { className: "fault", text: fault.message }));
    }
  }

  routeParts(answer, route) {
    const hops = answer.hops || [], last = hops[hops.length - 1];
    const bytes = element("input", { type: "number", min: "1", max: String(2 ** 30), value: String(route.bytes), "aria-label": "Bytes of the message" });
    bytes.addEventListener("change", () => {
      if (bytes.checkValidity() && bytes.value !== "") this.store.set({ route: { ...route, bytes: Number(bytes.value) } });
    });
    const swap = element("button", { type: "button", text: "\u21c4", title: "Reverse", "aria-label": "Reverse the route", onclick: () => this.store.set({ route: { from: route.to, to: route.from, bytes: route.bytes } }) });
    const facts = [answer.kind, numberText(answer.length_mm) + " mm", answer.bottleneck_gbs ? "narrowest " + numberText(answer.bottleneck_gbs) + " GB/s" : null];
    if (last && last.header_at_ns > 0) facts.push("header arrives after " + numberText(last.header_at_ns) + " ns");
    // Links have a length of at least 1 fs.
    const ns = (value) => (value > 0 && value < 0.001 ? "<0.001" : numberText(value));
    const formula = (answer.formula || []).map((each) => element("tr", {},
      element("th", { scope: "row", text: each.op + (each.posted ? ", posted" : "") }),
      element("td", { className: "number", text: numberText(each.total_ns) + " ns" }),
      element("td", { className: "number", text: each.gbs ? numberText(each.gbs) + " GB/s" : "" })));
    const rows = hops.map((hop) => element("tr", { className: hop.bottleneck || hop.link && hop.link.bottleneck ? "narrowest" : null },
      element("td", {}, placeButton(hop.node, this.choose)),
      numberCell(hop.latency_ns, ns(hop.latency_ns)), numberCell(hop.link?.propagation_ns, hop.link ? ns(hop.link.propagation_ns) : ""),
      numberCell(hop.link ? hop.link.bw_gbs ?? Infinity : null, hop.link ? (hop.link.bw_gbs === null || hop.link.bw_gbs === undefined ? "\u221e" : numberText(hop.link.bw_gbs)) : ""),
      numberCell(hop.header_at_ns, ns(hop.header_at_ns))));
    return [
      element("p", { className: "ends" }, placeButton(route.from, this.choose), " \u2192 ", placeButton(route.to, this.choose), " ", swap),
      element("p", { className: "kind", text: facts.filter((fact) => fact).join(" \u00b7 ") }),
      element("label", { className: "bytes" }, "message of ", bytes, " B"),
      formula.length > 0 ? element("table", { className: "formula" }, element("tbody", {}, ...formula)) : null,
      element("div", { className: "scroll" }, plainTable("hops", ["node", "#latency, ns", "#link, ns", "#link, GB/s", "#header at, ns"], rows)),
    ].filter((part) => part !== null);
  }
}
