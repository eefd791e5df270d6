// A map with the run that colours it, and texts about its places.
import { api } from "./api.js";
import { numberText, percentText } from "./elements.js";
import { MapView } from "./map.js";
import { endsOf } from "./scene.js";

// PE_DMA counts the time in which a transfer holds a channel, waits for others included.
export function isOfTransfers(name) { return /\.pe_dma$/.test(name); }
function percentOf(name, share) { return (isOfTransfers(name) ? "a transfer in flight, share of the time: " : "utilisation ") + percentText(share); }

export class Pane {
  // `number`: 1 for the second run; `options`: of MapView
  constructor(parent, scene, number, theme, options) {
    this.scene = scene;
    this.number = number;
    this.uses = null;  // utilisation of the run, or null
    this.view = new MapView(parent, {
      label: "Map of the machine" + (number > 0 ? " of the second run" : "") + ": arrow keys move, Enter goes inside, Escape outside",
      uses: () => this.uses, describe: (found) => this.describe(found), ...options,
    });
    this.view.theme = theme;
  }

  // Lines of a tooltip.
  async describe(found) {
    const lines = [found.name], ends = endsOf(found.name);
    const use = this.uses ? this.uses.shown.get(found.scope) : null;
    if (use && found.index !== undefined && use.blocks[found.index] !== null && use.blocks[found.index] !== undefined)
      lines.push(percentOf(found.name, use.blocks[found.index]));
    if (ends && found.link !== undefined) {
      const link = this.scene.layouts[found.level].links[found.link], shares = use && use.links[found.link];
      lines.push([link.kind.replaceAll("_", " "), link.bw_gbs === null ? "unlimited" : numberText(link.bw_gbs) + " GB/s", link.distance_mm > 0 ? numberText(link.distance_mm) + " mm" : null].filter((part) => part).join(", "));
      if (shares) lines.push("utilisation " + percentText(shares[found.direction] || 0) + ", back " + percentText(shares[1 - found.direction] || 0));
      return lines;
    }
    try {
      const answer = await api.get("machine/" + this.scene.id + "/node", { name: found.name });
      if (answer.role) lines.splice(1, 0, [answer.role, answer.implementation].filter((part) => part).join(", "));
      for (const { key, value, unit } of answer.attributes.slice(0, 4)) lines.push(key + " " + numberText(value) + (unit ? " " + unit : ""));
    } catch (fault) {
      if (!api.exported) lines.push(fault.message);
    }
    return lines;
  }

  // The same of a place that the map need not show: it is asked for.
  async askedShareOf(name) {
    const ends = endsOf(name), last = this.scene.path(name).pop();
    if (!this.uses || ends || !last) return this.shareOf(name);
    const { from, to } = this.uses.interval || {};
    const use = await api.get("run/" + this.uses.run + "/use", { scope: last.scope, from_fs: from, to_fs: to }).catch(() => null);
    return use ? use.blocks[last.index] ?? null : this.shareOf(name);
  }

  // Utilisation that the map shows; null: none.
  shareOf(name) {
    if (!this.uses) return null;
    const ends = endsOf(name);
    if (ends) {
      const link = this.scene.link(ends[0], ends[1]), use = link && this.uses.shown.get(link.scope);
      return use ? (use.links[link.index] || [])[link.direction] ?? null : null;
    }
    const steps = this.scene.path(name), last = steps[steps.length - 1], use = last && this.uses.shown.get(last.scope);
    return use ? use.blocks[last.index] ?? null : null;
  }
}
