// Comparison from its request to its run: tiles for a PE_GEMM, requests for routers and SRAMs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "platform/config/machine_spec.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/rtl_compare/time_comparison.h"

namespace kernbench {

struct ComparisonRequest {
  std::vector<std::string> shapes;  // shapes of tiles, "32x64x32"
  std::uint64_t random = 0;         // number of random tiles; 0, and no shapes: characteristic ones
  DType dtype = DType::i8;          // dtype of the operands of tiles: i8 or f16
  std::vector<std::uint64_t> sizes;       // sizes of messages and accesses; none: 256 and 4096
  std::uint64_t seed = 1;                 // seed of random values
  std::uint64_t most_bytes = UINT64_MAX;  // host memory for operands and products
};

// Settings of the machine that has the implementation, "KEY=VALUE".
std::vector<std::string> comparison_settings(const ComparedDevice& device);

// Throws UsageError for work that exceeds the machine, or the host. `machine`: with those settings,
// `model_machine`: without them. The arguments live until the returned function, which simulates,
// has run.
using ComparisonRun = std::function<TimeComparison()>;
ComparisonRun prepare_comparison(const ComparisonRequest& request, const ComparedDevice& device,
                                 const ComponentRegistry& registry, const MachineSpec& machine,
                                 const std::function<MachineSpec()>& model_machine);

}  // namespace kernbench
