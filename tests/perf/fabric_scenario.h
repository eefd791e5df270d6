// Traffic on a whole machine, and what simulating it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/topology/load_machine.h"
#include "tests/perf/traffic_flows.h"

namespace kernbench::perf {

struct FabricScenario {
  const char* name;
  std::vector<Override> overrides;  // of the default machine
  std::function<std::vector<Flow>(Platform&)> flows;
};

// A flit-hop is a flit on a link and through the node behind it. A process is active if flits go
// through its node.
struct FabricFigures {
  double seconds = 0;  // of the processor; first request to the end of the last, elaboration aside
  std::uint64_t flit_hops = 0;
  std::uint64_t control_hops = 0;  // commands, acknowledgements: not counted as flit-hops
  std::uint64_t allocations = 0;
  std::uint64_t late_allocations =
      0;  // of these, after half of the requests: queues have grown by then
  std::uint64_t active_processes = 0;
  double simulated_ns = 0;
};

// In a process of its own.
FabricFigures play(const FabricScenario& scenario);

// Elaborates the default machine with these overrides. In a process of its own.
struct ElaborationFigures {
  double load_seconds = 0;       // topology file to graph
  double construct_seconds = 0;  // graph to the end of elaboration
  double resident_mib = 0;       // all of the process, afterwards
  std::uint64_t modules = 0, links = 0;
};
ElaborationFigures elaborate(const std::vector<Override>& overrides);

// The scenarios of the speed goals, and the same traffic on one SIP and on sixteen.
std::vector<FabricScenario> fabric_scenarios();
FabricScenario all_to_all_with(int sips);

double resident_mib();

}  // namespace kernbench::perf
