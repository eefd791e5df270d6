// The page: session, map and views of a run, connected by one store.
import { api } from "./api.js";
import { marksOf } from "./compare.js";
import { Crumbs } from "./crumbs.js";
import { Dock } from "./dock.js";
import { closeButton, element, themeOf } from "./elements.js";
import { dragEdge } from "./edges.js";
import { showHelp } from "./help.js";
import { Jobs, Sweeps } from "./jobs.js";
import { legendParts } from "./legend.js";
import { Pane } from "./pane.js";
import { Panel } from "./panel.js";
import { pathNodes } from "./path_view.js";
import { Scene, endsOf } from "./scene.js";
import { Search } from "./search.js";
import { Store, fragmentOf, stateOf } from "./store.js";
import { Uses } from "./uses.js";

const byId = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.store = new Store({
      machine: null, run: null, other: null, place: null, target: null, interval: null, tab: "timeline", route: null, picking: null, hops: [],
      path: null, keptPath: false, laneScope: "", difference: null, theme: "",
    });
    this.session = { machines: [], runs: [], sweeps: [], problems: [] };
    this.panes = [];
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
    this.dock.show();
    this.started = true;
    document.body.dataset.ready = "true";
  }

  // State of an address, as far as the session has what it names.
  wanted(fragment) {
    const { machines, runs } = this.session, has = (list, id) => list.some((each) => each.id === id);
    const state = { place: null, target: null, interval: null, route: null, hops: [], path: null, picking: null, difference: null, tab: "timeline", ...stateOf(fragment) };
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
    this.panel.shareOf = (name) => (this.panes.length > 0 ? this.panes[0].shareOf(name) : null);
    this.panel.askedShareOf = async (name, number) => this.panes[number]?.askedShareOf(name) ?? null;
    this.panel.intervalOf = (id) => this.intervalOf(id);
    this.panel.nodesOf = (name) => (this.panes.length > 0 ? this.panes[0].scene.nodesOf(name) : []);
    this.search = new Search(byId("search"), {
      machine: () => store.state.machine, onChoose: (name) => this.choose(name, true), places: (text) => this.panes[0].scene.search(text, 20),
    });
    this.dock = new Dock(byId("dock"), store, {
      theme: () => this.theme, runOf: (id) => this.runOf(id), machineOf: (id) => this.session.machines.find((each) => each.id === this.runOf(id)?.machine), follow: (target) => this.follow(target), frame: (target) => this.follow(target, true), say: (text) => this.say(text),
      scope: () => this.panes[0]?.view.scopeInView() || "", exported: () => (api.exported ? this.session.export : null),
    });
    this.timeline = this.dock.timeline;
    this.jobs = new Jobs(byId("jobs"), (run, quiet) => this.runStarted(run, quiet));
    this.sweeps = new Sweeps(byId("sweeps"));
    this.crumbs = new Crumbs((place) => {
      store.set({ place, target: null });
      place ? this.panes[0].view.zoomTo(place) : this.panes[0].view.fit();
    });
    byId("maps").before(this.crumbs.root);
    byId("show-jobs").addEventListener("click", () => this.jobs.open(this.runOf(store.state.run), this.session.machines[store.state.machine]?.title));
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
    store.subscribe(["hops", "route", "picking", "path", "keptPath", "tab", "interval", "target"], () => this.showOverlays());
    store.subscribe(["place", "machine"], () => this.showCrumbs());
    store.subscribe(["machine", "run", "other", "place", "tab", "interval", "route", "difference"], () => this.writeAddress());
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.written) store.set(this.wanted(location.hash));
    });
    document.addEventListener("keydown", (event) => this.key(event));
    dragEdge(byId("panel-edge"), "--panel", () => byId("panel").offsetWidth, "x");
    dragEdge(byId("dock-edge"), "--dock", () => byId("dock").offsetHeight, "y");
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
    byId("dock-edge").hidden = run === null;
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
    this.panel.showUse();  // of the runs that the panes have now
  }

  pane(scene, number, count) {
    const pane = new Pane(byId("maps"), scene, number, this.theme, {
      onSelect: (name) => this.choose(name),
      onView: (moved) => {
        // Panes show the same part.
        for (const each of this.panes) if (each !== pane && each.scene.isLike(scene)) each.view.setView(moved, true);
      },
      onDrawn: () => {
        this.showCrumbs();
        const scale = pane.uses ? pane.uses.top + " " + pane.uses.window?.name : null;
        if (pane.uses && pane.scale !== scale) this.showLegend();
        pane.scale = scale;
        if (number === 0) this.timeline.scopeInView(pane.view.scopeInView());
      },
    });
    pane.view.badge.hidden = count < 2;
    pane.view.resize();
    pane.view.setScene(scene);
    return pane;
  }

  choose(name, go = false) {
    const { picking } = this.store.state;
    if (picking && name && !endsOf(name) && name !== picking) return this.store.set({ picking: null, hops: [], route: { from: picking, to: name, bytes: 4096 }, place: name });
    this.store.set({ place: name, target: null });
    if (!name) return;
    const active = document.activeElement, fromMap = active && active.classList.contains("map");
    if (go) this.panes[0].view.zoomTo(name);
    else if (!fromMap) this.panes[0].view.reveal(name);
    if (go) this.panes[0].view.canvas.focus();
  }

  // Shows where a row, a point or a bar leads: the name of a place, or {place, scopes, from_fs, to_fs};
  // place "": the machine. `frames`: the map shows the place with its surroundings, else at least the place.
  follow(entry, frames = false) {
    const target = typeof entry === "string" ? { place: entry } : entry, { scopes = [] } = target, [pane] = this.panes;
    this.choose(target.place || null);
    this.store.set({ target });
    if (!pane) return;
    if (scopes.length > 1) pane.view.zoomToAll(scopes);
    else if (!target.place) pane.view.fit();
    else if (frames) pane.view.zoomTo(target.place);
  }

  placeChanged() {
    const { place } = this.store.state;
    for (const { view } of this.panes) {
      view.selected = place;
      view.drawOver();
    }
    this.search.follow(place);
    if (place) this.say(place);
  }

  // The critical path is drawn with its view, and with others if it is kept.
  showOverlays() {
    const { route, hops, path, keptPath, interval, target } = this.store.state, isPath = path && (keptPath || this.dock.shown === "path");
    for (const { view } of this.panes) {
      if (route && hops.length > 1 && JSON.stringify(hops) !== this.revealed) view.zoomToAll([hops[0], hops[hops.length - 1]]);
      view.route = route ? hops : [];
      view.steps = isPath ? pathNodes(path.steps, interval) : [];
      view.scopes = target?.scopes ?? [];
      view.drawOver();
    }
    this.revealed = JSON.stringify(hops);
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

  showCrumbs() {
    const { machine, place } = this.store.state;
    if (this.panes.length > 0) this.crumbs.show(this.panes[0], this.session.machines.find((each) => each.id === machine), place);
  }

  showLegend() {
    const { theme, differences } = this;
    this.panes.forEach(({ view, uses }, number) => {
      view.legend.hidden = number > 0;
      const topChosen = (top) => {
        for (const each of this.panes) {
          each.uses.fixedTop = top;
          each.view.later();
        }
      };
      view.legend.replaceChildren(...legendParts({ theme, uses, differences, topChosen }));
    });
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
    if (event.key === "/") this.search.focus();
    else if (event.key === "?") this.help();
    else if (event.key === "r") this.panel.startRoute();
    else if (event.key === "m") this.panes[0]?.view.canvas.focus();
    else if (event.key === " " && !target.matches("button, a")) this.timeline.toggle();
    else if (event.key === "0") this.panes[0]?.view.fit();
    else if (/^[1-6]$/.test(event.key)) this.dock.choose(Number(event.key));
    else if (["Escape", "Backspace"].includes(event.key) && !target.matches(".map")) this.panes[0]?.view.leave();
    else return;
    event.preventDefault();
  }

  help() { showHelp(byId("help"), this.session.version || ""); }

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

}

new Page().start();
