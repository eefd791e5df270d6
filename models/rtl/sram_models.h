// A memory in RTL with its pins, and the Verilated ones: each of one width and size (CMake:
// KERNBENCH_RTL_SRAMS).
#pragma once

#include <memory>
#include <string>

#include "models/rtl/axi4_manager.h"
#include "models/rtl/rtl_block.h"

namespace kernbench {

class SramModel {
 public:
  virtual ~SramModel() = default;
  virtual RtlBlock& block() = 0;
  virtual Axi4Pins pins() = 0;
};

using MakeSramModel = std::unique_ptr<SramModel> (*)(Component& component, Services& services,
                                                     const BlockParameters& parameters,
                                                     BlockUser& user);

// Null: no such model has been verilated.
MakeSramModel find_sram_model(unsigned data_bits, std::uint64_t size_mb);
// "64 bits x 1 MiB, 512 bits x 32 MiB".
std::string sram_model_names();

}  // namespace kernbench
