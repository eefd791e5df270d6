// Verification of the results of phase 2: every output against the bench's reference (spec 9).
#pragma once

#include <vector>

#include "platform/observe/op_origins.h"
#include "platform/phase2/data_executor.h"
#include "platform/phase2/verify.h"
#include "sc_main/run_report.h"
#include "sw/runtime/expectation.h"

namespace kernbench {

// Images of the outputs to be verified.
std::vector<ByteImage> outputs_of(const std::vector<Expectation>& expectations);
// Whether the program reports the number of wrong elements, also without requested verdicts.
bool counts_wrong_elements(const std::vector<Expectation>& expectations);
// `executor` has computed the recorded operations. On a stop request throws StoppedError, which
// reports the progress.
std::vector<VerdictReport> verify(const DataExecutor& executor,
                                  const std::vector<Expectation>& expectations,
                                  const StopQuestion& stop);

// Verification of every computed operation against a separate reference, from its actual inputs:
// operations released during the simulation before their release, the others at the end.
class OperationsVerification {
 public:
  OperationsVerification(FunctionalModel& functional_model, DataExecutor& executor,
                         StopQuestion stop);
  // Report over operations available after phase 2 and operations released before. StoppedError on
  // a stop request, also on an earlier one.
  OperationsReport report(const OpOrigins& origins);

 private:
  void check(const std::vector<DataOpPtr>& ops);

  FunctionalModel& functional_model_;
  DataExecutor& executor_;
  StopQuestion stop_;
  OpCheck done_;
  std::string stopped_;
};

}  // namespace kernbench
