// PE_MATH: the vector unit, register to register (spec 5).
//
// Timing: waits for accel_slot, then max(overhead_ns, ceil(elements / lanes) * cycles_per_op(op)),
// a reduction ceil(log2 lanes) cycles more; the slot, and the registers of an epilogue's operands,
// are given back at the end. Not modelled: values, predication, the difference between dtypes.
#pragma once

#include "models/pe/stage_engine.h"
#include "models/timing/engine_rules.h"

namespace kernbench {

class PeMath final : public StageEngine<Component>,
                     public Uses<AccelSlot>,
                     public Uses<RegisterFile>,
                     private GrantListener {
 public:
  static constexpr const char* description = "vector unit of a PE";
  static constexpr std::array roles{Role::pe_math};
  // cycles_{op} for every op but softmax, which is the sum of its parts.
  static ParameterSchema schema();
  explicit PeMath(const ComponentInit& init);

 private:
  void start(Lane& lane) override;
  void granted(std::uint32_t tag) override;
  void release(Lane& lane) override;

  std::uint64_t lanes_per_cycle_;
  Rational clock_ghz_;
  MathCycles cycles_;
};

}  // namespace kernbench
