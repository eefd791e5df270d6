// View of the critical path of a launch: its nodes and steps; the map and the chart show it, too.
import { api } from "./api.js";
import { element, noteElement, numberText, percentText, timeText } from "./elements.js";
import { tableElement } from "./tables.js";

// Nodes of a critical path with their part of its length; in an interval those at work in it. Steps
// that are not on the map, such as the dispatch of a launch: of `all`.
export function pathNodes(steps, interval, all = false) {
  const nodes = new Map(), length = steps.length > 0 ? steps[steps.length - 1].end_fs - steps[0].start_fs : 1;
  for (const step of steps) {
    if (step.on_map === false && !all) continue;
    const known = nodes.get(step.node) || { node: step.node, share: 0, current: false, onMap: step.on_map !== false };
    known.share += (step.end_fs - step.start_fs) / length;
    known.current ||= Boolean(interval) && step.start_fs < interval.to && step.end_fs > interval.from;
    nodes.set(step.node, known);
  }
  return [...nodes.values()];
}

const machine = { place: "" };  // target of a row without a place on the map

// Target of a step.
export function targetOf(step) { return { place: step.place ?? (step.on_map === false ? "" : step.node), from_fs: step.start_fs, to_fs: step.end_fs }; }

// "Critical path: ...": the resource with most of its time, or null.
export function pathVerdict({ resources, launches, launch, kernel }) {
  if (!resources || resources.length === 0) return null;
  const [{ resource, share, at_least_ns: least }] = resources;
  const of = launches.length > 1 ? " of launch " + launch + " (" + kernel + ")" : "";
  return "Critical path" + of + ": " + resource + " " + (100 * share).toFixed(1) + " % of its time; without it at least " + timeText(Math.round(1e6 * least)) + ".";
}

// Rows of the table of resources; a row leads to the longest step of its resource.
function resourceTable(resources, steps) {
  const longest = ({ resource, kind }) => {
    const [first, ...others] = steps.filter((step) => step.resource === resource && step.kind === kind);
    return first ? targetOf(others.reduce((best, step) => (step.end_fs - step.start_fs > best.end_fs - best.start_fs ? step : best), first)) : machine;
  };
  const time = (name) => ({ name, kind: "number", text: (fs) => timeText(fs) });
  return {
    columns: [{ name: "resource", kind: "text" }, { name: "share", kind: "number", text: percentText }, time("time"), { name: "steps", kind: "number" }, time("without it at least")],
    rows: resources.map((each) => [each.resource, each.share, Math.round(1e6 * each.time_ns), each.steps, Math.round(1e6 * each.at_least_ns)]), places: resources.map(longest),
  };
}

export class PathView {
  constructor(root, store, follow) {
    this.root = root;
    this.store = store;
    this.follow = follow;
    this.run = null;
  }

  async show() {
    const { run } = this.store.state;
    if (this.run === run) return;
    this.run = run;
    this.root.replaceChildren(noteElement("\u2026"));
    await this.showLaunch(null);
  }

  async showLaunch(launch) {
    const { run } = this;
    try {
      const answer = await api.get("run/" + run + "/critical-path", launch === null ? {} : { launch });
      if (this.store.state.run !== run) return;
      this.store.set({ path: { launch: answer.launch, steps: answer.steps } });
      this.root.replaceChildren(...this.parts(answer));
    } catch (fault) {
      this.root.replaceChildren(noteElement(fault.message));
    }
  }

  parts({ steps, launches, launch, step_count: count, resources, note }) {
    const choice = element("select", { "aria-label": "Launch" }, ...launches.map((each) => element("option", { value: String(each.launch), text: "launch " + each.launch + " " + each.kernel + ", " + timeText(each.length_fs) })));
    choice.value = String(launch);
    choice.addEventListener("change", () => this.showLaunch(choice.value));
    const kept = element("input", { type: "checkbox" });
    kept.checked = this.store.state.keptPath;
    kept.addEventListener("change", () => this.store.set({ keptPath: kept.checked }));
    const total = steps.length > 0 ? steps[steps.length - 1].end_fs - steps[0].start_fs : 0;
    const name = { name: "node", kind: "text" }, time = { name: "time", kind: "number", text: (fs) => timeText(fs) };
    const nodes = pathNodes(steps, null, true).sort((a, b) => b.share - a.share);
    const byNode = { columns: [name, { name: "share", kind: "number", text: percentText }, time], rows: nodes.map(({ node, share }) => [node, share, share * total]), places: nodes.map(({ node, onMap }) => (onMap ? node : machine)) };
    const all = {
      columns: [name, { name: "from", kind: "number", text: (fs) => timeText(fs, 6) }, time, { name: "what", kind: "text" }],
      rows: steps.map((step) => [step.node, step.start_fs, step.end_fs - step.start_fs, step.what]), places: steps.map(targetOf),
    };
    return [
      element("div", { className: "bar" }, choice, element("span", { text: numberText(count) + " steps, " + timeText(total) }),
        element("label", {}, kept, " on the map in other views, too"), note ? element("span", { className: "note", text: note }) : null),
      element("div", { className: "columns" },
        resources ? element("div", { className: "scroll resources" }, element("h3", { text: "By resource" }), tableElement(resourceTable(resources, steps), "resource", this.follow)) : null,
        element("div", { className: "scroll" }, element("h3", { text: "By node" }), tableElement(byNode, "node", this.follow)),
        element("div", { className: "scroll" }, element("h3", { text: "Steps" }), tableElement(all, "step", this.follow, 200))),
    ];
  }
}
