// PE_GEMM: the MAC array, register to register (spec 5).
//
// Timing: waits for accel_slot, then overhead_ns + ceil(m*k*n / macs_per_cycle) cycles; the slot
// and the operands' registers are given back at the end, before the task is handed on. Not
// modelled: values, systolic fill and drain, operand layout.
#pragma once

#include "models/pe/stage_engine.h"

namespace kernbench {

class PeGemm final : public StageEngine<Component>,
                     public Uses<AccelSlot>,
                     public Uses<RegisterFile>,
                     private GrantListener {
 public:
  static constexpr const char* description = "MAC array of a PE";
  static constexpr std::array roles{Role::pe_gemm};
  static ParameterSchema schema();
  explicit PeGemm(const ComponentInit& init);

 private:
  void start(Lane& lane) override;
  void granted(std::uint32_t tag) override;
  void release(Lane& lane) override;

  std::uint64_t macs_per_cycle_;
  Rational clock_ghz_;
};

}  // namespace kernbench
