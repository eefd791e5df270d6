#include "sc_main/verification.h"

#include <fmt/format.h>

#include "platform/phase2/op_check.h"
#include "platform/phase2/verify.h"
#include "sc_main/judgement.h"

namespace kernbench {
namespace {

constexpr std::size_t failures_told = 10;

VerdictReport verdict_on(const Expectation& expectation, const DataExecutor& executor,
                         const StopQuestion& stop) {
  const Judgement judgement = judge(expectation, executor, stop);
  const Comparison& comparison = judgement.comparison;
  if (!comparison.ok) return {expectation.name, false, failure_text(expectation, judgement)};
  return {expectation.name, true,
          fmt::format("tensor '{}' {} {}: {} elements agree, largest error {:g}", expectation.name,
                      expectation.shape.str(), name_of(expectation.dtype), comparison.elements,
                      comparison.largest_abs_error)};
}

}  // namespace

std::vector<ByteImage> outputs_of(const std::vector<Expectation>& expectations) {
  std::vector<ByteImage> outputs;
  for (const Expectation& expectation : expectations) {
    for (const ExpectedBlock& block : expectation.blocks) outputs.push_back(block.value.image);
  }
  return outputs;
}

std::vector<VerdictReport> verify(const DataExecutor& executor,
                                  const std::vector<Expectation>& expectations,
                                  const StopQuestion& stop) {
  std::vector<VerdictReport> verdicts;
  for (const Expectation& expectation : expectations) {
    try {
      verdicts.push_back(verdict_on(expectation, executor, stop));
    } catch (const StoppedError&) {
      throw StoppedError(
          fmt::format("{} of {} outputs compared", verdicts.size(), expectations.size()));
    }
  }
  return verdicts;
}

OperationsReport verify_operations(const FunctionalModel& functional_model,
                                   const DataExecutor& executor, const OpOrigins& origins,
                                   unsigned threads, const StopQuestion& stop) {
  const OpCheck check = check_ops(
      functional_model.ops(), [&executor](ValueId id) { return executor.computed(id); }, threads,
      stop);
  OperationsReport report{check.summary(), check.total(), check.failures.size(), {}};
  for (const OpFailure& failure : check.failures) {
    if (report.failures.size() == failures_told) break;
    const std::string origin = origins.text(failure.op->id);
    report.failures.push_back(fmt::format(
        "operation {}, {}, {}: {}", failure.op->id,
        origin.empty() ? name_of(computed_kind(*failure.op)) : origin, describe(*failure.op),
        mismatch_text(failure.op->outputs[0].shape, failure.comparison)));
  }
  return report;
}

}  // namespace kernbench
