// OutputVerification: comparison of an output tensor with the bench's reference, over all its
// shards and replicas (spec 9). Connects expectations of benches (sw) with the comparison of
// results (platform).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "platform/phase2/data_executor.h"
#include "platform/phase2/stop.h"
#include "platform/phase2/verify.h"
#include "sw/runtime/expectation.h"
#include "sw/runtime/partial_sum.h"

namespace kernbench {

struct OutputVerification {
  Comparison
      comparison;  // counts elements of each replica; first_bad is an index in the whole tensor
  PeId where;      // PE with the block of first_bad
};

// Row-major index, in the whole tensor, of an element with a row-major index in the block.
inline std::uint64_t index_in_tensor(const Shape& tensor, const ExpectedBlock& block,
                                     std::uint64_t element) {
  std::uint64_t index = 0, stride = 1;
  for (std::size_t axis = tensor.rank(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(block.value.shape[axis]);
    index += (static_cast<std::uint64_t>(block.start[axis]) + element % extent) * stride;
    element /= extent;
    stride *= static_cast<std::uint64_t>(tensor[axis]);
  }
  return index;
}

inline std::vector<std::byte> bytes_of(const ExpectedBlock& block, const DataExecutor& executor) {
  if (block.more.empty()) return executor.bytes(block.value);
  std::vector<std::vector<std::byte>> summands{executor.bytes(block.value)};
  for (const TensorValue& value : block.more) summands.push_back(executor.bytes(value));
  return sum_of(block.value.dtype, summands);
}

// `executor` has computed the recorded operations. Counts wrong elements if the expectation
// requests it. UsageError for a reference of a different size; StoppedError on a stop request.
inline OutputVerification verify_output(const Expectation& expectation,
                                        const DataExecutor& executor,
                                        const StopQuestion& stop = {}) {
  const std::vector<double> reference = abandonable(
      [&expectation] {
        try {
          return expectation.reference();
        } catch (const std::exception& error) {
          throw Error(
              fmt::format("the reference of tensor '{}': {}", expectation.name, error.what()));
        }
      },
      stop);
  const Accuracy& accuracy = expectation.accuracy;
  const double magnitude = accuracy.magnitude.value_or(magnitude_of(reference));
  OutputVerification verification;
  Comparison& all = verification.comparison;
  for (const ExpectedBlock& block : expectation.blocks) {
    const Comparison part =
        compare(bytes_of(block, executor), expectation.dtype, block.value.shape,
                expectation.part(reference, block), accuracy.roundings, magnitude, stop);
    all.elements += part.elements;
    all.mismatches += part.mismatches;
    all.largest_abs_error = std::max(all.largest_abs_error, part.largest_abs_error);
    all.largest_rel_error = std::max(all.largest_rel_error, part.largest_rel_error);
    if (part.ok) continue;
    const std::uint64_t first = index_in_tensor(expectation.shape, block, part.first_bad);
    if (!all.ok && all.first_bad <= first) continue;
    all.ok = false;
    all.first_bad = first;
    all.got = part.got;
    all.expected = part.expected;
    verification.where = block.where;
  }
  if (expectation.wrong) expectation.wrong->add(all.mismatches);
  return verification;
}

// "tensor 'c' {64, 32} f16: 3 of 2048 elements differ; first at {1, 7}: got 1.5, expected 1.25;
// ...; on sip0.cube0.pe1"
inline std::string failure_text(const Expectation& expectation,
                                const OutputVerification& verification) {
  std::string text =
      failure_text(expectation.name, expectation.dtype, expectation.shape, verification.comparison);
  if (expectation.blocks.size() > 1) text += "; on " + verification.where.str();
  return text;
}

}  // namespace kernbench
