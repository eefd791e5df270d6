// Views of a run below the map, as tabs; those that the run cannot fill are hidden.
import { Comparison } from "./compare.js";
import { element } from "./elements.js";
import { Roofline } from "./figures.js";
import { PathView } from "./path_view.js";
import { Summary } from "./summary.js";
import { Tables } from "./tables.js";
import { Timeline } from "./timeline.js";

const titles = [["timeline", "Timeline"], ["summary", "Bottlenecks"], ["tables", "Tables"], ["path", "Critical path"], ["roofline", "Roofline"], ["compare", "Differences"]];

export class Dock {
  // `options`: {runOf: id -> run of the session, machineOf: id -> machine of a run, follow(target): of a bar, frame(target): of a row or a
  // point}, and those of Timeline
  constructor(root, store, options) {
    Object.assign(this, { root, store, options });
    this.tabs = element("div", { className: "tabs", role: "tablist", "aria-label": "Views of the run" });
    this.roots = new Map();
    root.append(this.tabs);
    titles.forEach(([name, title], i) => {
      const view = element("div", { className: "view " + name, id: "view-" + name, role: "tabpanel", "aria-labelledby": "tab-" + name });
      this.tabs.append(element("button", { type: "button", id: "tab-" + name, role: "tab", "aria-controls": "view-" + name, title: "Key " + (i + 1), text: title, onclick: () => store.set({ tab: name }) }));
      this.roots.set(name, view);
      root.append(view);
    });
    this.tabs.addEventListener("keydown", (event) => this.key(event));
    const { frame } = options, view = (name) => this.roots.get(name);
    this.timeline = new Timeline(view("timeline"), store, options);
    this.parts = {
      timeline: { show: () => this.timeline.draw() }, summary: new Summary(view("summary"), store, options.runOf, frame), tables: new Tables(view("tables"), store, frame),
      path: new PathView(view("path"), store, frame), roofline: new Roofline(view("roofline"), store, frame, options.machineOf), compare: new Comparison(view("compare"), store, frame),
    };
    store.subscribe(["tab", "run", "other"], () => this.show());
  }

  has(name) {
    const { run, other } = this.store.state, isLog = (id) => id !== null && this.options.runOf(id)?.kind === "log";
    if (name === "compare") return other !== null;
    return name === "summary" || name === "tables" || isLog(run) || name === "timeline" && isLog(other);
  }

  get shown() {
    const { tab } = this.store.state;
    return this.roots.has(tab) && this.has(tab) ? tab : this.has("timeline") ? "timeline" : "summary";
  }

  show() {
    const isHidden = this.store.state.run === null, { shown } = this;
    for (const [name, root] of this.roots) root.hidden = name !== shown;
    for (const button of this.tabs.children) {
      const name = button.id.slice(4), selected = name === shown;
      button.hidden = !this.has(name);
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    this.root.hidden = isHidden;
    if (!isHidden) this.parts[shown].show();
  }

  // Keys 1 to 6.
  choose(number) {
    const [name] = titles[number - 1];
    if (this.store.state.run !== null && this.has(name)) this.store.set({ tab: name });
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], tabs = [...this.tabs.children].filter((tab) => !tab.hidden), at = tabs.indexOf(document.activeElement);
    if (!by || at < 0) return;
    const next = tabs[(at + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }
}
