#include "platform/observe/operation_savings.h"

#include <string>

#include "models/protocol/tile_task.h"
#include "models/timing/engine_rules.h"

namespace kernbench {
namespace {

// Work of `units` at `rate` per cycle, and `more` cycles at either rate.
Fs saved_of(Fs took, std::uint64_t units, std::uint64_t rate, std::uint64_t more = 0) {
  if (units == 0 || rate == 0) return took / 2;
  const std::uint64_t cycles = (units + rate - 1) / rate,
                      twice = (units + 2 * rate - 1) / (2 * rate);
  return took / (cycles + more) * (cycles - twice);
}

}  // namespace

void EngineRates::take(Role role, const Component& engine) {
  const auto rate = [&engine](const char* name) {
    const Attributes& attributes = engine.attributes();
    return attributes.has(name) ? static_cast<std::uint64_t>(attributes.integer(name)) : 0;
  };
  if (role == Role::pe_math) lanes = rate("lanes");
  if (role != Role::pe_gemm) return;
  const bool is_systolic =
      engine.attributes().has("timing") && engine.attributes().text("timing") == "systolic";
  if (!is_systolic) macs_per_cycle = rate("macs_per_cycle");
}

Fs EngineRates::saved(Role role, const ExecutedOp& op) const {
  const Fs took = op.t_end - op.t_start;
  if (role == Role::pe_gemm) return saved_of(took, op.macs, macs_per_cycle);
  if (role != Role::pe_math || op.task == nullptr) return took / 2;
  const Stage& stage = op.task->stage();
  return saved_of(took, static_cast<std::uint64_t>(stage.elements), lanes,
                  is_reduction(stage.math_op) ? ceil_log2(lanes) : 0);
}

}  // namespace kernbench
