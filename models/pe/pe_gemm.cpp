// PE_GEMM: the MAC array, register to register (spec 5).
//
// Timing: waits for accel_slot, then overhead_ns and, by the attribute `timing`,
//   macs      ceil(m*k*n / macs_per_cycle) cycles;
//   systolic  task_cycles and the cycles of an output-stationary array of rows x columns
//             (systolic_cycles), from the first edge of the clock on;
// a batch of products (tl.dot of three axes) takes these cycles for each product. The slot and the
// operands' registers are released at the end (compute_engine.h). Not modelled: values, operand
// layout; with `macs` fill and drain of the array, with `systolic` streams that stall.
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
        *this, Parameter::integer("macs_per_cycle", "multiply-accumulates per cycle (timing macs)",
                                  "", "spec 1.2")
                   .default_val(4096)
                   .range("1", "1000000000")};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 1.2").default_val(1)};
    Param<std::string> timing{
        *this, Parameter::choice("timing",
                                 "cycles of a stage: macs at their peak rate, or those "
                                 "of a systolic array, filled and drained",
                                 {"macs", "systolic"}, "spec 5")
                   .default_val("macs")};
    Param<std::uint64_t> rows{
        *this, Parameter::integer("rows", "rows of the array (timing systolic)", "", "spec 5")
                   .default_val(32)
                   .range("1", "65536")};
    Param<std::uint64_t> columns{
        *this, Parameter::integer("columns", "columns of the array (timing systolic)", "", "spec 5")
                   .default_val(32)
                   .range("1", "65536")};
    Param<std::uint64_t> task_cycles{
        *this, Parameter::integer("task_cycles",
                                  "cycles of a stage in addition to its folds (timing systolic)",
                                  "", "spec 5")
                   .default_val(1)
                   .range("0", "1000000000")};
  };
  explicit PeGemm(const ComponentInit& init);

 private:
  Fs compute_time(const Stage& stage) const override;
  Fs systolic_time(const Stage& stage) const;

  const Parameters parameters_;
  const bool systolic_;
};

PeGemm::PeGemm(const ComponentInit& init)
    : ComputeEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
      parameters_(init.attributes.as<Parameters>()), systolic_(*parameters_.timing == "systolic") {
  if (systolic_) server_of("gemm_busy").attribute = "clock_ghz";
}

Fs PeGemm::compute_time(const Stage& stage) const {
  if (systolic_) return systolic_time(stage);
  const std::uint64_t cycles = batch_cycles(
      stage.batch, gemm_cycles(stage.m, stage.k, stage.n, *parameters_.macs_per_cycle));
  return overhead() + cycles_to_fs(cycles, *parameters_.clock_ghz);
}

Fs PeGemm::systolic_time(const Stage& stage) const {
  const std::uint64_t product =
      *parameters_.task_cycles +
      systolic_cycles(stage.m, stage.k, stage.n, {*parameters_.rows, *parameters_.columns});
  const std::uint64_t cycles = batch_cycles(stage.batch, product);
  return end_of_cycles_from(now() + overhead(), cycles, *parameters_.clock_ghz) - now();
}

}  // namespace

Implementation pe_gemm_implementation() { return implementation_of<PeGemm>("builtin.pe_gemm"); }

}  // namespace kernbench
