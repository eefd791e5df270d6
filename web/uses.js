// Utilisation of the visible scopes of a run in an interval, as the map colours it.
import { api } from "./api.js";
import { levels } from "./scene.js";

const tops = [0.05, 0.1, 0.2, 0.5, 1];
const mostPending = 6;

export class Uses {
  // `changed`: called when an answer has arrived.
  constructor(run, changed) {
    this.run = run;
    this.changed = changed;
    this.interval = null;    // {from, to} in fs; null: the whole run
    this.shown = new Map();  // scope -> the newest answer, of this interval or of the one before
    this.current = new Map();
    this.failed = new Set();
    this.pending = 0;
    this.generation = 0;
    this.wanted = [];
    this.fixedTop = null;
    this.autoTop = 0.05;
    this.peers = [this];  // runs that are shown next to each other
  }

  get top() { return this.fixedTop || this.commonTop; }
  get commonTop() { return Math.max(...this.peers.map((each) => each.autoTop)); }

  setInterval(interval) {
    this.interval = interval;
    this.current.clear();
    this.failed.clear();
    this.wanted = [];
    ++this.generation;
  }

  // {blocks, links} of a scope, or undefined; asks for it if it is not at hand.
  of(level, scope) {
    if (!this.current.has(scope) && !this.failed.has(scope) && !this.wanted.some((each) => each.scope === scope)) {
      const known = api.known(...this.request(level, scope));
      if (known) this.take(scope, known);
      else this.wanted.push({ level, scope });
      this.next();
    }
    return this.current.get(scope) || this.shown.get(scope) || { blocks: [], links: [] };
  }

  request(level, scope) {
    const { from, to } = this.interval || {};
    return ["run/" + this.run + "/use", { scope, level: levels[level], from_fs: from, to_fs: to }];
  }

  take(scope, answer) {
    this.current.set(scope, answer);
    this.shown.set(scope, answer);
    let most = 0;
    for (const share of answer.blocks) if (share > most) most = share;
    for (const link of answer.links) if (link) most = Math.max(most, link[0] || 0, link[1] || 0);
    const top = tops.find((each) => each >= most) || 1;
    if (top > this.autoTop) this.autoTop = top;
  }

  next() {
    if (this.pending >= mostPending || this.wanted.length === 0) return;
    const { level, scope } = this.wanted[this.wanted.length - 1], { generation } = this;
    this.wanted.pop();
    this.failed.add(scope);  // not asked for again while it is on the way
    ++this.pending;
    api.get(...this.request(level, scope)).then((answer) => {
      if (generation !== this.generation) return;
      this.failed.delete(scope);
      this.take(scope, answer);
      this.changed();
    }, () => {}).finally(() => {
      --this.pending;
      this.next();
    });
    this.next();
  }
}
