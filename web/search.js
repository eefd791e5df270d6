// Search of nodes with completion: an ARIA combobox.
import { api } from "./api.js";
import { element } from "./elements.js";

export class Search {
  // `options`: {machine: () -> id, onChoose(name), places: names at hand if the server is not}
  constructor(parent, options) {
    this.options = options;
    this.matches = [];
    this.active = -1;
    this.input = element("input", {
      type: "search", id: "search-input", placeholder: "Search a node  (/)", autocomplete: "off", spellcheck: "false",
      role: "combobox", "aria-label": "Search a node", "aria-expanded": "false", "aria-controls": "search-list", "aria-autocomplete": "list",
    });
    this.list = element("ul", { id: "search-list", role: "listbox", "aria-label": "Nodes found", hidden: true });
    parent.append(this.input, this.list);
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("focus", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  ask() {
    clearTimeout(this.timer);
    const text = this.input.value.trim();
    if (text === "") return this.close();
    this.timer = setTimeout(async () => {
      try {
        const answer = await api.get("machine/" + this.options.machine() + "/search", { q: text, limit: 20 });
        if (this.input.value.trim() === text && document.activeElement === this.input) this.show(answer, text);
      } catch (fault) {
        const matches = api.exported ? this.options.places(text) : [];
        this.show(matches, text, fault.message);
      }
    }, 80);
  }

  show(matches, text, fault) {
    this.matches = matches;
    this.active = matches.length > 0 ? 0 : -1;
    this.list.replaceChildren(...matches.map((match, i) => {
      const at = match.name.toLowerCase().indexOf(text.toLowerCase()), name = element("span", { className: "name" });
      if (at < 0) name.textContent = match.name;
      else name.append(match.name.slice(0, at), element("b", { text: match.name.slice(at, at + text.length) }), match.name.slice(at + text.length));
      return element("li", {
        role: "option", id: "search-option-" + i, onpointerdown: (event) => {
          event.preventDefault();
          this.choose(i);
        },
      }, name, element("span", { className: "role", text: match.role }));
    }));
    if (matches.length === 0) this.list.replaceChildren(element("li", { className: "none", text: fault && !api.exported ? fault : "no node found" }));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, i) => {
      item.setAttribute("aria-selected", String(i === this.active));
      if (i === this.active) item.scrollIntoView({ block: "nearest" });
    });
    if (this.active >= 0) this.input.setAttribute("aria-activedescendant", "search-option-" + this.active);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const { length } = this.matches;
    if (event.key === "ArrowDown" && length > 0) this.active = (this.active + 1) % length;
    else if (event.key === "ArrowUp" && length > 0) this.active = (this.active + length - 1) % length;
    else if (event.key === "Enter" && this.active >= 0) return this.choose(this.active);
    else if (event.key === "Escape") {
      this.close();
      this.input.blur();
      event.stopPropagation();
      return;
    } else return;
    event.preventDefault();
    this.mark();
  }

  choose(index) {
    const match = this.matches[index];
    if (!match) return;
    this.input.value = match.name;
    this.close();
    this.options.onChoose(match.name);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.matches = [];
    this.active = -1;
  }
}
