// Views of the machine for diagrams (spec 11.4, ADR-0005): blocks and the links between them, each
// with the nodes and edges of the graph that it represents.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

enum class DiagramLevel : std::uint8_t { system, sip, cube, pe };
inline constexpr std::array<DiagramLevel, 4> diagram_levels{DiagramLevel::system, DiagramLevel::sip,
                                                            DiagramLevel::cube, DiagramLevel::pe};
std::string_view name_of(DiagramLevel level);  // "system", ...
// Throws UsageError that lists the names.
DiagramLevel parse_diagram_level(std::string_view name);

// Instance shown by a view; -1: the view is representative of all instances.
struct DiagramScope {
  int sip = -1, cube = -1, pe = -1;
};
// "sip0", "sip0.cube3" or "sip0.cube3.pe1"; throws UsageError for an instance that the machine does
// not have.
DiagramScope parse_diagram_scope(const Graph& graph, const std::string& name);

enum class BlockKind : std::uint8_t {
  control,
  compute,
  memory,
  network,
  die_to_die,
  input_output,
  translation,
  module
};

struct DiagramBlock {
  std::string id;     // unique in the view: "r0c0", "hbm_ctrl.pe3", "cube5"
  std::string label;  // "HBM3"
  BlockKind kind = BlockKind::network;
  std::vector<NodeId> nodes;   // nodes of every instance that the view represents
  std::optional<Fs> distance;  // accumulated latency from the anchor; none: not reached
};

// Data before control: if several kinds join two blocks, the first one is shown.
enum class LinkKind : std::uint8_t {
  mesh,
  pe_port,
  memory,
  die_to_die,
  input_output,
  pcie,
  ual,
  internal,
  module,
  control
};
std::string_view label_of(LinkKind kind);  // "router mesh"

// Link between two blocks, in both directions.
struct DiagramLink {
  std::size_t a = 0, b = 0;  // indices of blocks, a < b
  LinkKind kind = LinkKind::mesh;
  std::vector<std::size_t> forward, backward;  // edges of the graph, of all instances
  std::optional<Rational> bw_gbs;              // absent: unlimited
  Rational distance_mm;
};

struct Diagram {
  DiagramLevel level = DiagramLevel::system;
  DiagramScope scope;
  std::size_t anchor = 0;            // index of the block from which distances count
  std::vector<DiagramBlock> blocks;  // by id, numbers by value
  std::vector<DiagramLink> links;    // by (a, b, kind)
  std::string title;                 // "Cube view of sip0.cube3: topology.yaml"
  std::string subtitle;
  std::string anchor_name;  // "PE0", or "sip0.cube0.pe0.pe_dma" for an instance

  const DiagramBlock* find(std::string_view id) const;  // null if there is none
};

Diagram make_diagram(const Graph& graph, DiagramLevel level, const DiagramScope& scope = {});

}  // namespace kernbench
