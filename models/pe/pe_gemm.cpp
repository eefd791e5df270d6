// PE_GEMM: the MAC array, register to register (spec 5).
//
// Timing: waits for accel_slot, then overhead_ns + ceil(m*k*n / macs_per_cycle) cycles; the slot
// and the operands' registers are given back at the end (compute_engine.h). Not modelled: values,
// systolic fill and drain, operand layout.
#include "models/pe/compute_engine.h"
#include "models/pe/pe_components.h"
#include "models/timing/engine_rules.h"

namespace kernbench {
namespace {

class PeGemm final : public ComputeEngine {
 public:
  static constexpr const char* description = "MAC array of a PE";
  static constexpr std::array roles{Role::pe_gemm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    StageParameters stage{*this, "0"};
    Param<std::uint64_t> macs_per_cycle{
        *this,
        Parameter::integer("macs_per_cycle", "multiply-accumulates per cycle", "", "spec 1.2")
            .default_val(4096)
            .range("1", "1000000000")};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1)};
  };
  explicit PeGemm(const ComponentInit& init);

 private:
  Fs compute_time(const Stage& stage) const override;

  const Parameters parameters_;
};

PeGemm::PeGemm(const ComponentInit& init)
    : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
      parameters_(init.attributes.as<Parameters>()) {}

Fs PeGemm::compute_time(const Stage& stage) const {
  const std::uint64_t cycles = gemm_cycles(stage.m, stage.k, stage.n, *parameters_.macs_per_cycle);
  return overhead() + cycles_to_fs(cycles, *parameters_.clock_ghz);
}

}  // namespace

Implementation pe_gemm_implementation() { return implementation_of<PeGemm>("builtin.pe_gemm"); }

}  // namespace kernbench
