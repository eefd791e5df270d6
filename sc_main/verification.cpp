#include "sc_main/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/numerics/op_check.h"
#include "platform/numerics/verify.h"

namespace kernbench {
namespace {

constexpr std::size_t failures_told = 10;

VerdictReport verdict_on(const Expectation& expectation, const DataExecutor& executor) {
  const std::vector<double> reference = expectation.reference();
  VerdictReport verdict{expectation.name, true, ""};
  std::uint64_t elements = 0;
  double largest = 0;
  for (const ExpectedBlock& block : expectation.blocks) {
    const Shape& shape = block.value.shape;
    const Comparison comparison = compare(executor.bytes(block.value), expectation.dtype, shape, expectation.part(reference, block),
                                          expectation.tolerance_factor);
    elements += comparison.elements;
    largest = std::max(largest, comparison.largest_abs_error);
    if (comparison.ok || !verdict.ok) continue;  // the first block that fails speaks for the tensor
    verdict.ok = false;
    verdict.text = failure_text(expectation.name, expectation.dtype, shape, comparison);
    if (expectation.blocks.size() > 1) verdict.text += "; in the block on " + block.where.str();
  }
  if (verdict.ok) {
    verdict.text = fmt::format("tensor '{}' {} {}: {} elements agree, largest error {:g}", expectation.name,
                               expectation.shape.str(), name_of(expectation.dtype), elements, largest);
  }
  return verdict;
}

}  // namespace

std::vector<ByteImage> outputs_of(const std::vector<Expectation>& expectations) {
  std::vector<ByteImage> outputs;
  for (const Expectation& expectation : expectations) {
    for (const ExpectedBlock& block : expectation.blocks) outputs.push_back(block.value.image);
  }
  return outputs;
}

std::vector<VerdictReport> verify(const DataExecutor& executor, const std::vector<Expectation>& expectations) {
  std::vector<VerdictReport> verdicts;
  for (const Expectation& expectation : expectations) verdicts.push_back(verdict_on(expectation, executor));
  return verdicts;
}

OperationsReport verify_operations(const DataPlane& plane, const DataExecutor& executor, const OpOrigins& origins,
                                   unsigned threads) {
  const OpCheck check = check_ops(
      plane.ops(), [&executor](ValueId id) { return executor.computed(id); }, threads);
  OperationsReport report{check.summary(), check.total(), check.failures.size(), {}};
  for (const OpFailure& failure : check.failures) {
    if (report.failures.size() == failures_told) break;
    const std::string origin = origins.text(failure.op->id);
    report.failures.push_back(fmt::format("operation {}, {}, {}: {}", failure.op->id,
                                          origin.empty() ? name_of(computed_kind(*failure.op)) : origin, describe(*failure.op),
                                          mismatch_text(failure.op->outputs[0].shape, failure.comparison)));
  }
  return report;
}

}  // namespace kernbench
