// Nodes and edges behind the blocks and links of every instance of a view: those of sip0.cube3
// among those of the representative view of a cube.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "platform/topology/diagram.h"

namespace kernbench {

class MachineViews {
 public:
  // `graph` outlives this object.
  explicit MachineViews(const Graph& graph) : graph_(graph) {}

  // In the order of the blocks and links of make_diagram(graph, level).
  struct Parts {
    std::vector<std::vector<NodeId>> blocks;
    struct Directions {
      std::vector<std::size_t> forward, backward;
    };
    std::vector<Directions> links;
  };
  // `scope` as deep as the level. Computed on first use; references are valid during the lifetime
  // of this object.
  const Parts& parts(DiagramLevel level, const DiagramScope& scope);

 private:
  using Instance = std::tuple<int, int, int>;  // SIP, cube, PE; -1: all
  using View = std::map<Instance, Parts>;
  View view_of(DiagramLevel level) const;

  const Graph& graph_;
  std::mutex mutex_;
  std::array<View, diagram_levels.size()> views_;
};

}  // namespace kernbench
