// View of the answer to one request about the run, or about both runs.
import { api } from "./api.js";
import { element, noteElement } from "./elements.js";

export class RunView {
  // `wanted`: state -> {path, parameters}, or null where `absent` says why there is nothing to show;
  // `parts`: answer -> elements. An answer is shown once, unless `redraws`.
  constructor(root, store, { wanted, absent = "no run is loaded", parts, redraws = false }) {
    Object.assign(this, { root, store, wanted, absent, parts, redraws, shown: null });
  }

  async show() {
    const wanted = this.wanted(this.store.state), key = JSON.stringify(wanted);
    if (this.shown === key && !this.redraws) return;
    this.shown = key;
    if (wanted === null) return this.root.replaceChildren(noteElement(this.absent));
    let parts;
    try {
      parts = this.parts(await api.get(wanted.path, wanted.parameters));
    } catch (fault) {
      parts = [element("p", { className: "fault", text: fault.message })];
    }
    if (this.shown === key) this.root.replaceChildren(...parts);
  }
}
