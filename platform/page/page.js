// Tables of all pages: order, filter, further columns, rows in parts; copying of commands. An inline
// script of pages, and with the same text a module of the viewer (web/), which finds it in
// window.kernbenchPage.
(function () {
  "use strict";

  function element(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // A name may be broken after dots.
  function addName(node, name) {
    for (const part of name.split(/(?<=\.)/)) node.append(part, element("wbr"));
  }

  function addCopyButton(node) {
    const code = node.querySelector("code"), button = element("button", "copy", "copy");
    button.type = "button";
    button.addEventListener("click", function () {
      const selected = window.getSelection();
      selected.selectAllChildren(code);
      const done = navigator.clipboard ? navigator.clipboard.writeText(code.textContent)
                                       : Promise.reject();
      done.then(() => { button.textContent = "copied"; selected.removeAllRanges(); },
                () => { button.textContent = "selected"; });
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    });
    node.append(button);
  }

  // Order of two rows by a column: 1 ascending, -1 descending; rows without a value are last in both directions.
  function comparison(column, direction) {
    const number = column.kind === "number";
    const values = column.values?.map((value) => value ?? "") ??
        column.cells.map((text) => (number && text !== "" ? Number(text) : text));
    const texts = new Intl.Collator("en", { numeric: true });
    return function (a, b) {
      const x = values[a], y = values[b];
      if (x === "" || y === "") return (x === "") - (y === "") || a - b;
      return direction * (number ? x - y : texts.compare(x, y)) || a - b;
    };
  }

  const relations = {
    "=": (x, y) => x === y || Number(x) === Number(y) && x !== "",
    "<": (x, y) => x !== "" && Number(x) < Number(y),
    ">": (x, y) => x !== "" && Number(x) > Number(y),
    "<=": (x, y) => x !== "" && Number(x) <= Number(y),
    ">=": (x, y) => x !== "" && Number(x) >= Number(y),
  };

  // Predicate for a word of the filter: "M=32", "simulated_ns<500", or text in a shown column.
  function condition(word, columns, shown) {
    const parts = /^(.+?)(<=|>=|=|<|>)(.*)$/.exec(word);
    const column = parts && columns.find((each) => each.name.toLowerCase() === parts[1]);
    const cells = column?.values?.map((value) => String(value ?? "")) ?? column?.cells;
    if (column) return (row) => relations[parts[2]](cells[row].toLowerCase(), parts[3]);
    return (row) => shown.some((each) => each.cells[row].toLowerCase().includes(word));
  }

  // A click anywhere in a row follows it, as its button does; arrow keys lead to the other rows.
  function followRow(line, follow) {
    line.classList.add("follows");
    line.addEventListener("click", (event) => {
      if (!event.target.closest("button, a") && window.getSelection().isCollapsed) follow();
    });
    line.addEventListener("keydown", (event) => {
      const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      const button = next && line[next]?.querySelector("button.place");
      if (!button) return;
      button.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // `data`: {rows, part, noun, columns: [{name, title, unit, kind, further, cells, values}], places: [target
  // or null per row], select(target)}; the last two make the first text of a row a button. A target is a
  // name, or an object with `place`. `values`: numbers by which texts of cells are sorted and filtered. The
  // first click on a column of numbers puts the largest first.
  function setUp(box, data) {
    const further = data.columns.filter((column) => column.further).length;
    const table = box.querySelector("table");
    let rows = [], first = 0, sorted = null, direction = 1, all = false;

    const controls = element("div", "controls");
    const search = element("input"), state = element("span", "rows");
    search.type = "search";
    search.placeholder = "text or condition, e.g. " + data.columns[0].name + "<10";
    const searchLabel = element("label", "", "filter ");
    searchLabel.append(search);
    const allBox = element("input"), allLabel = element("label");
    allBox.type = "checkbox";
    allLabel.append(allBox, " all columns (" + further + " more)");
    const back = element("button", "", "previous"), on = element("button", "", "next");
    state.setAttribute("aria-live", "polite");
    controls.append(searchLabel);
    if (further > 0) controls.append(allLabel);
    controls.append(state, back, on);
    box.querySelector(".cut")?.remove();
    if (data.rows > 1) box.prepend(controls);

    const shownColumns = () => data.columns.filter((column) => all || !column.further);

    function select() {
      const shown = shownColumns();
      const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
      const conditions = words.map((word) => condition(word, data.columns, shown));
      rows = Array.from({ length: data.rows }, (_, row) => row)
        .filter((row) => conditions.every((holds) => holds(row)));
      if (sorted) rows.sort(comparison(sorted, direction));
      first = 0;
      show();
    }

    function title(column) {
      const node = element("th", column.kind), button = element("button");
      node.scope = "col";
      button.type = "button";
      if (column.title) button.title = column.title;
      addName(button, column.name);
      node.append(button);
      if (column.unit) node.append(element("span", "unit", column.unit));
      if (column === sorted)
        node.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      button.addEventListener("click", function () {
        direction = column === sorted ? -direction : column.kind === "number" ? -1 : 1;
        sorted = column;
        select();
        [...table.tHead.rows[0].cells][shownColumns().indexOf(column)].firstChild.focus();
      });
      return node;
    }

    function bodyCell(column, row, leads) {
      const text = column.cells[row], node = element("td", column.kind);
      if (column.kind === "command") {
        node.append(element("code", "", text));
        addCopyButton(node);
      } else if (leads) {
        const button = element("button", "place", text), target = data.places[row];
        button.type = "button";
        button.title = target.place ?? target;
        button.addEventListener("click", () => data.select(target));
        node.append(button);
      } else {
        node.textContent = text;
        if (column.kind === "mark" && /^\w+$/.test(text)) node.classList.add(text);
      }
      return node;
    }

    function show() {
      const shown = shownColumns(), head = element("tr"), body = element("tbody");
      head.append(...shown.map(title));
      table.tHead.replaceChildren(head);
      table.classList.toggle("wide", all);
      const last = Math.min(first + data.part, rows.length);
      for (const row of rows.slice(first, last)) {
        const line = element("tr"), target = data.places ? data.places[row] ?? null : null;
        const leading = target === null ? null : shown.find((column) => column.cells[row] !== "" && column.kind !== "command");
        line.append(...shown.map((column) => bodyCell(column, row, column === leading)));
        if (leading) followRow(line, () => data.select(target));
        body.append(line);
      }
      table.tBodies[0].replaceWith(body);
      const part = first > 0 || last < rows.length ? (first + 1) + " to " + last + " of " : "";
      const of = rows.length < data.rows ? " of " + data.rows : "";
      state.textContent = part + rows.length + of + " " + data.noun + (data.rows === 1 ? "" : "s");
      back.hidden = on.hidden = rows.length <= data.part;
      back.disabled = first === 0;
      on.disabled = last === rows.length;
    }

    search.addEventListener("input", select);
    allBox.addEventListener("change", () => { all = allBox.checked; select(); });
    back.addEventListener("click", () => { first -= data.part; show(); });
    on.addEventListener("click", () => { first += data.part; show(); });
    select();
  }

  document.querySelectorAll("dd.command").forEach(addCopyButton);
  document.querySelectorAll("div.table").forEach(
    (box) => setUp(box, JSON.parse(box.querySelector("script").textContent)));
  window.kernbenchPage = { setUp, addCopyButton, followRow, comparison };
})();
