// Runs started from the page: forms by the benches' declarations, progress, the command line.
import { api } from "./api.js";
import { closeButton, element, noteElement } from "./elements.js";
import { ParameterField, SettingsField, settingsOf } from "./run_form.js";
import { tableElement } from "./tables.js";

export class Jobs {
  // `opened(run)`: a run has ended and can be shown.
  constructor(dialog, opened) {
    this.dialog = dialog;
    this.opened = opened;
    this.close = closeButton(() => dialog.close());
    this.bench = element("select", { "aria-label": "Bench" });
    this.bench.addEventListener("change", () => this.showForm());
    this.form = element("form", { method: "dialog", novalidate: true });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    this.list = element("div", { className: "joblist", "aria-live": "polite" });
    dialog.append(element("div", { className: "title" }, element("h2", { text: "Start a run" }), this.close),
      element("label", { className: "bench" }, "Bench ", this.bench), this.form, this.list);
  }

  // The form is of the run that is shown: `run.bench` is its bench with parameters, `run.command` has the values of --set. Of the same run it stays.
  async open(run, topology) {
    this.dialog.showModal();
    try {
      if (!this.benches) {
        ({ benches: this.benches, topologies: this.topologies } = await api.get("benches"));
        this.bench.replaceChildren(...this.benches.map(({ name }) => element("option", { value: name, text: name })));
        this.showForm();
      }
    } catch (fault) {
      return this.form.replaceChildren(element("p", { className: "fault", text: fault.message }));
    }
    const [bench, ...words] = (run?.bench ?? "").split(" ");
    if (run?.id === this.openedOn || !this.benches.some(({ name }) => name === bench)) return;
    this.openedOn = run.id;
    this.bench.value = bench;
    this.showForm();
    if (this.topologies.includes(topology)) this.form.querySelector("#job-topology").value = topology;
    for (const word of words) {
      const at = word.indexOf("="), field = this.fields.find((each) => each.parameter.name === word.slice(0, at));
      if (field) field.input.value = word.slice(at + 1);
    }
    this.settings.fill(settingsOf(run.command ?? ""));
  }

  chosen() { return this.benches.find((bench) => bench.name === this.bench.value); }

  showForm() {
    const bench = this.chosen();
    if (!bench) return;
    const topology = element("select", { id: "job-topology" }, ...this.topologies.map((name) => element("option", { value: name, text: name })));
    this.fields = bench.parameters.map((parameter) => new ParameterField(parameter));
    this.settings = new SettingsField(() => topology.value);
    this.form.replaceChildren(
      noteElement(bench.description),
      element("div", { className: "fields" },
        element("label", { for: "job-topology", text: "topology" }), topology, element("span", { className: "help" }),
        ...this.fields.flatMap((field) => field.elements),
        element("label", { for: "set-0-input", text: "--set" }), this.settings.root),
      element("p", { className: "fault", id: "job-fault", role: "alert" }),
      element("button", { type: "submit", className: "main", text: "Start" }));
  }

  async start() {
    const bench = this.chosen(), parameters = {};
    const fault = this.form.querySelector("#job-fault"), topology = this.form.querySelector("#job-topology");
    fault.textContent = "";
    this.settings.show("");
    const wrong = this.fields.filter((field) => !field.check());
    if (wrong.length > 0) {
      wrong[0].input.focus();
      fault.textContent = "not started: " + wrong.map((field) => field.parameter.name).join(", ");
      return;
    }
    for (const field of this.fields) if (field.value !== "") parameters[field.parameter.name] = field.value;
    try {
      const job = await api.post("jobs", { bench: bench.name, parameters, set: this.settings.values, topology: topology.value });
      this.add(job.id, job.command);
    } catch (error) {
      const field = this.fields.find((each) => each.parameter.name === error.field);
      fault.textContent = field || error.field === "set" ? "not started: " + (field ? error.field : "--set") : error.message;
      if (error.field === "set") this.settings.show(error.message);
      if (!field) return;
      field.show(error.message);
      field.input.focus();
    }
  }

  add(id, command) {
    const bar = element("progress", { max: "1" }), text = element("span", { className: "state", text: "queued" });
    const cancel = element("button", { type: "button", text: "Cancel", onclick: () => api.remove("jobs/" + id).catch((fault) => { text.textContent = fault.message; }) });
    const show = element("button", { type: "button", className: "main", text: "Show", hidden: true });
    const code = element("div", { className: "command" }, element("code", { text: command || "" }));
    window.kernbenchPage.addCopyButton(code);
    const entry = element("article", { className: "job" }, element("div", { className: "row" }, bar, text, cancel, show), code);
    this.list.prepend(entry);
    const poll = async () => {
      let job;
      try {
        job = await api.poll("jobs/" + id);
      } catch (fault) {
        text.textContent = fault.message;
        return;
      }
      text.textContent = [job.state, job.state === "running" ? job.simulated : "", job.message].filter((part) => part).join(": ");
      if (job.state === "queued" || job.state === "running") return setTimeout(poll, 400);
      cancel.hidden = true;
      bar.value = job.state === "done" ? 1 : 0;
      entry.classList.add(job.state);
      if (job.run === null) return;
      show.hidden = false;
      show.addEventListener("click", () => {
        this.dialog.close();
        this.opened(job.run);
      });
      this.opened(job.run, true);
    };
    poll();
  }
}

export class Sweeps {
  constructor(dialog) {
    this.dialog = dialog;
    this.body = element("div", { className: "sweepbody" });
    this.choice = element("select", { "aria-label": "Sweep" });
    this.choice.addEventListener("change", () => this.show());
    dialog.append(element("div", { className: "title" }, element("h2", { text: "Sweep" }), this.choice,
      closeButton(() => dialog.close())), this.body);
  }

  open(sweeps) {
    this.choice.replaceChildren(...sweeps.map((sweep) => element("option", { value: String(sweep.id), text: sweep.title })));
    this.dialog.showModal();
    this.show();
  }

  async show() {
    try {
      const answer = await api.get("sweep/" + this.choice.value);
      const figures = answer.figures.map((figure) => element("figure", {},
        element("figcaption", { text: figure.title }), figure.svg ? svgOf(figure.svg) : noteElement(figure.fault), noteElement(figure.caption)));
      const tables = answer.tables.flatMap((table) => [element("h3", { text: table.name }), tableElement(table, "point", () => {})]);
      this.body.replaceChildren(element("h3", { text: answer.title }), ...(answer.text ? [element("p", { text: answer.text })] : []), ...figures, ...tables);
    } catch (fault) {
      this.body.replaceChildren(element("p", { className: "fault", text: fault.message }));
    }
  }
}

// SVG text as a picture: nothing in it runs.
function svgOf(text) {
  return element("img", { alt: "", src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text) });
}
