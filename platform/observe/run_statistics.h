// `--stats F.json`: all statistics of the machine in a run.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "platform/assembly/platform.h"
#include "platform/observe/activity_windows.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {

class WaitingTimes;

// Kind of a component in the topology; the host is not a node of it: "host".
KindOf kind_in(const Platform& platform);

// Statistics of a machine, with the components and links behind them.
struct RunStatistics {
  // Statistics up to now, when the run has ended. `simulated`: the end of its program, or the time
  // at which the run was stopped.
  RunStatistics(const Platform& platform, const ActivityWindows& windows, Fs simulated);

  const Platform& platform;
  Fs simulated;
  // End of the run, or of the last flit on its link if later: the base of link utilisations.
  Fs elapsed;
  // Flits and messages on links, and operations executed by engines.
  std::uint64_t events = 0;
  ActivitySummary activity;
  std::vector<Component*> components;  // by name, including the host
  std::vector<KindTotal> kinds;
  std::vector<LinkTotal> links;

  // {"simulated_ns", "elapsed_ns", "statistics": {kind: [...]}, "activity": {...}, "data_races",
  // "totals": {kind: {...}}, "components": [...], "links": [...], "regions": [...],
  // "hbm_channels": [...], "transfers": [...]} (docs/json.md)
  nlohmann::ordered_json json(nlohmann::ordered_json regions, const WaitingTimes& waiting,
                              nlohmann::ordered_json transfers) const;

 private:
  void count_outside();
  nlohmann::ordered_json components_json(const WaitingTimes& waiting) const;
};

// {"pe_window_ns", "composite_window_ns", "mac_utilisation", "useful_efficiency", "pes": [...]};
// null where there is none.
nlohmann::ordered_json activity_json(const ActivitySummary& activity);

// JSON text with one element of the top-level arrays per line, for reading and line-by-line
// comparison.
void write_json_lines(std::ostream& out, const nlohmann::ordered_json& object);

}  // namespace kernbench
