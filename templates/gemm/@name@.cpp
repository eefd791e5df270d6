// The matrix engine of a PE: an output-stationary systolic array of rows x columns
// multiply-accumulators.
//
// Timing: a GEMM stage of m x k x n takes ceil(m / rows) * ceil(n / columns) passes of k + rows +
// columns - 2 cycles: each pass fills, streams k and drains. overhead_ns is added. The base class
// first waits for the slot of the compute engines. Not modelled: values (phase 2 computes them),
// overlap of passes.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/compute_engine.h"

namespace {

using kernbench::Parameter;

class @Class@Model final : public kernbench::ComputeEngine {
 public:
  static constexpr const char* description = "matrix engine of @name@";
  static constexpr std::array roles{kernbench::Role::pe_gemm};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::StageParameters stage{*this, "0"};  // overhead_ns, queue_depth
    kernbench::Param<std::int64_t> rows{
        *this, Parameter::integer("rows", "rows of the array", "", "assumption")
                   .default_val(64)
                   .range(1, 4096)};
    kernbench::Param<std::int64_t> columns{
        *this, Parameter::integer("columns", "columns of the array", "", "assumption")
                   .default_val(64)
                   .range(1, 4096)};
    kernbench::Param<kernbench::Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "assumption").default_val(1)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : ComputeEngine(init, kernbench::PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
        parameters_(init.attributes) {}

 private:
  kernbench::Fs compute_time(const kernbench::Stage& stage) const override {
    const std::int64_t rows = *parameters_.rows, columns = *parameters_.columns;
    const std::int64_t passes = (stage.m + rows - 1) / rows * ((stage.n + columns - 1) / columns);
    const auto cycles = static_cast<std::uint64_t>(passes * (stage.k + rows + columns - 2));
    return overhead() + kernbench::cycles_to_fs(cycles, *parameters_.clock_ghz);
  }

  const Parameters parameters_;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
