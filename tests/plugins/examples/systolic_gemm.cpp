// A weight-stationary systolic array that replaces PE_GEMM: acme.systolic.
//
// Timing: a stage of m x k x n takes ceil(k / rows) * ceil(n / columns) passes. A pass loads its
// weights in `rows` cycles, unless double_buffered hides that behind the pass before; then m rows
// of the other operand stream through, and the last result drains after rows + columns - 2 cycles
// more. overhead_ns comes on top; the base class waits for the slot of the compute engines before.
// Not modelled: values (phase 2 computes them), overlap of the drain of a pass with the next.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/energy_action.h"
#include "models/base/plugin.h"
#include "models/pe/compute_engine.h"

namespace acme {
namespace {

using namespace kernbench;

struct Shape {
  std::uint64_t rows, columns;
};
struct SystolicCycles {
  std::uint64_t passes, streaming, filling;  // streaming + filling: of the stage
};

SystolicCycles systolic_cycles(const Stage& stage, Shape array, bool double_buffered) {
  const auto m = static_cast<std::uint64_t>(stage.m), k = static_cast<std::uint64_t>(stage.k),
             n = static_cast<std::uint64_t>(stage.n);
  const std::uint64_t passes =
      (k + array.rows - 1) / array.rows * ((n + array.columns - 1) / array.columns);
  const std::uint64_t loads = double_buffered ? 1 : passes;
  return {passes, passes * m, loads * array.rows + passes * (array.rows + array.columns - 2)};
}

class Systolic final : public ComputeEngine {
 public:
  static constexpr const char* description = "weight-stationary systolic array";
  static constexpr std::array roles{Role::pe_gemm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::uint64_t> rows{*this,
                              Parameter::integer("rows", "rows of the array", "", "assumption")
                                  .default_val(64)
                                  .range(1, 4096)};
    Param<std::uint64_t> columns{
        *this, Parameter::integer("columns", "columns of the array", "", "assumption")
                   .default_val(64)
                   .range(1, 4096)};
    Param<bool> double_buffered{
        *this, Parameter::boolean("double_buffered", "weights are loaded during the pass before",
                                  "assumption")
                   .default_val(true)};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "assumption").default_val(1)};
  };

  explicit Systolic(const ComponentInit& init)
      : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
        parameters_(init.attributes) {
    add_statistic("filling", "time of loading weights, filling and draining", Quantity::time_fs,
                  filling_fs_);
    add_statistic("passes", "passes of the array", Quantity::count, passes_);
  }

 private:
  // Called once for each stage.
  Fs compute_time(const Stage& stage) const override {
    const SystolicCycles cycles = systolic_cycles(stage, {*parameters_.rows, *parameters_.columns},
                                                  *parameters_.double_buffered);
    const Fs filling = cycles_to_fs(cycles.filling, *parameters_.clock_ghz);
    filling_fs_ += filling;
    passes_ += cycles.passes;
    return overhead() + cycles_to_fs(cycles.streaming, *parameters_.clock_ghz) + filling;
  }

  const Parameters parameters_;
  mutable std::uint64_t filling_fs_ = 0, passes_ = 0;
  EnergyAction energy_of_passes_{*this, "passes"};  // of loading the weights
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<Systolic>("acme.systolic"));
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_gemm", acme::add_all);
