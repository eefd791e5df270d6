// Model and ranks of benches that run layers of a transformer (llama-layer, llm-serve): parameters
// that they share, and the tensor-parallel ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sw/benches/inputs.h"
#include "sw/models/layer.h"
#include "sw/models/layer_weights.h"

namespace kernbench::benches {

Parameter model_parameter(const char* description);
Parameter size_parameter();
// Default 0: the model's, or as described.
Parameter count_of(const char* name, const std::string& description, std::int64_t count = 0);
Parameter tp_parameter();
Parameter cubes_parameter(int count = 0);
Parameter pes_parameter();

// Kinds of the preset with extents that run in seconds: any TP that divides 12 query heads.
ModelSpec reduced(ModelSpec model);
// Model of the parameters `model` and `size`.
ModelSpec selected_model(const Attributes& given);
// UsageError for more SIPs, cubes or PEs than the machine has.
std::int64_t selected_tp(const Torch& torch, const std::string& bench);
ops::PeGrid selected_grid(const Torch& torch, const std::string& bench);

// All cubes of the SIPs 0 to tp - 1: weights are cut over cubes.
std::vector<CubeId> cubes_of_ranks(const BenchSetting& setting);

// Weight for draw_layer_weights().
HostWeight draw_weight(Torch& torch, DType dtype, const Shape& shape, double factor, bool norm);

// The rows of KV heads `heads` in a cache of all.
std::vector<double> cache_of_heads(const std::vector<double>& all, const ops::CacheShape& shape,
                                   const ops::Range& heads);

// Runs the body on the SIPs 0 to tp - 1, each with the group of these; with tp 1 on the calling
// thread, without a group. UsageError if ranks are PEs.
void on_tensor_parallel_ranks(Torch& torch, const std::string& bench, std::int64_t tp,
                              const std::function<void(int rank, const Group& group)>& body);

}  // namespace kernbench::benches
