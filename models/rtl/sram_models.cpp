#include "models/rtl/verilated_sram.h"
// The runtime of Verilator must be included first.
#include <fmt/format.h>
#include <sram_models_built.h>

namespace kernbench {
namespace {

struct Built {
  unsigned data_bits;
  std::uint64_t size_mb;
  MakeSramModel make;
};

// {bits, MiB, &VerilatedSram<V..., bits>::make}, ...
constexpr Built models[] = {KERNBENCH_SRAM_MODELS};

}  // namespace

MakeSramModel find_sram_model(unsigned data_bits, std::uint64_t size_mb) {
  for (const Built& model : models) {
    if (model.data_bits == data_bits && model.size_mb == size_mb) return model.make;
  }
  return nullptr;
}

std::string sram_model_names() {
  std::string names;
  for (const Built& model : models) {
    names += fmt::format("{}{} bits x {} MiB", names.empty() ? "" : ", ", model.data_bits,
                         model.size_mb);
  }
  return names;
}

}  // namespace kernbench
