// What limits a run: the verdict, tables of resources, engines and links, facts.
import { api } from "./api.js";
import { element, noteElement, numberText, timeText } from "./elements.js";
import { pathVerdict } from "./path_view.js";
import { RunView } from "./run_view.js";
import { breakNames, tableElement, titleOf } from "./tables.js";

// `kernels`: kernels have run.
function captionsOf(kernels) {
  return {
    "bottleneck.resources": "gain: how much faster the run gets with twice as much of the resource" + (kernels ? ", while kernels run" : "") + "; at least: its time with the resource unlimited; key: what to double.",
    "bottleneck.kernels": "The same of each kernel by itself.",
    engines: "Utilisation " + (kernels ? "while kernels ran." : "over the whole run."),
    links: "Utilisation over the whole run.",
  };
}

const mostOperations = 200000;  // of a log whose critical path is found unasked

function noLimits(kind) {
  return kind === "log" ? "No limits: no kernel has run." : "This file has no limits: those are in statistics (--stats F.json) and in the operation log of a run.";
}

export class Summary extends RunView {
  constructor(root, store, runOf, follow) {
    super(root, store, { wanted: ({ run }) => (run === null ? null : { path: "run/" + run + "/summary" }), parts: (answer) => this.columns(answer, follow) });
    this.runOf = runOf;
    this.interval = element("p", { className: "note of-interval", text: "The colours of the map are those of the interval; what is below is of the whole run." });
    store.subscribe(["interval", "run"], () => this.showInterval());
  }

  showInterval() {
    const { interval, run } = this.store.state;
    this.interval.hidden = !interval || run === null || !this.runOf(run)?.has_windows;
  }

  // "limit: ..." as `inspect --limits` prints it, and the part of the run that it is about.
  verdict({ bottleneck }, kernels) {
    const run = this.runOf(this.store.state.run), text = bottleneck && (bottleneck.verdict ?? bottleneck.limit), end = run?.end_fs;
    if (!text) return noteElement(noLimits(run?.kind));
    const window = Math.round(1e6 * bottleneck.window_ns);
    return element("p", { className: "verdict" }, element("strong", { text: "limit: " + text }),
      element("span", { className: "note", text: ". Window: " + timeText(window) + (end > window ? (kernels ? ", in which kernels ran," : "") + " of " + timeText(end) : ", the whole run") + "." }));
  }

  // Sentence about the critical path of the longest launch; of a large log a link to its view.
  cause() {
    const { run: id } = this.store.state, run = this.runOf(id);
    if (run?.kind !== "log") return null;
    const line = element("p", { className: "cause" });
    if (run.operations > mostOperations && !api.exported) {
      line.append(element("button", { type: "button", className: "place", text: "See Critical path", onclick: () => this.store.set({ tab: "path" }) }));
      return line;
    }
    api.get("run/" + id + "/critical-path").then((answer) => {
      const text = pathVerdict(answer);
      if (text) line.append(text + " ", element("button", { type: "button", className: "place", text: "See Critical path", onclick: () => this.store.set({ tab: "path" }) }));
    }).catch(() => {});  // a log without operations
    return line;
  }

  factsElement(facts) {
    const box = element("details", { className: "facts", open: this.isFactsOpen }, element("summary", { text: "Facts" }), facts);
    box.addEventListener("toggle", () => { this.isFactsOpen = box.open; });
    return box;
  }

  columns(answer, follow) {
    const facts = element("dl"), tables = [], kernels = !answer.activity || answer.activity.pe_window_ns !== null, captions = captionsOf(kernels);
    const add = (name, value) => {
      if (value === null || typeof value === "object") return;
      const text = name.endsWith("_fs") ? timeText(value, 7) : numberText(value);
      facts.append(element("dt", { text: name.replace(/_fs$/, "").replaceAll("_", " ") }), element("dd", {}, name.startsWith("command") ? element("code", { text }) : text));
    };
    for (const [key, value] of Object.entries(answer)) {
      add(key, value);
      if (!value || typeof value !== "object" || key === "bottleneck" || Array.isArray(value)) continue;
      if (Array.isArray(value.columns)) {
        const table = breakNames(tableElement(value, "row", follow, 25));
        table.classList.toggle("few", value.rows.length <= 25);
        tables.push(element("div", { className: "heading" }, element("h3", { text: titleOf(key) }), captions[key] ? noteElement(captions[key]) : null), table);
      }
      else for (const [name, inner] of Object.entries(value)) add((key === "metadata" ? "" : key + " ") + name, inner);
    }
    const parts = this.runOf(this.store.state.run)?.kind === "log" ? [] :
      [noteElement("Timeline, critical path and roofline are views of an operation log (run --op-log F.sqlite).")];
    this.showInterval();
    return [element("div", { className: "limits" }, this.verdict(answer, kernels), this.cause() ?? "", ...parts, this.interval, ...tables), this.factsElement(facts)];
  }
}
