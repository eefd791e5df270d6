// PE_MATH: the vector unit, register to register (spec 5).
//
// Timing: waits for accel_slot, then max(overhead_ns, ceil(elements / lanes) * cycles_per_op(op)),
// a reduction ceil(log2 lanes) cycles more, scans and sorts several passes (spec 5.6); the slot,
// and the registers of an epilogue's operands, are released at the end (compute_engine.h). Not
// modelled: values, predication, the difference between dtypes.
#include <algorithm>
#include <string>

#include "models/pe/compute_engine.h"
#include "models/pe/pe_components.h"
#include "models/timing/engine_rules.h"

namespace kernbench {
namespace {

class PeMath final : public ComputeEngine {
 public:
  static constexpr const char* description = "vector unit of a PE";
  static constexpr std::array roles{Role::pe_math};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::uint64_t> lanes{*this,
                               Parameter::integer("lanes", "elements per cycle", "", "spec 1.2")
                                   .default_val(128)
                                   .range("1", "1000000")};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1)};
    MathCycles cycles = declare_cycles();

   private:
    // cycles_{op} for every op but softmax, which is the sum of its parts.
    MathCycles declare_cycles() {
      MathCycles cycles = MathCycles::defaults();
      for (int i = 0; i < math_op_count; ++i) {
        const auto op = static_cast<MathOp>(i);
        if (op == MathOp::softmax) continue;
        cycles.set(
            op, declare<std::uint64_t>(Parameter::integer("cycles_" + std::string(name_of(op)),
                                                          "cycles per row of lanes", "", "spec 5")
                                           .default_val(static_cast<std::int64_t>(cycles.of(op)))
                                           .range("0", "1000000")));
      }
      return cycles;
    }
  };
  explicit PeMath(const ComponentInit& init);

 private:
  Fs compute_time(const Stage& stage) const override;

  const Parameters parameters_;
};

PeMath::PeMath(const ComponentInit& init)
    : ComputeEngine(init, PeEngine::pe_math, init.attributes.as<Parameters>().stage),
      parameters_(init.attributes.as<Parameters>()) {}

Fs PeMath::compute_time(const Stage& stage) const {
  const std::uint64_t cycles = parameters_.cycles.cycles(
      {stage.math_op, stage.elements, stage.extent, stage.kept}, *parameters_.lanes);
  return std::max(overhead(), cycles_to_fs(cycles, *parameters_.clock_ghz));
}

}  // namespace

Implementation pe_math_implementation() { return implementation_of<PeMath>("builtin.pe_math"); }

}  // namespace kernbench
