#include "sc_main/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/numerics/verify.h"

namespace kernbench {
namespace {

VerdictReport verdict_on(const Expectation& expectation, const DataExecutor& executor) {
  const std::vector<double> reference = expectation.reference();
  VerdictReport verdict{expectation.name, true, ""};
  std::uint64_t elements = 0;
  double largest = 0;
  for (const ExpectedBlock& block : expectation.blocks) {
    const Shape& shape = block.value.shape;
    const Comparison comparison =
        compare(executor.bytes(block.value), expectation.dtype, shape, expectation.part(reference, block), expectation.tolerance_factor);
    elements += comparison.elements;
    largest = std::max(largest, comparison.largest_abs_error);
    if (comparison.ok || !verdict.ok) continue;  // the first block that fails speaks for the tensor
    verdict.ok = false;
    verdict.text = failure_text(expectation.name, expectation.dtype, shape, comparison);
    if (expectation.blocks.size() > 1) verdict.text += "; in the block on " + block.where.str();
  }
  if (verdict.ok) {
    verdict.text = fmt::format("tensor '{}' {} {}: {} elements agree, largest error {:g}", expectation.name, expectation.shape.str(),
                               name_of(expectation.dtype), elements, largest);
  }
  return verdict;
}

}  // namespace

std::vector<VerdictReport> verify(const DataExecutor& executor, const std::vector<Expectation>& expectations) {
  std::vector<VerdictReport> verdicts;
  for (const Expectation& expectation : expectations) verdicts.push_back(verdict_on(expectation, executor));
  return verdicts;
}

}  // namespace kernbench
