// Epilogue: the op list of spec 5.3 on runs of f32 results, before the output conversion.
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/data_op.h"
#include "platform/phase2/element_arrays.h"

namespace kernbench {

class Epilogue {
 public:
  // `inputs` are all inputs of the op, which the ops index.
  Epilogue(const std::vector<EpilogueOp>& ops, const std::vector<TensorValue>& inputs,
           const ValueLookup& lookup);

  bool empty() const { return steps_.empty(); }
  bool has(EpilogueScope scope) const;
  // Applies the ops of one scope, in list order, to `count` results that start at flat index
  // `begin` of the output. `k_tile` is the index of the tile whose partial product this is.
  void apply(EpilogueScope scope, float* values, std::int64_t begin, std::int64_t count,
             std::int64_t k_tile = 0) const;
  // Applies output_tile, then kernel.
  void finish(float* values, std::int64_t begin, std::int64_t count) const;

 private:
  struct Step {
    EpilogueOp op;
    FloatArray operand;         // null: a scalar
    std::int64_t elements = 0;  // length of the operand
  };
  static void apply_step(const Step& step, float* values, std::int64_t begin, std::int64_t count,
                         std::int64_t k_tile);

  std::vector<Step> steps_;
};

}  // namespace kernbench
