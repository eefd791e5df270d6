// `--stats F.json`: all statistics of the machine in a run.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "platform/assembly/platform.h"
#include "platform/observe/activity_windows.h"
#include "platform/observe/component_statistics.h"

namespace kernbench {

class WaitingTimes;

// The kind of a component in the topology; the host is no node of it: "host".
KindOf kind_in(const Platform& platform);

// Statistics of a machine, with the components and links behind them.
struct RunStatistics {
  // Up to now, when the run has ended; `simulated`: when its program had, or the run was stopped.
  RunStatistics(const Platform& platform, const ActivityWindows& windows, Fs simulated);

  const Platform& platform;
  Fs simulated;
  // Until then, or until the last flit had left its link: what utilisations of links are shares of.
  Fs elapsed;
  // Flits and messages that went over a link, and operations that an engine executed.
  std::uint64_t events = 0;
  ActivitySummary activity;
  std::vector<Component*> components;  // by name; the host among them
  std::vector<KindTotal> kinds;
  std::vector<LinkTotal> links;

  // {"simulated_ns", "elapsed_ns", "statistics": {kind: [...]}, "activity": {...}, "data_races",
  // "totals": {kind: {...}}, "components": [...], "links": [...], "regions": [...],
  // "hbm_channels": [...], "transfers": [...]} (docs/json.md)
  nlohmann::ordered_json json(nlohmann::ordered_json regions, const WaitingTimes& waiting,
                              nlohmann::ordered_json transfers) const;

 private:
  nlohmann::ordered_json components_json(const WaitingTimes& waiting) const;
};

// {"pe_window_ns", "composite_window_ns", "mac_utilisation", "useful_efficiency", "pes": [...]};
// null where there is none.
nlohmann::ordered_json activity_json(const ActivitySummary& activity);

// JSON text with one element of the top-level arrays per line: short enough to read, and to compare
// line by line.
void write_json_lines(std::ostream& out, const nlohmann::ordered_json& object);

}  // namespace kernbench
