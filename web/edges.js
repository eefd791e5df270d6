// Edges between the parts of the page, which can be moved.

// `size`: of the part behind the edge, in the property of the style; `axis`: "x" or "y".
export function dragEdge(edge, property, size, axis) {
  const at = (event) => (axis === "x" ? event.clientX : event.clientY);
  const set = (value) => document.documentElement.style.setProperty(property, Math.round(Math.max(120, Math.min(window[axis === "x" ? "innerWidth" : "innerHeight"] * 0.75, value))) + "px");
  edge.addEventListener("pointerdown", (event) => {
    const begin = at(event), from = size();
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (moved) => set(from + begin - at(moved));
    edge.onpointerup = () => { edge.onpointermove = null; };
  });
  edge.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: 20, ArrowUp: 20, ArrowRight: -20, ArrowDown: -20 }[event.key];
    if (!by) return;
    set(size() + by);
    event.preventDefault();
    event.stopPropagation();
  });
}
