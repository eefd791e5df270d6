// Path from the machine to the selection, or to what the map shows.
import { element, numberText } from "./elements.js";
import { endsOf } from "./scene.js";

export class Crumbs {
  // `go(place or null)`: selects it and moves the map there.
  constructor(go) {
    this.go = go;
    this.root = element("nav", { className: "crumbs", "aria-label": "Place" });
  }

  show(pane, machine, place) {
    const ends = place ? endsOf(place) : null, name = ends ? pane.view.outer(place) : place || pane.view.scopeInView();
    const key = JSON.stringify([name, place, machine && machine.id]);
    if (this.shown === key) return;
    this.shown = key;
    const steps = name ? pane.scene.path(name) : [];
    const arrow = () => element("span", { className: "arrow", "aria-hidden": "true", text: "\u203a" });
    const crumb = (text, target) => element("button", { type: "button", text, onclick: () => this.go(target) });
    const parts = [crumb(machine ? machine.title : "system", null)];
    for (const step of steps) parts.push(arrow(), crumb(step.block.child || step.block.label, step.name));
    if (ends) parts.push(arrow(), element("span", { text: "link" }));
    if (steps.length === 0 && machine)
      parts.push(element("span", { className: "quiet", text: [machine.sips + (machine.sips === 1 ? " SIP" : " SIPs"), machine.cubes + (machine.cubes === 1 ? " cube" : " cubes"), numberText(machine.pes) + " PEs", numberText(machine.nodes) + " nodes", numberText(machine.links) + " links"].join(" \u00b7 ") }));
    this.root.replaceChildren(...parts);
  }
}
