#include "platform/validate/router_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/noc/credited_output.h"
#include "models/noc/link.h"
#include "models/noc/vc_router.h"
#include "models/protocol/transaction.h"

namespace kernbench {
namespace {

constexpr int width = 8, nodes = width * width;
constexpr int hot_node = 36, more_for_hot_node = 3;  // weights
constexpr int load_goes_on = 100;                    // cycles
constexpr std::uint32_t flit_bytes = 16;

// Ids order ports. They are those of nodes of the machine, which have no traffic.
NodeId source_at(int node) { return static_cast<NodeId>(node); }
NodeId router_at(int node) { return static_cast<NodeId>(nodes + node); }

// Source and sink of packets.
class MeshNode final : public FabricNode {
 public:
  struct Counts {
    std::uint64_t flits = 0;  // arrived in the window
    std::uint64_t packets = 0;
    Fs latency = 0;  // sum over packets generated in the window
  };
  // Window of the measurement: [begin, end).
  MeshNode(const ComponentInit& init, Fs begin, Fs end)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through), begin_(begin), end_(end) {}

  // Hands a new packet to the link, a flit per cycle, at `at` or when the earlier ones have left.
  void generate(Transaction& packet, Fs at, Fs cycle) {
    free_at_ = std::max(free_at_, at);
    for (std::uint32_t flit = 0; flit < packet.route().flits; ++flit, free_at_ += cycle)
      send(packet, flit, 1, 0, free_at_);
  }
  const Counts& counts() const { return counts_; }

 private:
  Fs next_due() const override {
    return arrivals_.data() == nullptr ? never_fs : arrivals_.data()->time;
  }
  void serve() override {
    while (next_due() <= now()) {
      const Arrival arrival = *arrivals_.data();
      arrivals_.pop_data();
      const RouteExtension& route = arrival.transaction->route();
      if (in_window(arrival.time)) ++counts_.flits;
      if (arrival.flit + 1 != route.flits) continue;
      if (in_window(route.key.issued)) {
        ++counts_.packets;
        counts_.latency += arrival.time - route.key.issued;
      }
      route.listener->completed(*arrival.transaction);
    }
  }
  bool in_window(Fs at) const { return at >= begin_ && at < end_; }

  Fs begin_, end_, free_at_ = 0;
  Counts counts_;
};

int destination(MeshPattern pattern, int from, std::mt19937& random) {
  if (pattern == MeshPattern::transpose) return from % width * width + from / width;
  const int more = pattern == MeshPattern::hot_spot ? more_for_hot_node : 0;
  const int drawn = std::uniform_int_distribution<int>(0, nodes - 1 + more)(random);
  return drawn < nodes ? drawn : hot_node;
}

class RouterMesh final : private TransactionListener {
 public:
  RouterMesh(Platform& platform, const MeshTraffic& traffic)
      : platform_(platform), traffic_(traffic), attributes_(router_attributes(platform)),
        cycle_(VcRouter::Parameters(attributes_).period()), paths_(nodes * nodes) {
    const Fs begin = traffic.warm_up * cycle_, end = begin + traffic.measured * cycle_;
    for (int node = 0; node < nodes; ++node) {
      const std::string name = fmt::format("mesh_node{}", node);
      sources_.push_back(make_component<MeshNode>(
          {name.c_str(), source_at(node), none_, platform.services()}, begin, end));
    }
    for (int node = 0; node < nodes; ++node) {
      const std::string name = fmt::format("mesh_router{}", node);
      routers_.push_back(make_component<VcRouter>(
          {name.c_str(), router_at(node), attributes_, platform.services()}));
    }
    connect();
    generate(end + load_goes_on * cycle_);
  }

  MeshResult run() {
    const RunResult result = platform_.run();
    if (result.cause) std::rethrow_exception(result.cause);
    double flits = 0, packets = 0, latency = 0;
    for (const auto& source : sources_) {
      flits += static_cast<double>(source->counts().flits);
      packets += static_cast<double>(source->counts().packets);
      latency += static_cast<double>(source->counts().latency);
    }
    return {latency / packets / static_cast<double>(cycle_), flits / nodes / traffic_.measured};
  }

 private:
  static const Attributes& router_attributes(const Platform& platform) {
    const auto& all = platform.machine().nodes;
    const auto router = std::find_if(all.begin(), all.end(),
                                     [](const auto& node) { return node.kind == "router"; });
    return platform.component(static_cast<NodeId>(router - all.begin())).attributes();
  }

  FabricNode& node_of(NodeId id) {
    if (id < nodes) return *sources_[id];
    return *routers_[id - nodes];
  }
  // Neighbours by id, which is the order of the ports of a node.
  static std::vector<NodeId> neighbours(NodeId id) {
    const int node = static_cast<int>(id) % nodes, x = node % width, y = node / width;
    if (id < nodes) return {router_at(node)};
    std::vector<NodeId> found{source_at(node)};
    if (y > 0) found.push_back(router_at(node - width));
    if (x > 0) found.push_back(router_at(node - 1));
    if (x + 1 < width) found.push_back(router_at(node + 1));
    if (y + 1 < width) found.push_back(router_at(node + width));
    return found;
  }

  void connect() {
    for (NodeId from = 0; from < 2 * nodes; ++from) {
      for (const NodeId to : neighbours(from)) {
        FabricInitiatorSocket& output = node_of(from).add_output(fmt::format("node{}", to));
        join_buffers(node_of(from), output, node_of(to), {}, flit_bytes);
        outputs_[{to, from}] = &output;
      }
    }
    for (const auto& [ends, output] : outputs_) {  // inputs of a node by the ids of its neighbours
      const auto [to, from] = ends;
      const std::string name = fmt::format("mesh_link{}_{}", from, to);
      links_.push_back(std::make_unique<Link>(name.c_str(), Rational(), cycle_, flit_bytes,
                                              platform_.observation().link_traversals));
      links_.back()->connect(*output, node_of(to).add_input(from, fmt::format("node{}", from)));
    }
  }

  PathHop hop(NodeId from, NodeId to) const {
    PathHop hop;
    hop.node = from;
    hop.propagation_fs = cycle_;
    const std::vector<NodeId> ports = neighbours(from);
    hop.out_port =
        static_cast<std::uint16_t>(std::find(ports.begin(), ports.end(), to) - ports.begin());
    return hop;
  }
  const Path& path(int from, int to) {
    std::unique_ptr<Path>& path = paths_[static_cast<std::size_t>(from * nodes + to)];
    if (path) return *path;
    std::vector<PathHop> hops{hop(source_at(from), router_at(from))};
    for (int here = from; here != to;) {
      const int along_x = to % width - here % width, along_y = to / width - here / width;
      const int next =
          along_x != 0 ? here + (along_x > 0 ? 1 : -1) : here + (along_y > 0 ? width : -width);
      hops.push_back(hop(router_at(here), router_at(next)));
      here = next;
    }
    hops.push_back(hop(router_at(to), source_at(to)));
    hops.emplace_back().node = source_at(to);
    path = std::make_unique<Path>(std::move(hops), nullptr);
    return *path;
  }

  void generate(Fs end) {
    std::mt19937 random(1);
    std::bernoulli_distribution sends(traffic_.load / traffic_.flits);
    for (Fs at = cycle_; at < end; at += cycle_) {
      for (int from = 0; from < nodes; ++from) {
        if (!sends(random)) continue;
        Transaction& packet = new_packet(from, destination(traffic_.pattern, from, random), at);
        sources_[static_cast<std::size_t>(from)]->generate(packet, at, cycle_);
      }
    }
  }
  Transaction& new_packet(int from, int to, Fs at) {
    TransactionHandle packet = platform_.pool().make();
    packet->set_command(tlm::TLM_WRITE_COMMAND);
    RouteExtension& route = packet->route();
    route.path = &path(from, to);
    route.key = {at, source_at(from), static_cast<std::uint32_t>(packets_.size())};
    route.cut_flits(flit_bytes * traffic_.flits, flit_bytes);
    route.listener = this;
    route.listener_tag = packets_.size();
    packets_.push_back(packet);
    return *packet;
  }
  void completed(Transaction& packet) override { packets_[packet.route().listener_tag] = {}; }

  Platform& platform_;
  MeshTraffic traffic_;
  Attributes attributes_, none_;
  Fs cycle_;
  std::vector<std::unique_ptr<Path>> paths_;  // by source and destination
  std::vector<std::unique_ptr<MeshNode>> sources_;
  std::vector<std::unique_ptr<VcRouter>> routers_;
  std::map<std::pair<NodeId, NodeId>, FabricInitiatorSocket*> outputs_;  // by receiver and sender
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<TransactionHandle> packets_;
};

}  // namespace

MeshResult play_router_mesh(Platform& platform, const MeshTraffic& traffic) {
  return RouterMesh(platform, traffic).run();
}

}  // namespace kernbench
