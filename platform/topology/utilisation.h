// Utilisation of links, memories, engines and forwarding nodes, read from the statistics of a run,
// for diagrams: the JSON of `run --stats` or of `traffic --links`. Uses the servers of the PE
// window if listed, else links and components over the whole run.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology/diagram.h"

namespace kernbench {

class Utilisation {
 public:
  // Throws UsageError that names the file if it cannot be read, has no links, or belongs to a
  // different machine.
  static Utilisation read(const std::string& path, const Graph& graph);
  // `source`: name of the text in messages.
  static Utilisation parse(const std::string& text, const std::string& source, const Graph& graph);
  static Utilisation of(const nlohmann::ordered_json& json, const std::string& source,
                        const Graph& graph);

  // Server of a node, or of a link.
  struct ServerShare {
    NodeId node = no_node;
    const Edge* link = nullptr;
    double share = 0;
    bool is_slot = false;  // held while other servers work
  };
  // `servers`: all servers that were used; any other link, forwarding node or engine was unused.
  // Slots count for PE_DMA and PE_FETCH_STORE alone.
  static Utilisation of_servers(const std::vector<ServerShare>& servers, const Graph& graph);

  // Utilisation in [0, 1]; the highest of several edges.
  double of_edges(const std::vector<std::size_t>& edges) const;
  // Highest utilisation of these nodes: for an HBM the mean of its channels; for a memory without
  // servers of its own that of its links; for a UCIe port also that of its lanes. Slots count if
  // all nodes are engines with slots, not for their PE. None: no node has servers.
  std::optional<double> of_nodes(const std::vector<NodeId>& nodes) const;
  // Highest utilisation of any link or node; slots do not count.
  double highest() const;

  struct Hot {
    std::string name;  // "sip0.cube0.r0c0 > sip0.cube0.r0c1"
    double utilisation = 0;
  };
  // Used links of the view, at most `most`, by descending utilisation, then by name.
  std::vector<Hot> hottest(const Diagram& diagram, std::size_t most) const;

  // Top of the colour scale for a view: 0.05, 0.1, 0.2, 0.5 or 1.
  double scale_of(const Diagram& diagram) const;

 private:
  explicit Utilisation(const Graph& graph) : graph_(graph), edges_(graph.edges().size(), 0) {}
  std::optional<double> of_node(NodeId node) const;

  const Graph& graph_;
  std::vector<double> edges_;  // by index; 0: no link of its own
  bool has_nodes_ = false;     // true: a forwarding node missing in it is unused; false: unknown
  std::map<NodeId, double> nodes_;  // nodes with a busy time
  std::map<NodeId, double> held_;   // engines with slots in use
};

}  // namespace kernbench
