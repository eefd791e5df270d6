#include "platform/observe/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kernbench {
namespace {

constexpr std::array<const char*, roof_count + 1> names{"compute", "TCM", "HBM", "link", "latency"};

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

// Bytes over each link and from or to each partition.
class Traffic {
 public:
  void add(const CarriedBytes& carried, const Graph& graph) {
    const std::vector<PathHop>& hops = carried.path->hops();
    for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
      Load& load = links_[{hops[i].node, hops[i].out_port}];
      load.bytes += carried.bytes;
      load.gbs = hops[i].bw_gbs.to_double();
      load.far_end = hops[i + 1].node;
    }
    for (const NodeId end : {carried.path->source(), carried.path->target()}) {
      if (graph.node(end).kind != Role::hbm_ctrl) continue;
      Load& load = partitions_[end];
      load.bytes += carried.bytes;
      load.gbs = hbm_peak_gbs(graph.node(end));
    }
  }
  void rate(Roofline& roofline, const Graph& graph) const {
    for (const auto& [link, load] : links_) {
      if (raise(roofline, Bound::link, load))
        roofline.link =
            fmt::format("{} > {}", graph.node(link.first).name, graph.node(load.far_end).name);
    }
    for (const auto& [partition, load] : partitions_) {
      if (raise(roofline, Bound::hbm, load)) roofline.hbm = graph.node(partition).name;
    }
  }

 private:
  struct Load {
    std::uint64_t bytes = 0;
    double gbs = 0;
    NodeId far_end = no_node;
  };
  static bool raise(Roofline& roofline, Bound bound, const Load& load) {
    double& at = roofline.at_ns[static_cast<std::size_t>(bound)];
    const double time = time_at(load.bytes, load.gbs);
    if (time <= at) return false;
    at = time;
    return true;
  }

  std::map<std::pair<NodeId, std::uint16_t>, Load> links_;  // by near end and port
  std::map<NodeId, Load> partitions_;
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
  if (bound == Bound::latency || window == 0) return 0;
  return at_ns[static_cast<std::size_t>(bound)] / to_ns(window);
}

Bound Roofline::nearest() const {
  const auto largest = std::max_element(at_ns.begin(), at_ns.end());
  return static_cast<Bound>(largest - at_ns.begin());
}

Bound Roofline::bound() const {
  const Bound most = nearest();
  return share(most) < explaining_share ? Bound::latency : most;
}

void PeWork::carry(const Path& path, std::uint64_t bytes) {
  const auto known = std::find_if(carried.begin(), carried.end(),
                                  [&path](const CarriedBytes& each) { return each.path == &path; });
  if (known == carried.end()) {
    carried.push_back({&path, bytes});
  } else {
    known->bytes += bytes;
  }
}

Roofline roofline_of(const std::vector<const PeWork*>& work, Fs window, const Graph& graph) {
  Roofline roofline;
  roofline.window = window;
  Traffic traffic;
  double& compute = roofline.at_ns[static_cast<std::size_t>(Bound::compute)];
  double& tcm = roofline.at_ns[static_cast<std::size_t>(Bound::tcm)];
  for (const PeWork* pe : work) {
    compute = std::max(compute, compute_ns(*pe));
    tcm = std::max(tcm, tcm_ns(*pe));
    for (const CarriedBytes& carried : pe->carried) traffic.add(carried, graph);
  }
  traffic.rate(roofline, graph);
  return roofline;
}

}  // namespace kernbench
