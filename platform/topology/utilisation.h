// Utilisation of links, memories, engines and forwarding nodes, read from the statistics of a run,
// for diagrams: the JSON of `run --stats` or of `traffic --links`. Where it lists the servers of
// the PE window, these; else links and components over the whole run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology/diagram.h"

namespace kernbench {

class Utilisation {
 public:
  // UsageError that names the file for one that cannot be read, has no links, or is of another
  // machine.
  static Utilisation read(const std::string& path, const Graph& graph);
  // `source`: how messages name the text.
  static Utilisation parse(const std::string& text, const std::string& source, const Graph& graph);

  // In [0, 1]; of several edges the highest.
  double of_edges(const std::vector<std::size_t>& edges) const;
  // The highest of these nodes: of an HBM its channels, on average; of a memory that serves nothing
  // by itself its links. None: no node serves anything.
  std::optional<double> of_nodes(const std::vector<NodeId>& nodes) const;

  struct Hot {
    std::string name;  // "sip0.cube0.r0c0 > sip0.cube0.r0c1"
    double utilisation = 0;
  };
  // Links of the view that were used, at most `most`, by descending utilisation, then by name.
  std::vector<Hot> hottest(const Diagram& diagram, std::size_t most) const;

  // Top of the colour scale for a view: 0.05, 0.1, 0.2, 0.5 or 1.
  double scale_of(const Diagram& diagram) const;

 private:
  explicit Utilisation(const Graph& graph) : graph_(graph), edges_(graph.edges().size(), 0) {}
  std::optional<double> of_node(NodeId node) const;

  const Graph& graph_;
  std::vector<double> edges_;       // by index; 0: no link of its own
  bool has_nodes_ = false;          // else a forwarding node that is not among them is unknown
  std::map<NodeId, double> nodes_;  // with a busy time
};

}  // namespace kernbench
