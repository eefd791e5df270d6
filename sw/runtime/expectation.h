// Expected values of a bench's output tensor: recorded in phase 1, compared after phase 2 by the
// runner of the bench (spec 9).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/data/tensor_value.h"
#include "sw/runtime/deferred_counter.h"
#include "sw/tl/ptr.h"

namespace kernbench {

// Shard at the time of torch.verify; its image may refer to values that phase 2 computes. Each copy
// is a separate block and must be correct. Partial sums are one block.
struct ExpectedBlock {
  PeId where;
  std::vector<std::int64_t> start;  // in the tensor
  TensorValue value;
  std::vector<TensorValue> more;  // further partial sums, to be added to the first
};

// Permitted deviation from the reference: the spec's tolerance (9) times these two factors.
struct Accuracy {
  // `roundings`: on the longest chain. `magnitude`: of the largest summand, if sums cancel; by
  // default that of the largest expected value, at most 1. Both from 0: exact.
  Accuracy(double roundings = 1, std::optional<double> magnitude = {})
      : roundings(roundings), magnitude(magnitude) {}
  double roundings;
  std::optional<double> magnitude;
};

struct Expectation {
  std::string name;
  Shape shape;
  DType dtype = DType::f32;
  std::vector<ExpectedBlock> blocks;
  std::function<std::vector<double>()>
      reference;  // row-major, of the whole tensor; computed in double, without the op log
  Accuracy accuracy;
  std::shared_ptr<DeferredCounter> wrong =
      nullptr;  // receives the number of wrong elements; null: not counted

  // Part of `reference_values` that belongs to a block, in the block's order.
  std::vector<double> part(const std::vector<double>& reference_values,
                           const ExpectedBlock& block) const;
};

}  // namespace kernbench
