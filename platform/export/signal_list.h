// Lists of the trace signals of a machine: of each kind of component, or of the components that a
// glob selects.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/assembly/platform.h"

namespace kernbench {

struct SignalRow {
  std::string name;  // for a kind, {i} represents a number, {peer} the name of a neighbour
  SignalType type = SignalType::count;
  std::string unit;
  unsigned bits = 1;
  std::string meaning;
  std::vector<std::string>
      labels;              // labels of an enumeration of states; none where nodes are named
  bool when_used = false;  // appears in the course of a run
};

struct SignalList {
  std::string name;         // "builtin.pe_dma", or "sip0.cube0.pe0.pe_dma"
  std::string description;  // for a kind
  std::vector<SignalRow> signals;
};

// Signals by implementation, in the order of their names; then those of the host. Each list shows
// the first instance.
std::vector<SignalList> signals_by_kind(const Platform& platform,
                                        const ComponentRegistry& registry);

// Signals that --trace-scope GLOB would select, in the order of the machine. Throws UsageError with
// the nearest names if there are none.
std::vector<SignalList> selected_signals(const Platform& platform, const std::string& glob);

}  // namespace kernbench
