// The processor of a PE: the first calls of a kernel are slow.
//
// Timing: each of the first cold_calls calls of a launch that is not metadata pays cold_cycles
// before it does anything, as its code is not in the instruction memory yet; later ones pay
// dispatch_cycles. The base class has launches, aborts, the kernel's thread and what it waits for.
// Not modelled: instructions between two calls.
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/pe/pe_cpu.h"

namespace {

using kernbench::Parameter;

class @Class@Model final : public kernbench::PeCpu {
 public:
  static constexpr const char* description = "processor of @name@";
  static constexpr std::array roles{kernbench::Role::pe_cpu};
  struct Parameters : PeCpu::Parameters {  // overhead_ns, clock_ghz, dispatch_cycles, ...
    using PeCpu::Parameters::Parameters;
    kernbench::Param<std::uint64_t> cold_calls{
        *this, Parameter::integer("cold_calls", "calls of a launch that are slow", "", "assumption")
                   .default_val(1)
                   .range(0, 1048576)};
    kernbench::Param<std::uint64_t> cold_cycles{
        *this, Parameter::integer("cold_cycles", "cycles of such a call", "", "assumption")
                   .default_val(100)
                   .range(0, 1048576)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : PeCpu(init), parameters_(init.attributes) {
    add_statistic("cold", "slow calls", kernbench::Quantity::count, cold_);
  }

 private:
  std::uint64_t call_cycles(std::uint64_t call) override {
    if (call >= *parameters_.cold_calls) return PeCpu::call_cycles(call);
    ++cold_;
    return *parameters_.cold_cycles;
  }

  const Parameters parameters_;
  std::uint64_t cold_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
