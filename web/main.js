// The page: session, map and views of a run, connected by one store.
import { api } from "./api.js";
import { Comparison, marksOf } from "./compare.js";
import { closeButton, element, heatColour, noteElement, numberText, percentText, placeButton, plainTable, themeOf, timeText } from "./elements.js";
import { Roofline } from "./figures.js";
import { Jobs, Sweeps } from "./jobs.js";
import { MapView } from "./map.js";
import { Panel } from "./panel.js";
import { Scene, endsOf, levels } from "./scene.js";
import { Search } from "./search.js";
import { Store, fragmentOf, stateOf } from "./store.js";
import { Summary, Tables } from "./tables.js";
import { Timeline } from "./timeline.js";
import { Uses } from "./uses.js";

const byId = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.store = new Store({
      machine: null, run: null, other: null, place: null, interval: null, tab: "timeline", route: null, picking: null, hops: [],
      path: null, laneScope: "", difference: null, theme: "",
    });
    this.session = { machines: [], runs: [], sweeps: [], problems: [] };
    this.panes = [];  // {view, uses, scene, number}
    this.scenes = new Map();
    this.readTheme();
  }

  async start() {
    try {
      this.session = await api.get("session");
    } catch (fault) {
      byId("problems").hidden = false;
      byId("problems").textContent = fault.status === 401 ? "The address lacks the token that kernbench web has printed. Open the whole address." : fault.message;
      return;
    }
    if (api.exported || this.session.read_only) document.body.classList.add("readonly");
    this.build();
    this.store.set(this.wanted(location.hash));
    this.showTab();
    this.started = true;
    document.body.dataset.ready = "true";
  }

  // State of an address, as far as the session has what it names.
  wanted(fragment) {
    const { machines, runs } = this.session, has = (list, id) => list.some((each) => each.id === id);
    const state = { place: null, interval: null, route: null, hops: [], path: null, picking: null, difference: null, tab: "timeline", ...stateOf(fragment) };
    if (!has(runs, state.run)) state.run = runs.length > 0 && state.machine === undefined ? (runs.find((run) => !run.error) || runs[0]).id : null;
    if (!has(runs, state.other) || state.run === null || state.other === state.run) state.other = null;
    if (state.run !== null) state.machine = this.runOf(state.run).machine;
    if (!has(machines, state.machine)) state.machine = machines.length > 0 ? machines[0].id : null;
    if (!has(machines, state.difference)) state.difference = null;
    return state;
  }

  runOf(id) { return this.session.runs.find((run) => run.id === id); }

  // Interval of the slider, for a run that has counters per window.
  intervalOf(id) {
    const run = this.runOf(id);
    return run && run.has_windows ? this.store.state.interval : null;
  }

  // --- Parts of the page

  build() {
    const { store } = this;
    this.showProblems();
    this.fillChoices();
    const choose = (name) => this.choose(name);
    this.panel = new Panel(byId("panel"), store, choose);
    this.panel.shareOf = (name) => this.shareOf(name);
    this.panel.intervalOf = (id) => this.intervalOf(id);
    this.panel.nodesOf = (name) => this.nodesOf(name);
    this.search = new Search(byId("search"), {
      machine: () => store.state.machine, onChoose: (name) => this.choose(name, true), places: (text) => this.placesAtHand(text),
    });
    this.buildDock(choose);
    this.jobs = new Jobs(byId("jobs"), (run, quiet) => this.runStarted(run, quiet));
    this.sweeps = new Sweeps(byId("sweeps"));
    this.crumbs = element("nav", { className: "crumbs", "aria-label": "Place" });
    byId("maps").before(this.crumbs);
    byId("show-jobs").addEventListener("click", () => this.jobs.open());
    byId("show-sweeps").addEventListener("click", () => this.sweeps.open(this.session.sweeps));
    byId("show-sweeps").hidden = this.session.sweeps.length === 0;
    byId("show-help").addEventListener("click", () => this.help());
    byId("theme").addEventListener("click", () => this.switchTheme());
    byId("machine-choice").addEventListener("change", (event) => {
      const [machine, difference] = event.target.value.split("-");
      store.set({ machine: Number(machine), run: null, other: null, interval: null, difference: difference === undefined ? null : Number(difference) });
    });
    byId("run-choice").addEventListener("change", (event) => {
      if (event.target.value === "") return store.set({ run: null, other: null, interval: null, path: null });
      const run = Number(event.target.value);
      store.set({ run, machine: this.runOf(run).machine, interval: null, path: null, difference: null, ...(store.state.other === run ? { other: null } : {}) });
    });
    byId("other-choice").addEventListener("change", (event) => store.set({ other: event.target.value === "" ? null : Number(event.target.value), interval: null }));
    store.subscribe(["machine", "run", "other"], () => this.showPanes());
    store.subscribe(["machine", "run", "other", "difference"], () => this.fillChoices());
    store.subscribe(["machine", "difference"], () => this.showDifference());
    store.subscribe(["interval"], () => this.intervalChanged());
    store.subscribe(["place"], () => this.placeChanged());
    store.subscribe(["hops", "route", "picking", "path", "interval"], () => this.showOverlays());
    store.subscribe(["place", "machine"], () => this.showCrumbs());
    store.subscribe(["machine", "run", "other", "place", "tab", "interval", "route", "difference"], () => this.writeAddress());
    store.subscribe(["tab", "run", "other"], () => this.showTab());
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.written) store.set(this.wanted(location.hash));
    });
    document.addEventListener("keydown", (event) => this.key(event));
    this.edges();
  }

  buildDock(choose) {
    const dock = byId("dock"), { store } = this;
    const tabs = [["timeline", "Timeline"], ["summary", "Bottlenecks"], ["tables", "Tables"], ["path", "Critical path"], ["roofline", "Roofline"], ["compare", "Differences"]];
    this.tabs = element("div", { className: "tabs", role: "tablist", "aria-label": "Views of the run" });
    this.views = new Map();
    for (const [name, title] of tabs) {
      const view = element("div", { className: "view " + name, id: "view-" + name, role: "tabpanel", "aria-labelledby": "tab-" + name });
      this.tabs.append(element("button", { type: "button", id: "tab-" + name, role: "tab", "aria-controls": "view-" + name, text: title, onclick: () => store.set({ tab: name }) }));
      this.views.set(name, { root: view, show: () => {} });
      dock.append(view);
    }
    dock.prepend(this.tabs);
    this.tabs.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const shown = [...this.tabs.children].filter((tab) => !tab.hidden), at = shown.indexOf(document.activeElement);
      if (!by || at < 0) return;
      const next = shown[(at + by + shown.length) % shown.length];
      next.focus();
      next.click();
    });
    const root = (name) => this.views.get(name).root;
    this.timeline = new Timeline(root("timeline"), store, {
      theme: () => this.theme, runOf: (id) => this.runOf(id), choose, scope: () => this.panes[0]?.view.scopeInView() || "", exported: () => (api.exported ? this.session.export : null),
    });
    const parts = {
      summary: new Summary(root("summary"), store, choose), tables: new Tables(root("tables"), store, choose),
      roofline: new Roofline(root("roofline"), store), compare: new Comparison(root("compare"), store, choose),
    };
    for (const [name, part] of Object.entries(parts)) this.views.get(name).show = () => part.show();
    this.views.get("path").show = () => this.showPath();
    this.views.get("timeline").show = () => this.timeline.draw();
  }

  fillChoices() {
    const { machine, run, other, difference } = this.store.state, { machines, runs } = this.session;
    const options = machines.map(({ id, title }) => element("option", { value: String(id), text: title }));
    for (const a of machines) for (const b of machines) if (a.id < b.id) options.push(element("option", { value: a.id + "-" + b.id, text: "differences: " + a.title + " / " + b.title }));
    byId("machine-choice").replaceChildren(...options);
    byId("machine-choice").value = difference === null ? String(machine) : machine + "-" + difference;
    const titles = (none, list) => [element("option", { value: "", text: none }), ...list.map(({ id, title, status, error }) => element("option", {
      value: String(id), text: title + (status && status !== "completed" ? " (" + status + ")" : ""), title: error || null }))];
    byId("run-choice").replaceChildren(...titles("none", runs));
    byId("run-choice").value = run === null ? "" : String(run);
    document.title = (run === null ? (machines.find((each) => each.id === machine) || { title: "" }).title : this.runOf(run).title) + " \u2013 KernBench";
    byId("run-label").hidden = runs.length === 0;
    byId("other-choice").replaceChildren(...titles("nothing", runs.filter((each) => each.id !== run)));
    byId("other-choice").value = other === null ? "" : String(other);
    byId("other-label").hidden = run === null || runs.length < 2;
    byId("tab-compare") && (byId("tab-compare").hidden = other === null);
    document.body.classList.toggle("norun", run === null);
  }

  showProblems(more = []) {
    const runs = this.session.runs.filter((run) => run.error).map((run) => run.title + ": " + run.error);
    const texts = [...this.session.problems, ...runs, ...more], box = byId("problems");
    box.hidden = texts.length === 0;
    box.replaceChildren(...texts.map((text) => element("p", { text })),
      closeButton(() => { box.hidden = true; }));
  }

  say(text) { byId("status").textContent = text; }

  // --- Maps

  async scene(id) {
    if (!this.scenes.has(id)) this.scenes.set(id, new Scene(id, await api.get("machine/" + id)));
    return this.scenes.get(id);
  }

  async showPanes() {
    const { machine, run, other } = this.store.state;
    if (machine === null) return;
    const wanted = [{ machine, run }];
    if (other !== null) wanted.push({ machine: this.runOf(other).machine, run: other });
    const key = JSON.stringify(wanted);
    if (this.shownPanes === key) return;
    this.shownPanes = key;
    let scenes;
    try {
      scenes = await Promise.all(wanted.map((each) => this.scene(each.machine)));
    } catch (fault) {
      return this.showProblems([fault.message]);
    }
    if (this.shownPanes !== key) return;
    const same = this.panes.length === wanted.length && this.panes.every((pane, i) => pane.scene === scenes[i]);
    if (!same) {
      this.panes.forEach((pane) => pane.view.close());
      this.panes = [];
      this.panes = scenes.map((scene, number) => this.pane(scene, number, scenes.length));
      // The first was alone when it was made.
      for (const { view } of this.panes) {
        view.resize();
        view.fit(false);
      }
    }
    this.panes.forEach((pane, number) => {
      const { run: id } = wanted[number];
      const facts = api.exported && this.session.export ? this.session.export.runs.find((each) => each.id === id) : null;
      pane.uses = id === null ? null : new Uses(id, (fault) => {
        if (fault) this.showProblems([fault]);
        pane.view.later();
        if (number === 0) this.timeline.showWindow(pane.uses.window);
      }, facts ? facts.intervals : null);
      if (pane.uses) pane.uses.setInterval(this.intervalOf(id));
      pane.view.badge.textContent = "AB"[number] + ": " + (id === null ? "" : this.runOf(id).title);
      pane.view.later();
    });
    const uses = this.panes.map((pane) => pane.uses).filter((each) => each);
    for (const each of uses) each.peers = uses;  // one colour scale
    byId("maps").classList.toggle("two", wanted.length > 1);
    this.showDifference();
    this.showLegend();
    this.showOverlays();
    this.placeChanged();
    this.showCrumbs();
    const { place, route } = this.store.state;
    if (!same && place && !route) this.panes[0].view.zoomTo(place);
  }

  pane(scene, number, count) {
    const pane = { scene, number, uses: null };
    const view = pane.view = new MapView(byId("maps"), {
      label: "Map of the machine" + (number > 0 ? " of the second run" : "") + ": arrow keys move, Enter goes inside, Escape outside",
      uses: () => pane.uses,
      onSelect: (name) => this.choose(name, false, pane),
      onView: (moved) => {
        // Panes show the same part.
        for (const each of this.panes) if (each !== pane && each.scene.isLike(scene)) each.view.setView(moved, true);
      },
      onDrawn: () => {
        this.showCrumbs();
        if (pane.uses && pane.top !== pane.uses.top) this.showLegend();
        pane.top = pane.uses ? pane.uses.top : null;
        if (number === 0) this.timeline.scopeInView(view.scopeInView());
      },
      describe: (found) => this.describe(pane, found),
    });
    view.theme = this.theme;
    view.badge.hidden = count < 2;
    view.resize();
    view.setScene(scene);
    return pane;
  }

  choose(name, go = false) {
    const { picking } = this.store.state;
    if (picking && name && !endsOf(name) && name !== picking) return this.store.set({ picking: null, hops: [], route: { from: picking, to: name, bytes: 4096 }, place: name });
    this.store.set({ place: name });
    if (!name) return;
    const active = document.activeElement, fromMap = active && active.classList.contains("map");
    if (go) this.panes[0].view.zoomTo(name);
    else if (!fromMap) this.panes[0].view.reveal(name);
    if (go) this.panes[0].view.canvas.focus();
  }

  placeChanged() {
    const { place } = this.store.state;
    for (const { view } of this.panes) {
      view.selected = place;
      view.drawOver();
    }
    if (place) this.say(place);
  }

  showOverlays() {
    const { route, hops, path, interval } = this.store.state;
    for (const { view } of this.panes) {
      if (route && hops.length > 1 && JSON.stringify(hops) !== this.revealed) view.zoomToAll([hops[0], hops[hops.length - 1]]);
      view.route = route ? hops : [];
      view.steps = path ? this.pathNodes(path.steps, interval) : [];
      view.drawOver();
    }
    this.revealed = JSON.stringify(hops);
  }

  // Nodes of a critical path with their part of its length; in an interval those at work in it.
  pathNodes(steps, interval) {
    const nodes = new Map(), length = steps.length > 0 ? steps[steps.length - 1].end_fs - steps[0].start_fs : 1;
    for (const step of steps) {
      if (step.on_map === false) continue;
      const known = nodes.get(step.node) || { node: step.node, share: 0, current: false };
      known.share += (step.end_fs - step.start_fs) / length;
      known.current ||= Boolean(interval) && step.start_fs < interval.to && step.end_fs > interval.from;
      nodes.set(step.node, known);
    }
    return [...nodes.values()];
  }

  intervalChanged() {
    for (const pane of this.panes) {
      if (!pane.uses) continue;
      pane.uses.setInterval(this.intervalOf(pane.uses.run));
      pane.view.later();
    }
  }

  async showDifference() {
    const { machine, difference, other } = this.store.state;
    const b = difference !== null ? difference : other !== null && this.runOf(other).machine !== machine ? this.runOf(other).machine : null;
    if (b === null) {
      for (const { view } of this.panes) {
        view.marks = null;
        view.later();
      }
      this.differences = this.panel.differences = null;
      if (!this.store.state.place) this.panel.show();
      return this.showLegend();
    }
    try {
      this.differences = this.panel.differences = await api.get("machines/difference", { a: machine, b });
      if (!this.store.state.place) this.panel.show();
      for (const { view } of this.panes) {
        view.marks = marksOf(this.differences);
        view.later();
      }
      this.showLegend();
    } catch (fault) {
      this.say(fault.message);
    }
  }

  // Lines of a tooltip.
  async describe(pane, found) {
    const lines = [found.name], ends = endsOf(found.name);
    const use = pane.uses ? pane.uses.shown.get(found.scope) : null;
    if (use && found.index !== undefined && use.blocks[found.index] !== null && use.blocks[found.index] !== undefined)
      lines.push("utilisation " + percentText(use.blocks[found.index]));
    if (ends && found.link !== undefined) {
      const link = pane.scene.layouts[found.level].links[found.link], shares = use && use.links[found.link];
      lines.push([link.kind.replaceAll("_", " "), link.bw_gbs === null ? "unlimited" : numberText(link.bw_gbs) + " GB/s", link.distance_mm > 0 ? numberText(link.distance_mm) + " mm" : null].filter((part) => part).join(", "));
      if (shares) lines.push("utilisation " + percentText(shares[found.direction] || 0) + ", back " + percentText(shares[1 - found.direction] || 0));
      return lines;
    }
    try {
      const answer = await api.get("machine/" + pane.scene.id + "/node", { name: found.name });
      if (answer.role) lines.splice(1, 0, [answer.role, answer.implementation].filter((part) => part).join(", "));
      for (const { key, value, unit } of answer.attributes.slice(0, 4)) lines.push(key + " " + numberText(value) + (unit ? " " + unit : ""));
    } catch (fault) {
      if (!api.exported) lines.push(fault.message);
    }
    return lines;
  }

  // Utilisation that the first map shows; null: it shows none.
  shareOf(name) {
    const [pane] = this.panes, ends = endsOf(name);
    if (!pane || !pane.uses) return null;
    if (ends) {
      const link = pane.scene.link(ends[0], ends[1]), use = link && pane.uses.shown.get(link.scope);
      return use ? (use.links[link.index] || [])[link.direction] ?? null : null;
    }
    const steps = pane.scene.path(name), last = steps[steps.length - 1], use = last && pane.uses.shown.get(last.scope);
    return use ? use.blocks[last.index] ?? null : null;
  }

  // Nodes in the block of that name; empty where a level shows them.
  nodesOf(name) {
    const steps = this.panes.length > 0 ? this.panes[0].scene.path(name) : [], last = steps[steps.length - 1];
    return last && last.name === name && last.block.child === null ? last.block.nodes.map((node) => (last.scope === "" ? node : last.scope + "." + node)) : [];
  }

  // Names that the layouts know, where no server searches.
  placesAtHand(text) {
    const found = [], [{ scene }] = this.panes;
    const walk = (level, scope) => {
      for (const block of scene.layouts[level].blocks) {
        if (block.reference || !scene.has(block, scope)) continue;
        const prefix = scope === "" ? "" : scope + ".";
        for (const name of [block.child, ...block.nodes].filter((each) => each)) {
          if (found.length < 20 && (prefix + name).toLowerCase().includes(text.toLowerCase())) found.push({ name: prefix + name, role: block.child ? levels[level + 1] : "" });
        }
        if (block.child && found.length < 20) walk(level + 1, prefix + block.child);
      }
    };
    walk(0, "");
    return found;
  }

  showCrumbs() {
    const pane = this.panes[0];
    if (!pane) return;
    const { place } = this.store.state, ends = place ? endsOf(place) : null;
    const name = ends ? pane.view.outer(place) : place || pane.view.scopeInView();
    const machine = this.session.machines.find((each) => each.id === this.store.state.machine);
    const key = JSON.stringify([name, place, machine && machine.id]);
    if (this.crumbKey === key) return;
    this.crumbKey = key;
    const steps = name ? pane.scene.path(name) : [];
    const crumb = (text, target) => element("button", { type: "button", text, onclick: () => {
      this.store.set({ place: target });
      target ? pane.view.zoomTo(target) : pane.view.fit();
    } });
    const parts = [crumb(machine ? machine.title : "system", null)];
    for (const step of steps) parts.push(element("span", { className: "arrow", "aria-hidden": "true", text: "\u203a" }), crumb(step.block.child || step.block.label, step.name));
    if (ends) parts.push(element("span", { className: "arrow", text: "\u203a" }), element("span", { text: "link" }));
    if (steps.length === 0 && machine)
      parts.push(element("span", { className: "quiet", text: [machine.sips + (machine.sips === 1 ? " SIP" : " SIPs"), machine.cubes + (machine.cubes === 1 ? " cube" : " cubes"), numberText(machine.pes) + " PEs", numberText(machine.nodes) + " nodes", numberText(machine.links) + " links"].join(" \u00b7 ") }));
    this.crumbs.replaceChildren(...parts);
  }

  showLegend() {
    const { theme } = this;
    for (const [number, pane] of this.panes.entries()) {
      const parts = [];
      pane.view.legend.hidden = number > 0;
      if (pane.uses) {
        const bar = element("canvas", { width: "160", height: "10", "aria-hidden": "true" }), ctx = bar.getContext("2d");
        for (let x = 0; x < 160; ++x) {
          ctx.fillStyle = heatColour(theme, (x + 1) / 160);
          ctx.fillRect(x, 0, 1, 10);
        }
        const top = element("select", { "aria-label": "Top of the colour scale" }, element("option", { value: "", text: "auto: " + percentText(pane.uses.commonTop) }),
          ...[0.05, 0.1, 0.2, 0.5, 1].map((value) => element("option", { value: String(value), text: percentText(value) })));
        top.value = pane.uses.fixedTop === null ? "" : String(pane.uses.fixedTop);
        top.addEventListener("change", () => {
          for (const each of this.panes) {
            each.uses.fixedTop = top.value === "" ? null : Number(top.value);
            each.view.later();
          }
        });
        const idle = element("span", { className: "swatch" });
        idle.style.background = theme.idle;
        parts.push(element("span", { text: "utilisation" }), idle, element("span", { text: "idle" }), element("span", { text: "0" }), bar, top);
      } else {
        for (const [kind, text] of [["control", "control"], ["compute", "compute"], ["memory", "memory"], ["network", "network"], ["die_to_die", "UCIe"], ["input_output", "I/O"], ["translation", "MMU"]]) {
          const swatch = element("span", { className: "swatch" });
          swatch.style.background = theme.kinds[kind][0];
          swatch.style.borderColor = theme.kinds[kind][1];
          parts.push(element("span", { className: "key" }, swatch, text));
        }
      }
      if (this.differences) {
        const { changed_count: changed, only_a_count: onlyA, only_b_count: onlyB } = this.differences;
        for (const [mark, text, count] of [["changed", "changed", changed], ["onlyA", "only A", onlyA], ["onlyB", "only B", onlyB]]) {
          const swatch = element("span", { className: "swatch" });
          swatch.style.background = theme[mark];
          parts.push(element("span", { className: "key" }, swatch, text + ": " + numberText(count)));
        }
      }
      pane.view.legend.replaceChildren(...parts);
    }
  }

  // --- Views of the run

  showTab() {
    const { run, other } = this.store.state;
    let { tab } = this.store.state;
    if (!this.views.has(tab) || tab === "compare" && other === null) tab = "timeline";
    for (const [name, { root }] of this.views) root.hidden = name !== tab;
    for (const button of this.tabs.children) {
      const selected = button.id === "tab-" + tab;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    byId("dock").hidden = byId("dock-edge").hidden = run === null;
    if (run !== null) this.views.get(tab).show();
  }

  async showPath() {
    const { root } = this.views.get("path"), { run } = this.store.state;
    if (this.pathRun === run) return;
    this.pathRun = run;
    root.replaceChildren(noteElement("\u2026"));
    const show = async (launch) => {
      try {
        const answer = await api.get("run/" + run + "/critical-path", launch === null ? {} : { launch });
        if (this.store.state.run !== run) return;
        const { steps, launches } = answer;
        this.store.set({ path: { launch: answer.launch, steps } });
        const choice = element("select", { "aria-label": "Launch" }, ...launches.map((each) => element("option", { value: String(each.launch), text: "launch " + each.launch + " " + each.kernel + ", " + timeText(each.length_fs) })));
        choice.value = String(answer.launch);
        choice.addEventListener("change", () => show(choice.value));
        const total = steps.length > 0 ? steps[steps.length - 1].end_fs - steps[0].start_fs : 0;
        const rows = this.pathNodes(steps, null).sort((a, b) => b.share - a.share);
        const place = (name, on = true) => (on === false ? name : placeButton(name, (chosen) => this.choose(chosen)));
        const most = 400;
        root.replaceChildren(element("div", { className: "bar" }, choice, element("span", { text: numberText(answer.step_count) + " steps, " + timeText(total) }),
          element("button", { type: "button", text: "hide on the map", onclick: () => {
            this.store.set({ path: null });
            this.pathRun = null;
            root.replaceChildren();
            this.store.set({ tab: "timeline" });
          } }), answer.note ? element("span", { className: "note", text: answer.note }) : null),
          element("div", { className: "columns" },
            element("div", { className: "scroll" }, element("h3", { text: "By node" }), plainTable(null, ["node", "#share", "#time"], rows.slice(0, 60).map(({ node, share }) => element("tr", {},
              element("td", {}, place(node)), element("td", { className: "number", text: percentText(share) }), element("td", { className: "number", text: timeText(share * total) }))))),
            element("div", { className: "scroll" }, element("h3", { text: steps.length > most ? "First " + most + " steps" : "Steps" }), plainTable(null, ["node", "#from", "#time", "what"], steps.slice(0, most).map((step) => element("tr", {}, element("td", {}, place(step.node, step.on_map)), element("td", { className: "number", text: timeText(step.start_fs, 6) }), element("td", { className: "number", text: timeText(step.end_fs - step.start_fs) }), element("td", { text: step.what })))))));
      } catch (fault) {
        root.replaceChildren(noteElement(fault.message));
      }
    };
    await show(null);
  }

  async runStarted(run, quiet) {
    api.forget("session");
    this.session = await api.get("session");
    this.fillChoices();
    if (quiet) return;
    const { run: before } = this.store.state, found = this.runOf(run);
    if (!found) return;
    const comparable = before !== null && before !== run && this.runOf(before);
    this.store.set({ run: comparable ? before : run, other: comparable ? run : null, machine: comparable ? this.runOf(before).machine : found.machine, interval: null, path: null });
  }

  // --- Theme, keys, address, sizes

  readTheme() {
    let stored = "";
    try { stored = localStorage.getItem("kernbench-theme") || ""; } catch (fault) { /* no storage: as the system has it */ }
    this.themeName = stored;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyTheme());
    this.applyTheme();
  }

  applyTheme() {
    this.theme = themeOf(this.themeName);
    document.documentElement.dataset.theme = this.theme.dark ? "dark" : "light";
    byId("theme").textContent = this.theme.dark ? "Light" : "Dark";
    for (const { view } of this.panes) {
      view.theme = this.theme;
      view.later();
    }
    if (this.timeline) {
      this.timeline.draw();
      this.showLegend();
    }
  }

  switchTheme() {
    this.themeName = this.theme.dark ? "light" : "dark";
    try { localStorage.setItem("kernbench-theme", this.themeName); } catch (fault) { /* no storage */ }
    this.applyTheme();
  }

  key(event) {
    const { target } = event, typing = target.matches("input, textarea, select") || document.querySelector("dialog[open]");
    if (event.key === "Escape" && this.store.state.picking) this.store.set({ picking: null });
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const tabs = [...this.views.keys()];
    if (event.key === "/") this.search.focus();
    else if (event.key === "?") this.help();
    else if (event.key === "r") this.panel.startRoute();
    else if (event.key === "m") this.panes[0]?.view.canvas.focus();
    else if (event.key === " " && !target.matches("button, a")) this.timeline.toggle();
    else if (/^[1-6]$/.test(event.key) && this.store.state.run !== null) this.store.set({ tab: tabs[Number(event.key) - 1] });
    else if (["Escape", "Backspace"].includes(event.key) && !target.matches(".map")) this.panes[0]?.view.leave();
    else return;
    event.preventDefault();
  }

  help() {
    const keys = [["/", "search a node"], ["arrow keys", "select the neighbour of a block"], ["Enter, double click", "zoom into the selected block"], ["Escape, Backspace", "one level out"],
      ["+ \u2212, wheel", "zoom"], ["drag, Shift + arrows", "move the map"], ["0", "whole machine"], ["r", "route from the selected node"], ["1 \u2026 6", "views of the run"], ["space", "replay"],
      ["W S A D", "zoom and move the chart when it has the focus; Ctrl + wheel zooms it"], ["drag on the slider", "interval that the map shows; double click: the whole run"], ["m", "focus to the map"], ["?", "this list"]];
    byId("help").replaceChildren(element("div", { className: "title" }, element("h2", { text: "Keys" }), closeButton(() => byId("help").close())),
      element("dl", {}, ...keys.flatMap(([key, text]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text })])),
      noteElement("With a run, colours are utilisation; of a link each direction by itself, on the right of its direction of travel. " + (this.session.version || "")));
    byId("help").showModal();
  }

  writeAddress() {
    if (!this.started) return;
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      const fragment = fragmentOf(this.store.state);
      this.written = fragment;
      if (location.hash !== fragment) history.replaceState(null, "", fragment);
      this.written = location.hash;
    }, 200);
  }

  // Edges between the parts can be moved.
  edges() {
    const drag = (edge, property, size, sign, axis) => {
      const set = (value) => document.documentElement.style.setProperty(property, Math.round(Math.max(120, Math.min(window[axis === "x" ? "innerWidth" : "innerHeight"] * 0.75, value))) + "px");
      edge.addEventListener("pointerdown", (event) => {
        const begin = axis === "x" ? event.clientX : event.clientY, from = size();
        edge.setPointerCapture(event.pointerId);
        edge.onpointermove = (moved) => set(from + sign * ((axis === "x" ? moved.clientX : moved.clientY) - begin));
        edge.onpointerup = () => { edge.onpointermove = null; };
      });
      edge.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -20, ArrowUp: -20, ArrowRight: 20, ArrowDown: 20 }[event.key];
        if (!by) return;
        set(size() + sign * by);
        event.preventDefault();
        event.stopPropagation();
      });
    };
    drag(byId("panel-edge"), "--panel", () => byId("panel").offsetWidth, -1, "x");
    drag(byId("dock-edge"), "--dock", () => byId("dock").offsetHeight, -1, "y");
  }
}

new Page().start();
