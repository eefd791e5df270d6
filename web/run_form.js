// Form of a run: fields by the declarations of a bench, and of keys of the configuration (--set).
import { api } from "./api.js";
import { element } from "./elements.js";
import { Completion } from "./search.js";

// Field with its label, help and fault. `value`: "" if it is the default.
export class ParameterField {
  constructor(parameter) {
    this.parameter = parameter;
    const { name, type, default: value, least, most, step, of_the_machine: ofTheMachine } = parameter, id = "parameter-" + name;
    const choices = type === "boolean" ? ["false", "true"] : parameter.choices;
    this.isNumber = !choices && (type === "integer" || type === "decimal");
    if (choices) {
      this.input = element("select", { id, name }, ...choices.map((choice) => element("option", { value: choice, text: choice })));
      this.input.value = value ?? "";  // nothing chosen: not sent
    } else if (this.isNumber) {
      this.input = element("input", { id, name, type: "number", min: text(least), max: text(most), step: step ?? "any", value, placeholder: ofTheMachine ? "of the machine" : value });
    } else {
      this.input = element("input", { id, name, type: "text", value, placeholder: ofTheMachine ? "of the machine" : value, spellcheck: "false" });
    }
    const shown = value === null ? null : "default " + (value === "" ? "empty" : value);
    this.fault = element("p", { className: "fault", id: id + "-fault", role: "alert" });
    this.input.setAttribute("aria-describedby", id + "-help " + id + "-fault");
    this.input.addEventListener("input", () => this.check());
    this.elements = [element("label", { for: id, text: name }), element("div", {}, this.input, parameter.unit ? element("span", { className: "unit", text: parameter.unit }) : null, this.fault),
      element("span", { className: "help", id: id + "-help", text: [parameter.description, parameter.allowed, shown].filter((part) => part).join("; ") })];
  }

  get value() {
    const given = this.input.value.trim();
    return given === String(this.parameter.default) ? "" : given;
  }

  // The text of the command line for a value outside the declared bounds.
  check() {
    const { validity } = this.input, { allowed } = this.parameter;
    this.show(!this.isNumber || validity.valid ? "" : "found " + (validity.badInput ? "no number" : this.input.value) + ", allowed is " + allowed);
    return this.fault.textContent === "";
  }

  show(fault) {
    this.fault.textContent = fault;
    this.input.setAttribute("aria-invalid", String(fault !== ""));
  }
}

function text(bound) { return bound === null || bound === undefined ? null : String(bound); }

// Words of a command line: of sh, with quotes.
function wordsOf(command) {
  return [...command.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped));
}

// Values of --set in a command line.
export function settingsOf(command) {
  const values = [];
  let isSet = false;
  for (const word of wordsOf(command)) {
    if (word.startsWith("--set=")) values.push(word.slice(6));
    isSet = word === "--set" || isSet && !word.startsWith("-");
    if (isSet && word.includes("=")) values.push(word);
  }
  return values;
}

// Lines KEY=VALUE with completion; after the last one that is filled there is an empty one.
export class SettingsField {
  // `topology`: () -> name of the chosen topology
  constructor(topology) {
    this.topology = topology;
    this.lines = [];
    this.root = element("div", { className: "settings" });
    this.add();
  }

  // Lines with texts that are given.
  fill(values) {
    for (const value of values) {
      this.lines[this.lines.length - 1].input.value = value;
      this.add();
    }
  }

  get values() { return this.lines.map(({ input }) => input.value.trim()).filter((value) => value !== ""); }

  add() {
    const number = this.lines.length, box = element("div", { className: "line" });
    const hint = element("p", { className: "help", id: "set-" + number + "-hint" }), fault = element("p", { className: "fault", role: "alert" });
    const completion = new Completion(box, "set-" + number, { type: "text", placeholder: number === 0 ? "system.flit_bytes=128" : "", "aria-label": "Setting " + (number + 1) + ", KEY=VALUE", "aria-describedby": "set-" + number + "-hint" }, {
      none: (given) => (given.includes("=") ? "" : "no key found"),
      ask: (given) => this.matches(given, line),
      onChoose: (match) => {
        line.input.value = match.value === undefined ? match.name + "=" : match.name;
        line.input.dispatchEvent(new Event("input"));
      },
    });
    const line = { input: completion.input, hint, fault };
    box.append(hint, fault);
    this.lines.push(line);
    this.root.append(box);
    line.input.addEventListener("input", () => {
      this.show("");
      if (this.lines[this.lines.length - 1].input.value.trim() !== "") this.add();
    });
  }

  // Keys, or after "=" the choices of a key; the hint has its present value and what is allowed.
  async matches(given, { hint }) {
    const [key, ...rest] = given.split("="), value = rest.join("=");
    const { keys } = await api.get("keys", { topology: this.topology(), q: key, limit: 20 });
    const exact = keys.find((each) => each.key === key);
    hint.textContent = exact ? [exact.description, "now " + exact.value + (exact.unit ? " " + exact.unit : ""), exact.allowed].filter((part) => part).join("; ") : "";
    if (given.includes("=")) {
      const choices = exact ? exact.choices : [];
      return choices.filter((choice) => choice.startsWith(value) && choice !== value).map((choice) => ({ name: key + "=" + choice, value: choice, role: choice === exact.value ? "now" : "" }));
    }
    return keys.map((each) => ({ name: each.key, role: each.value + (each.unit ? " " + each.unit : "") + "; " + each.allowed }));
  }

  // At the line that the text names.
  show(fault) {
    for (const line of this.lines) line.fault.textContent = "";
    if (fault === "") return;
    const line = this.lines.find(({ input }) => input.value.trim() !== "" && fault.includes(input.value.trim())) || this.lines[0];
    line.fault.textContent = fault;
    line.input.focus();
  }
}
