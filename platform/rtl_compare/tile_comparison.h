// GEMM tiles on an implementation of PE_GEMM compared with the transaction-level model: PE 0 has
// the implementation, PE 1 builtin.pe_gemm with `timing: macs`, PE 2 with `timing: systolic`, both
// with the array, clock and overhead of the implementation, as far as its attributes declare them.
// A kernel on each of the three issues one `dot` per tile and waits for it.
//
// Time of a tile: from the grant of the compute slot to the end of the stage, as the engine records
// it, including the wait for a clock edge. Operands are in the TCM. The product of PE 0 is compared
// with a reference in double precision, in the accumulator's dtype: i32, exactly, or f32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "platform/config/machine_spec.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/rtl_compare/compared_tile.h"
#include "platform/rtl_compare/time_comparison.h"
#include "platform/topology/graph.h"

namespace kernbench {

struct TileOptions {
  std::vector<ComparedTile> tiles;  // at least one
  DType dtype = DType::i8;          // dtype of the operands: i8 or f16
  std::uint64_t seed = 1;           // seed of their elements
};

// Array of the device, from its attributes `rows` and `columns`; 32 where there is no such number.
// Throws UsageError if the models have no such array.
MacArray array_of(const ComparedDevice& device);
TileRoom tile_room(const MachineSpec& machine, DType dtype);
// Settings of the machine, "KEY=VALUE".
std::vector<std::string> tile_settings(const ComparedDevice& device);
// Simulates; called once per process. `machine`: with those settings.
TimeComparison compare_tiles(Graph machine, const ComponentRegistry& registry,
                             const ComparedDevice& device, const TileOptions& options);

}  // namespace kernbench
