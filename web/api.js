// Requests to the server, the only module that makes them. In an exported file the answers are in
// window.kernbenchData, by the address of their request.

const kept = 400;  // answers in memory

class ApiError extends Error {
  constructor(status, message, field = null) {
    super(message);
    this.status = status;
    this.field = field;  // of a form
  }
}

// "/api/run/0/timeline?bins=1000&scope=sip0": parameters in the order of their names, without empty ones.
export function address(path, parameters = {}) {
  const words = Object.keys(parameters).sort()
    .filter((key) => parameters[key] !== undefined && parameters[key] !== null && parameters[key] !== "")
    .map((key) => encodeURIComponent(key) + "=" + encodeURIComponent(parameters[key]));
  return "/api/" + path + (words.length > 0 ? "?" + words.join("&") : "");
}

class Api {
  constructor() {
    this.data = window.kernbenchData || null;
    this.token = new URLSearchParams(location.search).get("token") || "";
    this.answers = new Map();  // by address, least recently used first
    this.pending = new Map();
  }

  get exported() { return this.data !== null; }

  // Promise of an answer; equal requests share it.
  get(path, parameters) {
    const key = address(path, parameters);
    if (this.answers.has(key)) {
      const answer = this.answers.get(key);
      this.answers.delete(key);
      this.answers.set(key, answer);
      return Promise.resolve(answer);
    }
    if (this.pending.has(key)) return this.pending.get(key);
    const promise = this.fresh(key).then((answer) => {
      this.answers.set(key, answer);
      if (this.answers.size > kept) this.answers.delete(this.answers.keys().next().value);
      return answer;
    }).finally(() => this.pending.delete(key));
    this.pending.set(key, promise);
    return promise;
  }

  // Answer that changes: never kept.
  poll(path, parameters) { return this.fresh(address(path, parameters)); }
  forget(path, parameters) { this.answers.delete(address(path, parameters)); }

  post(path, body) { return this.request("POST", address(path), JSON.stringify(body)); }
  remove(path) { return this.request("DELETE", address(path)); }

  fresh(key) {
    if (!this.data) return this.request("GET", key);
    if (Object.prototype.hasOwnProperty.call(this.data, key)) return Promise.resolve(this.data[key]);
    return Promise.reject(new ApiError(404, "not in the exported file"));
  }

  async request(method, url, body) {
    let response, text;
    try {
      const headers = { "X-Kernbench-Token": this.token };
      if (body !== undefined) headers["Content-Type"] = "application/json";
      response = await fetch(url, { method, headers, body, cache: "no-store" });
      text = await response.text();
    } catch (fault) {
      throw new ApiError(0, "the server does not answer: has kernbench web ended?");
    }
    let answer = null;
    try {
      answer = text === "" ? {} : JSON.parse(text);
    } catch (fault) {
      throw new ApiError(response.status, "the server's answer is not JSON");
    }
    if (!response.ok) throw new ApiError(response.status, answer.error || response.statusText, answer.field);
    return answer;
  }
}

export const api = new Api();
