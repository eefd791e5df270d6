// PE_GEMM: the MAC array, register to register (spec 5).
//
// Timing: waits for accel_slot, then overhead_ns + ceil(m*k*n / macs_per_cycle) cycles; the slot
// and the operands' registers are given back at the end, before the task is handed on. Not
// modelled: values, systolic fill and drain, operand layout.
#include "models/pe/pe_components.h"
#include "models/pe/stage_engine.h"
#include "models/timing/engine_rules.h"

namespace kernbench {
namespace {

class PeGemm final : public StageEngine<Component>, private GrantListener {
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
  void start(Lane& lane) override;
  void granted(std::uint32_t tag) override;
  void release(Lane& lane) override;

  const Parameters parameters_;
  ServicePort<AccelSlot> accel_slot_;
  ServicePort<RegisterFile> register_file_;
};

PeGemm::PeGemm(const ComponentInit& init)
    : StageEngine(init, PeEngine::pe_gemm, init.attributes.as<Parameters>().stage),
      parameters_(init.attributes.as<Parameters>()) {}

void PeGemm::start(Lane& lane) { accel_slot_->request_slot(*this, lane.index, lane.task->order()); }

void PeGemm::granted(std::uint32_t tag) {
  Lane& held = lane(tag);
  const Stage& stage = held.stage();
  begin(held);
  const std::uint64_t cycles = gemm_cycles(stage.m, stage.k, stage.n, *parameters_.macs_per_cycle);
  expire_at(held, now() + overhead() + cycles_to_fs(cycles, *parameters_.clock_ghz));
}

void PeGemm::release(Lane& lane) {
  accel_slot_->release_slot();
  if (lane.stage().register_bytes > 0)
    register_file_->release_registers(lane.stage().register_bytes);
}

}  // namespace

Implementation pe_gemm_implementation() { return implementation_of<PeGemm>("builtin.pe_gemm"); }

}  // namespace kernbench
