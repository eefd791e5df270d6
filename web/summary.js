// What limits a run: the verdict, tables of resources, engines and links, facts.
import { element, noteElement, numberText, timeText } from "./elements.js";
import { RunView } from "./run_view.js";
import { tableElement, titleOf } from "./tables.js";

const captions = {
  "bottleneck.resources": "gain: how much faster the run gets with twice as much of the resource, while kernels run; at least: its time with the resource unlimited; key: what to double.",
  "bottleneck.kernels": "The same of each kernel by itself.",
  engines: "Utilisation while kernels ran.",
  links: "Utilisation over the whole run.",
};

function noLimits(kind) {
  return kind === "log" ? "No limits: no kernel has run." : "This file has no limits: those are in statistics (--stats F.json) and in the operation log of a run.";
}

export class Summary extends RunView {
  constructor(root, store, runOf, follow) {
    super(root, store, { wanted: ({ run }) => (run === null ? null : { path: "run/" + run + "/summary" }), parts: (answer) => this.columns(answer, follow) });
    this.runOf = runOf;
    this.interval = noteElement("The colours of the map are those of the interval; what is below is of the whole run.");
    store.subscribe(["interval", "run"], () => this.showInterval());
  }

  showInterval() {
    const { interval, run } = this.store.state;
    this.interval.hidden = !interval || run === null || !this.runOf(run)?.has_windows;
  }

  // "limit: ..." as `inspect --limits` prints it, and the part of the run that it is about.
  verdict({ bottleneck }) {
    const run = this.runOf(this.store.state.run), text = bottleneck && (bottleneck.verdict ?? bottleneck.limit), end = run?.end_fs;
    if (!text) return noteElement(noLimits(run?.kind));
    const window = Math.round(1e6 * bottleneck.window_ns);
    return element("p", { className: "verdict" }, element("strong", { text: "limit: " + text }),
      element("span", { className: "note", text: " of the " + timeText(window) + (end > window ? " in which kernels ran, of " + timeText(end) : " of the run") }));
  }

  columns(answer, follow) {
    const facts = element("dl"), tables = [];
    const add = (name, value) => {
      if (value === null || typeof value === "object") return;
      const text = name.endsWith("_fs") ? timeText(value, 7) : numberText(value);
      facts.append(element("dt", { text: name.replace(/_fs$/, "").replaceAll("_", " ") }), element("dd", {}, name.startsWith("command") ? element("code", { text }) : text));
    };
    for (const [key, value] of Object.entries(answer)) {
      add(key, value);
      if (!value || typeof value !== "object" || key === "bottleneck" || Array.isArray(value)) continue;
      if (Array.isArray(value.columns)) tables.push(element("h3", { text: titleOf(key) }), captions[key] ? noteElement(captions[key]) : null, tableElement(value, "row", follow, 25));
      else for (const [name, inner] of Object.entries(value)) add((key === "metadata" ? "" : key + " ") + name, inner);
    }
    const parts = this.runOf(this.store.state.run)?.kind === "log" ? [] :
      [noteElement("Timeline, critical path and roofline are views of an operation log (run --op-log F.sqlite).")];
    this.showInterval();
    return [element("div", { className: "limits" }, this.verdict(answer), ...parts, this.interval, ...tables), element("div", { className: "facts" }, facts)];
  }
}
