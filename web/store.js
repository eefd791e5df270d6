// State of the page: what is shown. Changes go through set(); subscribers name the keys they follow.

export class Store {
  constructor(state) {
    this.state = state;
    this.subscribers = [];
  }

  subscribe(keys, notify) { this.subscribers.push({ keys, notify }); }

  set(changes) {
    const changed = Object.keys(changes).filter((key) => JSON.stringify(this.state[key]) !== JSON.stringify(changes[key]));
    if (changed.length === 0) return;
    this.state = { ...this.state, ...changes };
    for (const { keys, notify } of this.subscribers) if (keys.some((key) => changed.includes(key))) notify(this.state, changed);
  }
}

const numbers = ["machine", "run", "other"];

// State that an address holds after "#".
export function fragmentOf(state) {
  const words = [];
  const add = (key, value) => {
    if (value !== null && value !== undefined && value !== "") words.push(key + "=" + encodeURIComponent(value).replaceAll("%20", "+").replaceAll("%3E", ">"));
  };
  for (const key of numbers) add(key, state[key]);
  add("place", state.place);
  add("tab", state.tab === "timeline" ? null : state.tab);
  if (state.interval) add("time", state.interval.from + "-" + state.interval.to);
  if (state.route) add("route", [state.route.from, state.route.to, state.route.bytes].join(","));
  if (state.difference !== null) add("difference", state.difference);
  return words.length > 0 ? "#" + words.join("&") : "#";
}

export function stateOf(fragment) {
  const words = new URLSearchParams(fragment.replace(/^#/, "")), state = {};
  for (const key of [...numbers, "difference"]) {
    if (/^\d+$/.test(words.get(key) || "")) state[key] = Number(words.get(key));
  }
  if (words.get("place")) state.place = words.get("place");
  if (words.get("tab")) state.tab = words.get("tab");
  const time = /^(\d+)-(\d+)$/.exec(words.get("time") || "");
  if (time) state.interval = { from: Number(time[1]), to: Number(time[2]) };
  const [from, to, bytes] = (words.get("route") || "").split(",");
  if (from && to) state.route = { from, to, bytes: Number(bytes) || 4096 };
  return state;
}
