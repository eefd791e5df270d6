// Completion of texts: an ARIA combobox; search of nodes with it.
import { api } from "./api.js";
import { element } from "./elements.js";

export class Completion {
  // `options`: {ask: text -> Promise of matches [{name, role}], onChoose(match), none: text -> what is shown
  // without a match ("": nothing)}
  constructor(parent, id, attributes, options) {
    this.id = id;
    this.options = { none: () => "nothing found", ...options };
    this.matches = [];
    this.active = -1;
    this.input = element("input", { id: id + "-input", autocomplete: "off", spellcheck: "false", role: "combobox", "aria-expanded": "false", "aria-controls": id + "-list", "aria-autocomplete": "list", ...attributes });
    this.list = element("ul", { id: id + "-list", role: "listbox", "aria-label": attributes["aria-label"], hidden: true });
    parent.classList.add("completion");
    parent.append(this.input, this.list);
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("focus", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => document.activeElement !== this.input && this.close(), 150));
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
      let matches = [], fault = null;
      try {
        matches = await this.options.ask(text);
      } catch (error) {
        fault = error.message;
      }
      if (this.input.value.trim() === text && document.activeElement === this.input) this.show(matches, text, fault);
    }, 80);
  }

  show(matches, text, fault) {
    this.matches = matches;
    this.active = matches.length > 0 ? 0 : -1;
    this.list.replaceChildren(...matches.map((match, i) => {
      const word = text.split(/\s+/)[0], at = match.name.toLowerCase().indexOf(word.toLowerCase()), name = element("span", { className: "name" });
      if (at < 0) name.textContent = match.name;
      else name.append(match.name.slice(0, at), element("b", { text: match.name.slice(at, at + word.length) }), match.name.slice(at + word.length));
      return element("li", {
        role: "option", id: this.id + "-option-" + i, onpointerdown: (event) => {
          event.preventDefault();
          this.choose(i);
        },
      }, name, element("span", { className: "role", text: match.role }));
    }));
    const none = fault || this.options.none(text);
    if (matches.length === 0 && none === "") return this.close();
    if (matches.length === 0) this.list.replaceChildren(element("li", { className: "none", text: none }));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, i) => {
      item.setAttribute("aria-selected", String(i === this.active));
      if (i === this.active) item.scrollIntoView({ block: "nearest" });
    });
    if (this.active >= 0) this.input.setAttribute("aria-activedescendant", this.id + "-option-" + this.active);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const { length } = this.matches;
    if (event.key === "ArrowDown" && length > 0) this.active = (this.active + 1) % length;
    else if (event.key === "ArrowUp" && length > 0) this.active = (this.active + length - 1) % length;
    else if (event.key === "Enter" && this.active >= 0) {
      event.preventDefault();
      return this.choose(this.active);
    } else if (event.key === "Escape" && !this.list.hidden) {
      this.close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
    this.mark();
  }

  choose(index) {
    const match = this.matches[index];
    if (!match) return;
    this.close();
    this.options.onChoose(match);
  }

  close() {
    clearTimeout(this.timer);
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.matches = [];
    this.active = -1;
  }
}

// Search of nodes.
export class Search extends Completion {
  // `options`: {machine: () -> id, onChoose(name), places: names at hand if the server is not}
  constructor(parent, { machine, onChoose, places }) {
    super(parent, "search", { type: "search", placeholder: "Search a node  (/)", "aria-label": "Search a node" }, {
      none: () => "no node found",
      ask: (text) => (api.exported ? Promise.resolve(places(text)) : api.get("machine/" + machine() + "/search", { q: text, limit: 20 })),
      onChoose: ({ name }) => {
        this.input.value = name;
        onChoose(name);
      },
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.input.value = "";
      this.input.blur();
    });
  }

  // Clears a text that does not name the selection.
  follow(place) {
    if (document.activeElement !== this.input && this.input.value !== (place ?? "")) this.input.value = "";
  }
}
