// Vector engine of a PE: a pipeline that accepts `lanes` elements per cycle.
//
// Timing: a MATH stage takes pipeline_cycles + ceil(elements / lanes) cycles, whatever the
// operation, and overhead_ns. The base class first waits for the slot of the compute engines. Not
// modelled: values (phase 2 computes them), the difference between operations.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/compute_engine.h"

namespace {

using kernbench::Parameter;

class @Class@Model final : public kernbench::ComputeEngine {
 public:
  static constexpr const char* description = "vector engine of @name@";
  static constexpr std::array roles{kernbench::Role::pe_math};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::StageParameters stage{*this, "0"};  // overhead_ns, queue_depth
    kernbench::Param<std::uint64_t> lanes{
        *this, Parameter::integer("lanes", "elements per cycle", "", "assumption")
                   .default_val(128)
                   .range(1, 1000000)};
    kernbench::Param<std::uint64_t> pipeline_cycles{
        *this, Parameter::integer("pipeline_cycles", "latency from the first operand to its result",
                                  "", "assumption")
                   .default_val(6)
                   .range(0, 1000)};
    kernbench::Param<kernbench::Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "assumption").default_val(1)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : ComputeEngine(init, kernbench::PeEngine::pe_math, init.attributes.as<Parameters>().stage),
        parameters_(init.attributes) {}

 private:
  kernbench::Fs compute_time(const kernbench::Stage& stage) const override {
    const auto elements = static_cast<std::uint64_t>(stage.elements);
    const std::uint64_t cycles =
        *parameters_.pipeline_cycles + (elements + *parameters_.lanes - 1) / *parameters_.lanes;
    return overhead() + kernbench::cycles_to_fs(cycles, *parameters_.clock_ghz);
  }

  const Parameters parameters_;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
