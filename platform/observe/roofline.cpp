#include "platform/observe/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/timing/hbm_bank_timing.h"
#include "platform/config/known_attributes.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

namespace {

Rational decimal_of(const Attributes& attributes, const char* name) {
  return value_in<Rational>(attributes, name).value_or(Rational(0));
}

const Attributes& attributes_of(const Graph& graph, const std::string& node) {
  return graph.node(graph.at(node)).attributes();
}

std::optional<std::int64_t> whole_number_in(const Attributes& attributes, const char* name) {
  const auto number = value_in<Rational>(attributes, name);
  return number && number->is_integer() ? std::optional(number->to_int64()) : std::nullopt;
}

// Multiply-accumulates per cycle: declared by the engine, or one per cell of its array; 0: unknown.
std::int64_t macs_of(const Attributes& gemm) {
  const bool systolic = value_in<std::string>(gemm, "timing") == "systolic";
  const auto macs = whole_number_in(gemm, "macs_per_cycle");
  if (macs && !systolic) return *macs;
  const auto rows = whole_number_in(gemm, "rows"), columns = whole_number_in(gemm, "columns");
  return rows && columns ? *rows * *columns : 0;
}

}  // namespace

MacRate mac_rate(const Graph& graph, const std::string& pe) {
  const Attributes& gemm = attributes_of(graph, pe + ".pe_gemm");
  const std::optional<Rational> clock_ghz = clock_ghz_of(gemm);
  const std::int64_t macs = macs_of(gemm);
  return clock_ghz && macs > 0 ? MacRate{static_cast<std::uint64_t>(macs), *clock_ghz} : MacRate{};
}

PePeaks pe_peaks(const Graph& graph, const std::string& pe) {
  PePeaks peaks;
  peaks.macs = mac_rate(graph, pe);
  const Attributes& scheduler = attributes_of(graph, pe + ".pe_scheduler");
  peaks.shared_slot = value_in<bool>(scheduler, "shared_accel_slot").value_or(peaks.shared_slot);
  const Attributes& tcm = attributes_of(graph, pe + ".pe_tcm");
  peaks.tcm_read_gbs = decimal_of(tcm, "read_bw_gbs").to_double();
  peaks.tcm_write_gbs = decimal_of(tcm, "write_bw_gbs").to_double();
  return peaks;
}

Rational hbm_peak_gbs(const Node& hbm_ctrl) {
  const Attributes& attributes = hbm_ctrl.attributes();
  if (const auto timing = bank_timing_of(attributes))
    return decimal_of(attributes, "num_pcs") * decimal_of(attributes, "burst_bytes") *
           Rational(fs_per_ns) / Rational::fraction(timing->burst, 1);
  return decimal_of(attributes, "link_bw_gbs") * decimal_of(attributes, "efficiency");
}

namespace {

constexpr std::array<const char*, roof_count> names{"compute", "TCM", "HBM", "link"};

double time_at(std::uint64_t bytes, double gbs) {
  return gbs > 0 ? static_cast<double>(bytes) / gbs : 0.0;
}

double compute_ns(const PeWork& work) {
  const MacRate& rate = work.peaks->macs;
  const double gemm =
      rate.macs_per_cycle == 0
          ? to_ns(work.gemm)
          : static_cast<double>(work.macs) /
                (static_cast<double>(rate.macs_per_cycle) * rate.clock_ghz.to_double());
  const double math = to_ns(work.math);
  return work.peaks->shared_slot ? gemm + math : std::max(gemm, math);
}

double tcm_ns(const PeWork& work) {
  return std::max(time_at(work.fetched_bytes, work.peaks->tcm_read_gbs),
                  time_at(work.stored_bytes, work.peaks->tcm_write_gbs));
}

// Loads of links, partitions and servers of forwarding nodes.
class Traffic {
 public:
  explicit Traffic(const Graph& graph) : graph_(graph) {}

  void add(const CarriedBytes& carried) {
    const std::vector<PathHop>& hops = carried.path->hops();
    for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
      links_.push_back({hops[i].node, hops[i].out_port, &hops[i], carried.bytes});
      if (i > 0) add_server(carried, i);
    }
    for (const PathHop* end : {&hops.front(), &hops.back()}) {
      if (graph_.node(end->node).kind == Role::hbm_ctrl)
        partitions_.push_back({end->node, 0, nullptr, carried.bytes});
    }
  }
  void rate(Roofline& roofline) {
    for (const Load& link : summed(std::move(links_))) {
      if (raise(roofline, Bound::link, time_at(link.amount, link.hop->bw_gbs.to_double())))
        roofline.link = fmt::format("{} > {}", graph_.node(link.node).name,
                                    graph_.node((link.hop + 1)->node).name);
    }
    for (const Load& server : summed(std::move(servers_))) {
      const ServerTimes& times = server_at(server.node)->times;
      // A hold of the last flit beyond its hand-over may outlast the transfers.
      const Fs beyond = times.hold - std::min(times.hold, times.latency);
      if (raise(roofline, Bound::link, to_ns(server.amount - beyond)))
        roofline.link = graph_.node(server.node).name;
    }
    const ComponentSpec* rated = nullptr;  // partitions share one, or a few
    double peak_gbs = 0;
    for (const Load& partition : summed(std::move(partitions_))) {
      const Node& node = graph_.node(partition.node);
      if (node.component != rated) {
        rated = node.component;
        peak_gbs = hbm_peak_gbs(node).to_double();
      }
      if (raise(roofline, Bound::hbm, time_at(partition.amount, peak_gbs)))
        roofline.hbm = node.name;
    }
  }

 private:
  struct Load {
    NodeId node = no_node;         // a partition, a forwarding node, or the source of a link
    std::uint64_t port = 0;        // a link, or a server of the node
    const PathHop* hop = nullptr;  // hop of a path over the link
    std::uint64_t amount = 0;      // bytes; of a server the time for which it is held
  };

  void add_server(const CarriedBytes& carried, std::size_t position) {
    const std::vector<PathHop>& hops = carried.path->hops();
    const PathHop& hop = hops[position];
    const std::optional<NodeServer>& server = server_at(hop.node);
    if (!server) return;
    std::uint64_t port = server->per == "node" ? 0 : hop.out_port;
    if (server->per == "port") port |= std::uint64_t{hops[position - 1].node} << 16;
    servers_.push_back({hop.node, port, nullptr,
                        carried.messages * server->times.hold +
                            (carried.flits - carried.messages) * server->times.later_hold});
  }
  // Nodes share a few components.
  const std::optional<NodeServer>& server_at(NodeId id) {
    const Node& node = graph_.node(id);
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const auto& each) { return each.first == node.component; });
    if (known != known_.end()) return known->second;
    return known_.emplace_back(node.component, server_of(node)).second;
  }
  // One entry for each node and port, in their order.
  static std::vector<Load> summed(std::vector<Load> parts) {
    std::sort(parts.begin(), parts.end(), [](const Load& a, const Load& b) {
      return std::tie(a.node, a.port) < std::tie(b.node, b.port);
    });
    std::vector<Load> sums;
    for (const Load& part : parts) {
      if (!sums.empty() && sums.back().node == part.node && sums.back().port == part.port) {
        sums.back().amount += part.amount;
      } else {
        sums.push_back(part);
      }
    }
    return sums;
  }
  static bool raise(Roofline& roofline, Bound bound, double time) {
    double& at = roofline.at_ns[static_cast<std::size_t>(bound)];
    if (time <= at) return false;
    at = time;
    return true;
  }

  const Graph& graph_;
  std::vector<Load> links_, partitions_, servers_;
  std::vector<std::pair<const ComponentSpec*, std::optional<NodeServer>>> known_;
};

}  // namespace

const char* name_of(Bound bound) { return names[static_cast<std::size_t>(bound)]; }

Roofline& Roofline::operator+=(const Roofline& other) {
  window += other.window;
  for (std::size_t i = 0; i < roof_count; ++i) at_ns[i] += other.at_ns[i];
  hbm.clear();
  link.clear();
  return *this;
}

double Roofline::share(Bound bound) const {
  if (window == 0) return 0;
  return at_ns[static_cast<std::size_t>(bound)] / to_ns(window);
}

Bound Roofline::nearest() const {
  const auto largest = std::max_element(at_ns.begin(), at_ns.end());
  return static_cast<Bound>(largest - at_ns.begin());
}

void PeWork::carry(const Path& path, std::uint64_t bytes, std::uint64_t flits) {
  const auto known = std::find_if(carried.begin(), carried.end(),
                                  [&path](const CarriedBytes& each) { return each.path == &path; });
  if (known == carried.end()) {
    carried.push_back({&path, bytes, 1, flits});
  } else {
    known->bytes += bytes;
    ++known->messages;
    known->flits += flits;
  }
}

Roofline roofline_of(const std::vector<const PeWork*>& work, Fs window, const Graph& graph) {
  Roofline roofline;
  roofline.window = window;
  Traffic traffic(graph);
  double& compute = roofline.at_ns[static_cast<std::size_t>(Bound::compute)];
  double& tcm = roofline.at_ns[static_cast<std::size_t>(Bound::tcm)];
  for (const PeWork* pe : work) {
    compute = std::max(compute, compute_ns(*pe));
    tcm = std::max(tcm, tcm_ns(*pe));
    for (const CarriedBytes& carried : pe->carried) traffic.add(carried);
  }
  traffic.rate(roofline);
  return roofline;
}

}  // namespace kernbench
