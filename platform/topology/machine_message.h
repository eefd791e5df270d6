// Read or write of a memory as input of the analytical time (lower_bound.h, zero_load_latency.h),
// without a simulation: overheads, stores and bursts from the attributes of the machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/path.h"
#include "models/timing/router_state.h"
#include "platform/topology/graph.h"

namespace kernbench {

// Node of a path, for a message that it forwards.
struct Transit {
  Transit(bool stores_whole = false)
      : stores(stores_whole) {}  // NOLINT(google-explicit-constructor)

  bool stores;                  // it receives the whole message before it forwards it
  bool pipelined = false;       // its latency is not its occupancy (spec 2.4):
  Fs hold = 0, later_hold = 0;  // time for which the first flit and later ones hold its server

  // `overhead`: of its hop on the path.
  ServerTimes times(Fs overhead) const {
    return pipelined ? ServerTimes{overhead, overhead, hold, later_hold}
                     : ServerTimes::serial(overhead);
  }
};
// By position of a path; nodes beyond the end are serial and do not store.
using Transits = std::vector<Transit>;
inline Transit transit_at(const Transits& transits, std::size_t position) {
  return position < transits.size() ? transits[position] : Transit();
}

// Serial server of a forwarding node (spec 2.4).
struct NodeServer {
  ServerTimes times;
  std::string per;  // a server for each "node", "direction" or "port"
};

struct MemoryMessage {
  bool write = false;
  bool posted = false;       // a write without acknowledgement
  std::uint64_t offset = 0;  // in the target memory
  std::uint64_t bytes = 1;   // at least 1
  std::uint32_t flit_bytes = 256;
  Fs initiator_overhead = 0;
  Fs memory_overhead = 0;

  // An HBM's overhead delays the first flit of a write; that of any other memory follows the last
  // one.
  bool memory_is_hbm = false;
  std::uint32_t num_pcs = 1;
  std::uint32_t burst_bytes = 256;
  Fs burst_time = 0;
  Fs burst_lead = 0;  // of a read, before the data of its first burst

  Transits request_nodes, response_nodes;  // on the path of the request and of the response
};

// Flits of a message as numbers, cut at multiples of flit_bytes like RouteExtension::cut_flits.
struct FlitCut {
  explicit FlitCut(const MemoryMessage& message)
      : full(message.flit_bytes), offset(message.offset) {
    const std::uint64_t skew = offset % full;
    count = (skew + message.bytes + full - 1) / full;
    first = std::min<std::uint64_t>(message.bytes, full - skew);
    last = count == 1 ? first : message.bytes - first - (count - 2) * full;
  }

  std::uint32_t bytes_of(std::uint64_t flit) const {
    return static_cast<std::uint32_t>(flit == 0 ? first : flit + 1 == count ? last : full);
  }
  // Offset of the flit's first byte in the memory.
  std::uint64_t offset_of(std::uint64_t flit) const {
    return flit == 0 ? offset : offset + first + (flit - 1) * full;
  }

  std::uint64_t full;
  std::uint64_t offset;
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // bytes
  std::uint64_t last = 0;
};

// True if the node can start a transfer (pe_dma, pcie_ep), or be the target of one (hbm_ctrl, sram,
// pe_tcm, plain TLM-2.0 target).
bool starts_transfers(const Node& node);
bool is_memory(const Node& node);
// Its overhead (platform/config/known_attributes.h), or the latency_ns of a forwarding node.
Fs overhead_of(const Node& node);
// A node that forwards a message. A pe_dma also stores the responses of its TCM.
Transit transit_of(const Node& node);
// Transits of the nodes of a machine, each worked out once; they are most of the work of a message.
class TransitTable {
 public:
  explicit TransitTable(const Graph& graph) : graph_(graph) {}
  const Graph& graph() const { return graph_; }
  const Transit& of(NodeId node);

 private:
  const Graph& graph_;
  std::unordered_map<NodeId, Transit> known_;  // looked up only
};
// None: it has no such server (an end point that stores, no forwarding node), or its implementation
// does not declare `servers`, so that its policy is not known here.
std::optional<NodeServer> server_of(const Node& node);
// Attributes that set the rate of the server of a forwarding node: "overhead_ns", "occupancy_ns".
const char* rate_attribute_of(const Node& node);

// `path`: path of the request, from a node that starts transfers to a memory. Writes of a pcie_ep
// are posted. Attributes that a replaced implementation does not declare count as zero.
MemoryMessage machine_message(const Graph& graph, const Path& path, bool write,
                              std::uint64_t offset, std::uint64_t bytes);
MemoryMessage machine_message(TransitTable& transits, const Path& path, bool write,
                              std::uint64_t offset, std::uint64_t bytes);

}  // namespace kernbench
