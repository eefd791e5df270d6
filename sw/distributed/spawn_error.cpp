#include "sw/distributed/spawn_error.h"

#include <fmt/format.h>

#include "models/base/exception_text.h"

namespace kernbench {
namespace {

std::string listed(const std::map<int, std::exception_ptr>& causes) {
  std::string text =
      causes.size() == 1 ? "a rank has failed" : fmt::format("{} ranks have failed", causes.size());
  for (const auto& [rank, cause] : causes)
    text += fmt::format("\n  rank {}: {}", rank, text_of(cause));
  return text;
}

}  // namespace

SpawnError::SpawnError(std::map<int, std::exception_ptr> causes)
    : Error(listed(causes)), causes_(std::move(causes)) {}

int SpawnError::exit_status() const {
  for (const auto& entry : causes_) {
    if (exit_status_of(entry.second) != exit_usage) return exit_failed;
  }
  return exit_usage;
}

}  // namespace kernbench
