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
// The program reports how many elements are wrong, also where nobody asks for verdicts.
bool counts_wrong_elements(const std::vector<Expectation>& expectations);
// `executor` has computed what was recorded. On a stop request: StoppedError, which says how far it
// came.
std::vector<VerdictReport> verify(const DataExecutor& executor,
                                  const std::vector<Expectation>& expectations,
                                  const StopQuestion& stop);

// Every computed operation against a reference of its own, from its inputs as they are: those that
// go while the simulation runs, before they go, and the others at the end.
class OperationsVerification {
 public:
  OperationsVerification(FunctionalModel& functional_model, DataExecutor& executor,
                         StopQuestion stop);
  // Of what is there behind phase 2, and of what has gone. StoppedError on a stop request, also on
  // one that came before.
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
