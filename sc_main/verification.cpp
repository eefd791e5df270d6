#include "sc_main/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/phase2/verify.h"
#include "sc_main/output_verification.h"

namespace kernbench {
namespace {

constexpr std::size_t most_failures_listed = 10;

VerdictReport verdict_on(const Expectation& expectation, const DataExecutor& executor,
                         const StopQuestion& stop) {
  const OutputVerification verification = verify_output(expectation, executor, stop);
  const Comparison& comparison = verification.comparison;
  if (!comparison.ok) return {expectation.name, false, failure_text(expectation, verification)};
  return {expectation.name, true,
          fmt::format("tensor '{}' {} {}: {} elements agree, largest error {:g}", expectation.name,
                      expectation.shape.str(), name_of(expectation.dtype), comparison.elements,
                      comparison.largest_abs_error)};
}

}  // namespace

std::vector<ByteImage> outputs_of(const std::vector<Expectation>& expectations) {
  std::vector<ByteImage> outputs;
  for (const Expectation& expectation : expectations) {
    for (const ExpectedBlock& block : expectation.blocks) {
      outputs.push_back(block.value.image);
      for (const TensorValue& value : block.more) outputs.push_back(value.image);
    }
  }
  return outputs;
}

bool counts_wrong_elements(const std::vector<Expectation>& expectations) {
  return std::any_of(expectations.begin(), expectations.end(),
                     [](const Expectation& each) { return each.wrong != nullptr; });
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

OperationsVerification::OperationsVerification(FunctionalModel& functional_model,
                                               DataExecutor& executor, StopQuestion stop)
    : functional_model_(functional_model), executor_(executor), stop_(std::move(stop)) {
  executor_.check_computed([this](const std::vector<DataOpPtr>& ops) {
    try {
      check(ops);
    } catch (const StoppedError& error) {  // the simulation ends by itself
      stopped_ = error.what();
    }
  });
}

void OperationsVerification::check(const std::vector<DataOpPtr>& ops) {
  done_ += check_ops(
      ops, [this](ValueId id) { return executor_.computed(id); }, executor_.threads(), stop_);
}

OperationsReport OperationsVerification::report(const OpOrigins& origins) {
  if (!stopped_.empty()) throw StoppedError(stopped_);
  check(functional_model_.ops());
  OperationsReport report{done_.summary(), done_.total(), done_.failures.size(), {}};
  for (const OpFailure& failure : done_.failures) {
    if (report.failures.size() == most_failures_listed) break;
    const std::string origin = origins.text(failure.op->id);
    report.failures.push_back(fmt::format(
        "operation {}, {}, {}: {}", failure.op->id,
        origin.empty() ? name_of(computed_kind(*failure.op)) : origin, describe(*failure.op),
        mismatch_text(failure.op->outputs[0].shape, failure.comparison)));
  }
  return report;
}

}  // namespace kernbench
