// Messages through routers, and accesses of a shared SRAM, with an implementation and with the
// machine's own one: the same requests on two machines, each in a child process.
//
// Routers: those of all cubes are replaced. Reads and writes of PE 0 to every HBM partition, each
// alone; then all-to-all: every PE reads from and writes to every partition, all concurrently.
// SRAM: that of cube 0 is replaced. PE 0 writes and reads each size, each alone; then all PEs
// concurrently. With data on the bytes are those of the memory store, a reference for an
// implementation that stores bytes itself.
//
// A request alone, and each set of concurrent requests, is issued at an edge of the
// implementation's clock when the machine has been idle for as long as the previous set took.
//
// Time of a request: from its issue to the response.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/machine_spec.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/rtl_compare/time_comparison.h"

namespace kernbench {

struct FlowOptions {
  std::vector<std::uint64_t> sizes;  // bytes of a request, ascending; at least one
  std::uint64_t seed = 1;            // seed of the bytes in the SRAM
};

// Settings of the machine that has the implementation, "KEY=VALUE".
std::vector<std::string> flow_settings(const ComparedDevice& device);
// Throws UsageError if the PEs' accesses of the largest size do not fit next to each other in each
// memory.
void check_flow_sizes(const MachineSpec& machine, const ComparedDevice& device,
                      const std::vector<std::uint64_t>& sizes);
// `device_machine`: with those settings; `model_machine`: without them.
TimeComparison compare_flows(const MachineSpec& device_machine, const MachineSpec& model_machine,
                             const ComponentRegistry& registry, const ComparedDevice& device,
                             const FlowOptions& options);

}  // namespace kernbench
