// Memory of a model on one SIP, by formula, compared with the memory of the machine before a run.
#pragma once

#include <cstdint>

#include "models/protocol/machine_description.h"
#include "sw/models/parallel_plan.h"

namespace kernbench {

// Bytes on one rank.
struct MemoryNeed {
  // All layers, embedding, output projection unless tied, norms, learned positions.
  std::uint64_t weights = 0;
  std::uint64_t kv_cache = 0;  // keys and values of `context` tokens of each sequence, all layers
  // Largest operator, with the residual stream before and after the attention: inputs and outputs
  // are live at the same time.
  std::uint64_t activations = 0;

  std::uint64_t total() const { return weights + kv_cache + activations; }
};

// Weights of one layer on one rank. UsageError as layer_plan().
std::uint64_t layer_weight_bytes(const ModelSpec& model, const Parallelism& parallelism,
                                 const ModelStep& step);
// `copies` of the weights are on the SIP.
MemoryNeed memory_need(const ModelSpec& model, const Parallelism& parallelism,
                       const ModelStep& step, std::int64_t copies = 1);

// HBM of a SIP: the partitions of all its PEs.
std::uint64_t sip_memory_bytes(const MachineDescription& machine);

// UsageError if a rank needs more than the `memory_bytes` of a SIP: the parts, and the smallest
// possible TP of at most `sips` that fits.
void check_memory(const ModelSpec& model, const Parallelism& parallelism, const ModelStep& step,
                  std::uint64_t memory_bytes, std::int64_t sips, std::int64_t copies = 1);

}  // namespace kernbench
