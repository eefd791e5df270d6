// Relations between the cases of `probe` that hold on any sound machine (ADR-0049 D5), by the times
// simulated at 32 KiB.
#pragma once

#include <string>
#include <vector>

#include "platform/probe/probe_run.h"

namespace kernbench {

enum class Verdict { pass, fail, skipped };
const char* name_of(Verdict verdict);

struct ProbeCheck {
  std::string rule;  // "H2D rises with hops"
  Verdict verdict = Verdict::skipped;
  std::string detail;  // the times compared, or the reason for skipping
};

// Returns the same checks in the same order for any outcomes. A check is skipped if an operand is
// missing.
std::vector<ProbeCheck> check_probes(const std::vector<ProbeOutcome>& outcomes);

// "[v] PASS  rule: detail" per line; "[x] FAIL", "[-] SKIP".
std::string checks_text(const std::vector<ProbeCheck>& checks);

}  // namespace kernbench
