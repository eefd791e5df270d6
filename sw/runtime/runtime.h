// Runtime: what all workers of one host program share: the link to the machine, device memory, and what the benches expect.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/device_memory.h"
#include "sw/runtime/expectation.h"
#include "sw/runtime/host_link.h"
#include "sw/runtime/launch.h"

namespace kernbench {

// A launch that has ended, for reports.
struct LaunchRecord {
  std::string name;
  LaunchMetrics metrics;
};

struct Runtime {
  Runtime(HostPort& port, const std::string& correlation) : link(port, correlation), memory(std::make_shared<DeviceMemory>(link)) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  HostLink link;
  std::shared_ptr<DeviceMemory> memory;
  std::vector<Expectation> expectations;  // in order of torch.verify
  std::vector<LaunchRecord> launches;     // in order of being waited for
  std::uint64_t tensors_made = 0;         // for default names
};

}  // namespace kernbench
