#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "platform/topology/diagram_files.h"
#include "platform/topology/diagram_style.h"

namespace kernbench {
namespace {

constexpr std::size_t most_layers = 12;

// Blocks of one distance, or of a range if there are too many distances.
struct Layer {
  std::string name;
  std::vector<std::size_t> blocks;
};
using Layers = std::vector<Layer>;

std::set<Fs> distances_of(const Diagram& diagram) {
  std::set<Fs> distances;
  for (const DiagramBlock& block : diagram.blocks) {
    if (block.distance) distances.insert(*block.distance);
  }
  return distances;
}

// Width in ns, 1, 2 or 5 times a power of ten, that limits the number of layers; 0: one layer per
// distance.
Fs width_of_layers(const std::set<Fs>& distances) {
  if (distances.size() <= most_layers) return 0;
  const Fs largest = *distances.rbegin();
  for (Fs ten = 1; ten < never_fs / 1000; ten *= 10) {
    for (const Fs digit : {1, 2, 5}) {
      if (largest / (digit * ten) < most_layers) return digit * ten;
    }
  }
  return largest;
}

Layers layers_of(const Diagram& diagram) {
  const Fs width = width_of_layers(distances_of(diagram));
  std::map<Fs, std::vector<std::size_t>> by_start;
  for (std::size_t i = 0; i < diagram.blocks.size(); ++i) {
    const Fs distance = diagram.blocks[i].distance.value_or(never_fs);
    by_start[width == 0 || distance == never_fs ? distance : distance / width * width].push_back(i);
  }
  Layers layers;
  for (const auto& [start, blocks] : by_start) {
    const std::string from = start == never_fs ? "not reached" : ns_text(start);
    const bool range = width > 0 && start != never_fs;
    layers.push_back({range ? fmt::format("from {}", from) : from, blocks});
  }
  return layers;
}

// "hbm_ctrl.pe3" -> "hbm_ctrl_pe3", "ucie-N" -> "ucie_N": names that both languages accept.
std::string identifier(const std::string& id) {
  std::string name = id;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return "n_" + name;
}

double top_of_scale(const Diagram& diagram, const Utilisation* heat) {
  return heat == nullptr ? 1 : heat->scale_of(diagram);
}

struct Look {
  std::string fill, stroke, label, text;
};

Look look_of(const DiagramBlock& block, const Utilisation* heat, double top) {
  const auto [fill, stroke] = colours_of(block.kind);
  const auto used = heat == nullptr ? std::nullopt : heat->of_nodes(block.nodes);
  Look look{used ? heat_colour(*used / top) : fill, stroke,
            used ? block.label + " " + percent_text(*used) : block.label, ""};
  look.text = text_colour_on(look.fill);
  return look;
}

std::string bandwidth_of(const DiagramLink& link) {
  const bool unlimited = !link.bw_gbs || link.bw_gbs->is_zero();
  return unlimited ? std::string("unlimited") : link.bw_gbs->str() + " GB/s";
}

// Direction of a link from the block nearer to the anchor, so that it points from left to right.
struct Direction {
  std::size_t from, to;
  const std::vector<std::size_t>*there, *back;  // edges
};
Direction direction_of(const Diagram& diagram, const DiagramLink& link) {
  const Fs a = diagram.blocks[link.a].distance.value_or(never_fs);
  const Fs b = diagram.blocks[link.b].distance.value_or(never_fs);
  if (a <= b) return {link.a, link.b, &link.forward, &link.backward};
  return {link.b, link.a, &link.backward, &link.forward};
}

// With heat: utilisation from left to right, and back.
std::string label_of(const DiagramLink& link, const Direction& direction, const Utilisation* heat) {
  if (heat == nullptr) return bandwidth_of(link);
  return fmt::format("{} / {}", percent_text(heat->of_edges(*direction.there)),
                     percent_text(heat->of_edges(*direction.back)));
}

std::string colour_of(const DiagramLink& link, const Utilisation* heat, double top) {
  if (heat == nullptr) return kernbench::colour_of(link.kind);
  return heat_colour(std::max(heat->of_edges(link.forward), heat->of_edges(link.backward)) / top);
}

// If all links of a kind are equal, their bandwidth is printed once, in the legend; an idle link
// has no number.
bool is_labelled(const Diagram& diagram, const DiagramLink& link, const Utilisation* heat) {
  if (heat != nullptr) return heat->of_edges(link.forward) + heat->of_edges(link.backward) > 0;
  return std::any_of(diagram.links.begin(), diagram.links.end(), [&](const DiagramLink& other) {
    return other.kind == link.kind && bandwidth_of(other) != bandwidth_of(link);
  });
}

// A line for each kind of link: "router mesh: 256 GB/s"; with heat the meaning of the numbers.
std::vector<std::string> legend_of(const Diagram& diagram, const Utilisation* heat) {
  std::map<LinkKind, std::set<std::string>> kinds;
  for (const DiagramLink& link : diagram.links) kinds[link.kind].insert(bandwidth_of(link));
  std::vector<std::string> lines;
  for (const auto& [kind, texts] : kinds) {
    std::string line(label_of(kind));
    for (const std::string& text : texts) line += (text == *texts.begin() ? ": " : ", ") + text;
    lines.push_back(line);
  }
  if (heat != nullptr)
    lines.push_back(
        fmt::format("colours and numbers: utilisation, of links from left to right / back; the "
                    "darkest colour is {}",
                    percent_text(heat->scale_of(diagram))));
  return lines;
}

}  // namespace

std::string diagram_mermaid(const Diagram& diagram, const Utilisation* heat) {
  const double top = top_of_scale(diagram, heat);
  std::string text = fmt::format("---\ntitle: \"{}\"\n---\n%% {}\n%% columns: latency from {}\n",
                                 diagram.title, diagram.subtitle, diagram.anchor_name);
  for (const std::string& line : legend_of(diagram, heat)) text += "%% " + line + "\n";
  text += "flowchart LR\n";
  const Layers layers = layers_of(diagram);
  for (std::size_t number = 0; number < layers.size(); ++number) {
    text += fmt::format("  subgraph layer_{}[\"{}\"]\n", number, layers[number].name);
    for (const std::size_t i : layers[number].blocks)
      text += fmt::format("    {}[\"{}\"]\n", identifier(diagram.blocks[i].id),
                          look_of(diagram.blocks[i], heat, top).label);
    text += "  end\n";
  }
  std::string styles;
  for (std::size_t i = 0; i < diagram.links.size(); ++i) {
    const DiagramLink& link = diagram.links[i];
    const bool labelled = is_labelled(diagram, link, heat);
    const Direction direction = direction_of(diagram, link);
    text += fmt::format("  {} {}{} {}\n", identifier(diagram.blocks[direction.from].id),
                        is_dashed(link.kind) ? "-.-" : "---",
                        labelled ? fmt::format("|\"{}\"|", label_of(link, direction, heat)) : "",
                        identifier(diagram.blocks[direction.to].id));
    styles += fmt::format("  linkStyle {} stroke:{},stroke-width:{:.1f}px\n", i,
                          colour_of(link, heat, top), width_of(link.bw_gbs));
  }
  text += styles;
  for (const DiagramBlock& block : diagram.blocks) {
    const Look look = look_of(block, heat, top);
    text += fmt::format("  style {} fill:{},stroke:{},color:{}\n", identifier(block.id), look.fill,
                        look.stroke, look.text);
  }
  return text;
}

std::string diagram_dot(const Diagram& diagram, const Utilisation* heat) {
  const double top = top_of_scale(diagram, heat);
  std::string legend = fmt::format("{}\\l{}; columns: latency from {}", diagram.title,
                                   diagram.subtitle, diagram.anchor_name);
  for (const std::string& line : legend_of(diagram, heat)) legend += "\\l" + line;
  std::string text = fmt::format(
      "graph \"{}\" {{\n"
      "  graph [rankdir=LR, newrank=true, labelloc=t, label=\"{}\\l\", fontname=\"Helvetica\", "
      "nodesep=0.18, ranksep=1.1, splines=true];\n"
      "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=12, "
      "margin=\"0.08,0.04\"];\n"
      "  edge [fontname=\"Helvetica\", fontsize=10];\n",
      name_of(diagram.level), legend);
  const Layers layers = layers_of(diagram);
  for (std::size_t number = 0; number < layers.size(); ++number) {
    text += fmt::format("  {{ rank=same; layer_{} [shape=plaintext, style=\"\", label=\"{}\"];\n",
                        number, layers[number].name);
    for (const std::size_t i : layers[number].blocks) {
      const Look look = look_of(diagram.blocks[i], heat, top);
      text += fmt::format(
          "    {} [label=\"{}\", fillcolor=\"{}\", color=\"{}\", fontcolor=\"{}\"{}];\n",
          identifier(diagram.blocks[i].id), look.label, look.fill, look.stroke, look.text,
          i == diagram.anchor ? ", penwidth=3" : "");
    }
    text += "  }\n";
    if (number > 0)
      text += fmt::format("  layer_{} -- layer_{} [style=invis];\n", number - 1, number);
  }
  for (const DiagramLink& link : diagram.links) {
    const bool labelled = is_labelled(diagram, link, heat);
    const Direction direction = direction_of(diagram, link);
    text +=
        fmt::format("  {} -- {} [color=\"{}\", penwidth={:.1f}{}{}];\n",
                    identifier(diagram.blocks[direction.from].id),
                    identifier(diagram.blocks[direction.to].id), colour_of(link, heat, top),
                    width_of(link.bw_gbs), is_dashed(link.kind) ? ", style=dashed" : "",
                    labelled ? fmt::format(", label=\"{}\"", label_of(link, direction, heat)) : "");
  }
  return text + "}\n";
}

}  // namespace kernbench
