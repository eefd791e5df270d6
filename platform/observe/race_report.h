// The races that a run has found, for its report (`--check-races`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

class FunctionalModel;

struct RaceReport {
  std::vector<std::string> texts;  // one for each two calls that race
  std::uint64_t pairs = 0;         // of accesses
};

// None: they have not been looked for.
std::optional<RaceReport> race_report(const FunctionalModel& data);

}  // namespace kernbench
