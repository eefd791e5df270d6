#include "sw/models/memory_need.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

std::int64_t layer_parameters(const ModelSpec& model, const RankShare& share) {
  return model.layer_parameters({share.q_heads, share.kv_heads, share.experts, share.ffn});
}

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.3f} GiB", static_cast<double>(bytes) / static_cast<double>(1ULL << 30U));
}

// Smallest TP that fits; 0: none.
std::int64_t smallest_tp(const ModelSpec& model, Parallelism parallelism, const ModelStep& step,
                         std::uint64_t memory_bytes, std::int64_t sips, std::int64_t copies) {
  for (parallelism.tp = 1; parallelism.tp <= sips; ++parallelism.tp) {
    if (!plan_fault(model, parallelism, step) &&
        memory_need(model, parallelism, step, copies).total() <= memory_bytes)
      return parallelism.tp;
  }
  return 0;
}

}  // namespace

std::uint64_t layer_weight_bytes(const ModelSpec& model, const Parallelism& parallelism,
                                 const ModelStep& step) {
  const RankShare share = rank_share(model, parallelism, step);
  return static_cast<std::uint64_t>(layer_parameters(model, share)) * size_of(step.weights);
}

MemoryNeed memory_need(const ModelSpec& model, const Parallelism& parallelism,
                       const ModelStep& step, std::int64_t copies) {
  const RankShare share = rank_share(model, parallelism, step);
  const std::int64_t parameters = copies * (model.layers * layer_parameters(model, share) +
                                            model.parameters_outside_layers(share.vocab));
  MemoryNeed need;
  need.weights = static_cast<std::uint64_t>(parameters) * size_of(step.weights);
  need.kv_cache = static_cast<std::uint64_t>(model.layers * 2 * share.kv_heads * model.d_head *
                                             step.sequences * step.context) *
                  size_of(step.kv_cache);
  std::vector<OperatorPlan> plan = layer_plan(model, parallelism, step);
  plan.push_back(output_plan(model, parallelism, step));
  for (const OperatorPlan& op : plan) {
    // Attention reads the cache, which is counted above.
    const std::uint64_t inputs =
        op.kind == OperatorKind::attention ? op.output_bytes : op.input_bytes;
    need.activations = std::max(need.activations, inputs + op.output_bytes);
  }
  need.activations +=
      2 * static_cast<std::uint64_t>(share.norm_tokens * model.hidden) * size_of(step.activations);
  return need;
}

std::uint64_t sip_memory_bytes(const MachineDescription& machine) {
  return static_cast<std::uint64_t>(machine.cubes()) * static_cast<std::uint64_t>(machine.pes) *
         machine.hbm_slice_bytes;
}

void check_memory(const ModelSpec& model, const Parallelism& parallelism, const ModelStep& step,
                  std::uint64_t memory_bytes, std::int64_t sips, std::int64_t copies) {
  const MemoryNeed need = memory_need(model, parallelism, step, copies);
  if (need.total() <= memory_bytes) return;
  const std::int64_t tp = smallest_tp(model, parallelism, step, memory_bytes, sips, copies);
  throw UsageError(fmt::format(
      "model '{}' with TP {} needs {} on each SIP (weights {}, KV cache {}, activations {}), which "
      "has {}; {}",
      model.name, parallelism.tp, gib(need.total()), gib(need.weights), gib(need.kv_cache),
      gib(need.activations), gib(memory_bytes),
      tp == 0 ? fmt::format("no TP up to the {} SIPs of the machine fits", sips)
              : fmt::format("the smallest TP that fits is {}", tp)));
}

}  // namespace kernbench
