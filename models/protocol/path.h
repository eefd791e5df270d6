// A route through the fabric: the nodes in order and, for each hop, everything that its timing
// needs, rounded once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "models/base/node_id.h"
#include "models/base/small_vector.h"
#include "models/base/units.h"

namespace kernbench {

// Position i: the node, its overhead for a passing message, and the link from it to position i + 1
// (unset at the target).
struct PathHop {
  NodeId node = no_node;
  std::uint16_t out_port = 0;      // port of `node`, towards the next position
  std::uint8_t channel_class = 0;  // class of the buffer at the next position (spec 2.10)
  Fs overhead_fs = 0;     // transit time of `node` (or as the endpoint of a control message)
  Fs propagation_fs = 0;  // propagation of the link after `node`
  Rational bw_gbs;        // bandwidth of the link after `node`; 0 = unlimited
};

class Path {
 public:
  Path(std::vector<PathHop> hops, const Path* reverse)
      : hops_(std::move(hops)), target_position_(static_cast<std::uint32_t>(hops_.size()) - 1),
        reverse_(reverse) {
    out_ports_.reserve(hops_.size());
    for (const PathHop& hop : hops_) out_ports_.push_back(hop.out_port);
    for (std::size_t i = 0; i < hops_.size(); ++i) {
      if (i > 0) control_latency_fs_ += hops_[i].overhead_fs;
      if (i + 1 < hops_.size()) control_latency_fs_ += hops_[i].propagation_fs;
    }
  }

  const PathHop& hop(std::uint32_t position) const { return hops_[position]; }
  const std::vector<PathHop>& hops() const { return hops_; }
  // hop(position).out_port; the only look-up of a flit on its path, so it is stored densely.
  std::uint16_t out_port(std::uint32_t position) const { return out_ports_[position]; }
  std::uint32_t target_position() const { return target_position_; }
  NodeId source() const { return hops_.front().node; }
  NodeId target() const { return hops_.back().node; }
  // Nodes in reverse order: the path of responses and acknowledgements.
  const Path& reverse() const { return *reverse_; }
  void set_reverse(const Path* reverse) { reverse_ = reverse; }

  // Time of a control message on an idle machine from leaving the source to leaving the target:
  // every overhead but the source's, every propagation.
  Fs control_latency_fs() const { return control_latency_fs_; }

 private:
  std::vector<PathHop> hops_;
  std::uint32_t target_position_;
  SmallVector<std::uint16_t, 16> out_ports_;
  const Path* reverse_;
  Fs control_latency_fs_ = 0;
};

// Returned by the platform; the paths live as long as the machine. All throw RoutingError that
// names both endpoints.
class Routes {
 public:
  virtual ~Routes() = default;
  // Memory traffic of a pe_dma, pcie_ep, m_cpu or bridge to a memory node.
  virtual const Path& memory_path(NodeId initiator, NodeId memory) = 0;
  // Path over the link of one channel of an HBM partition. Only a machine in one_to_one has such
  // links.
  virtual const Path& channel_path(NodeId /*initiator*/, NodeId /*memory*/,
                                   std::uint16_t /*channel*/) {
    throw RoutingError("this machine has no links to single channels of an HBM partition");
  }
  // Control messages between any two nodes.
  virtual const Path& control_path(NodeId source, NodeId target) = 0;
};

}  // namespace kernbench
