// Measurement of transfers, each alone on a fresh machine, with the analytical time next to the
// simulated one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/probe/probe_case.h"
#include "platform/probe/route_report.h"
#include "platform/topology/lower_bound.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

inline constexpr std::array<std::uint64_t, 5> sweep_bytes{4 * 1024, 16 * 1024, 64 * 1024,
                                                          256 * 1024, 1024 * 1024};

// One size of one case.
struct ProbePoint {
  std::uint64_t bytes = 0;
  Fs actual = 0;       // simulated, from the grant to the end
  MessageBound bound;  // the formula
  Fs flits = 0;        // beyond it: flits shorter than the others
  Fs bursts = 0;       // beyond it: bursts queued for their pseudo-channel
  Fs drain = 0;        // bytes / bandwidth of the bottleneck
  // Beyond all these, of a memory with banks: activates, precharges, refreshes, command buses and
  // queues. Its writes commit in a queue.
  std::int64_t banks = 0;
  // Unexplained remainder: 0 unless an implementation has been replaced by one with a different
  // policy.
  std::int64_t unexplained() const {
    return static_cast<std::int64_t>(actual - bound.total() - flits - bursts) - banks;
  }
  std::int64_t beyond_formula() const { return static_cast<std::int64_t>(actual - bound.total()); }
  double effective_gbs() const {
    return actual == 0 ? 0 : static_cast<double>(bytes) / to_ns(actual);
  }
};

struct ProbeOutcome {
  ProbeCase probe;
  const Path* path = nullptr;  // path of the request; null if the machine has no such case
  Fs overhead = 0;             // over every node on both legs
  Fs link = 0;                 // every propagation on both legs
  std::optional<NarrowestLink> bottleneck;  // on the leg with the data
  bool has_banks = false;          // the memory has banks (builtin.hbm_banked), and the policy of
                                   // every other node of the path is known
  std::vector<ProbePoint> points;  // ascending bytes: probe_bytes and the sweep

  const Path& data_path() const { return probe.write ? *path : path->reverse(); }
  const ProbePoint& at(std::uint64_t bytes) const;  // one of the sizes that were measured
  double utilisation(const ProbePoint& point) const {
    return bottleneck ? point.effective_gbs() / bottleneck->bw_gbs.to_double() : 0;
  }
};

// Plays one request on a machine that has not run yet, in this process; called once. Returns the
// time from the grant to the end. Throws the error that ended the run.
Fs simulate_alone(Platform& platform, const TrafficRequest& request);

// Simulates requests, each on a fresh machine.
using Simulate = std::function<std::vector<Fs>(const std::vector<TrafficRequest>&)>;
// Forks this process for every request. The platform is built here but never runs here, so each
// child has a fresh machine without a second elaboration.
Simulate simulate_in_children(Platform& platform);

// Runs all sizes of a case. A case without a path, or missing on the machine, is returned without
// points and with the reason.
ProbeOutcome run_probe(const Graph& graph, Routes& routes, const ProbeCase& probe,
                       const Simulate& simulate);

}  // namespace kernbench
