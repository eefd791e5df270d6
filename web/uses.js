// Utilisation of the visible scopes of a run in an interval, as the map colours it.
import { api } from "./api.js";

const tops = [0.05, 0.1, 0.2, 0.5, 1];
const mostScopes = 40;  // scopes in one request
const mostKept = 6000;  // answers in memory

export class Uses {
  // `changed(fault)`: called when answers have arrived, or with the fault of a request; `intervals`: those of an exported file, or null.
  constructor(run, changed, intervals = null) {
    this.run = run;
    this.changed = changed;
    this.intervals = intervals;
    this.interval = null;      // {from, to} in fs; null: the whole run
    this.shown = new Map();    // scope -> the newest answer, of this interval or of the one before
    this.answers = new Map();  // interval and scope -> answer
    this.asked = new Set();    // the same, while it is on the way or if it has failed
    this.wanted = new Set();   // scopes
    this.pending = false;
    this.fixedTop = null;
    this.wholeTop = this.intervalTop = tops[0];
    this.peers = [this];  // runs that are shown next to each other
    this.window = null;   // interval of the newest answer, rounded to recorded windows
  }

  get top() { return this.fixedTop || this.commonTop; }
  get commonTop() { return Math.max(...this.peers.map((each) => each.autoTop)); }
  // Of the whole machine, so that it stays while the view moves; of intervals it only grows.
  get autoTop() { return this.interval ? Math.max(this.wholeTop, this.intervalTop) : this.wholeTop; }

  setInterval(interval) {
    if (interval && this.intervals) interval = this.nearest(interval);
    this.interval = interval;
    this.wanted.clear();
  }

  // Interval of an exported file that contains the middle of another one.
  nearest({ from, to }) {
    const middle = (from + to) / 2, found = this.intervals.find(([begin, end]) => begin <= middle && middle < end);
    return found ? { from: found[0], to: found[1] } : null;
  }

  key(scope) { return (this.interval ? this.interval.from + "-" + this.interval.to : "") + "|" + scope; }

  // {blocks, links} of a scope; asks for it if it is not at hand.
  of(scope) {
    const key = this.key(scope), answer = this.answers.get(key);
    if (answer) {
      this.shown.set(scope, answer);
      return answer;
    }
    if (!this.asked.has(key)) {
      this.wanted.add(scope);
      if (!this.pending) queueMicrotask(() => this.next());
    }
    return this.shown.get(scope) || { blocks: [], links: [] };
  }

  take(key, answer) {
    this.answers.set(key, answer);
    this.asked.delete(key);
    if (this.answers.size > mostKept) this.answers.delete(this.answers.keys().next().value);
  }

  scale({ highest, window }) {
    const top = tops.find((each) => each >= highest) || 1;
    if (window.name === "time") this.intervalTop = Math.max(this.intervalTop, top);
    else this.wholeTop = top;
    this.window = window;
  }

  // One request at a time, for all scopes that are missing by then.
  async next() {
    if (this.pending || this.wanted.size === 0) return;
    this.pending = true;
    let text = null;
    const scopes = [...this.wanted].slice(0, mostScopes), { from, to } = this.interval || {};
    const keys = new Map(scopes.map((scope) => [scope, this.key(scope)]));
    for (const scope of scopes) this.wanted.delete(scope);
    for (const key of keys.values()) this.asked.add(key);
    try {
      if (api.exported) {
        await Promise.all(scopes.map(async (scope) => {
          const answer = await api.get("run/" + this.run + "/use", { scope, from_fs: from, to_fs: to }).catch(() => null);
          if (!answer) return;
          this.take(keys.get(scope), answer);
          this.scale(answer);
        }));
      } else {
        const answer = await api.poll("run/" + this.run + "/uses", { scopes: scopes.join(","), from_fs: from, to_fs: to });
        for (const [scope, use] of Object.entries(answer.scopes)) this.take(keys.get(scope), use);
        this.scale(answer);
      }
    } catch (fault) {
      text = fault.message;
    }
    this.pending = false;
    this.changed(text);
    this.next();
  }
}
