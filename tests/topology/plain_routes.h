// Routes of spec 2.7 as the reference for RouteFinder: one search of the machine, or of the SIP or
// cube that the path must not leave, per source. Nothing is shared between regions or split.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "platform/topology/route_finder.h"

namespace kernbench::test {

class PlainRoutes {
 public:
  explicit PlainRoutes(const Graph& graph);

  // Same contract as the functions of RouteFinder; empty if there is no path.
  std::vector<NodeId> path(NodeId src, NodeId dst, View view);
  std::vector<NodeId> memory_path(NodeId initiator, NodeId memory);
  std::vector<NodeId> node_path(NodeId src, NodeId dst);

 private:
  SearchSpace whole(View view) const;
  SearchSpace confined(NodeId src, NodeId dst, View view) const;
  std::vector<NodeId> search(NodeId src, NodeId dst, const SearchSpace& space);

  const Graph& graph_;
  std::vector<std::uint64_t> weights_um_;
  std::map<std::pair<SearchSpace, NodeId>, std::unique_ptr<PathTree>> trees_;
};

}  // namespace kernbench::test
