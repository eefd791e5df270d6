#include "sw/distributed/spawn_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/base/exception_text.h"
#include "models/base/group_similar_messages.h"
#include "models/protocol/host_messages.h"

namespace kernbench {
namespace {

std::string listed(const std::map<int, std::exception_ptr>& causes) {
  std::vector<std::string> ranks, texts;
  std::vector<bool> is_root_cause;
  for (const auto& [rank, cause] : causes) {
    ranks.push_back(std::to_string(rank));
    texts.push_back(text_of(cause));
    is_root_cause.push_back(Completion::is_root_cause(code_of(cause)));
  }
  std::string text =
      causes.size() == 1 ? "a rank has failed" : fmt::format("{} ranks have failed", causes.size());
  // Root causes first.
  std::vector<std::vector<std::size_t>> groups = group_similar_messages(texts);
  std::stable_partition(groups.begin(), groups.end(),
                        [&](const auto& alike) { return is_root_cause[alike.front()]; });
  for (const std::vector<std::size_t>& alike : groups) {
    const std::string &first = ranks[alike.front()], &its_text = texts[alike.front()];
    text += alike.size() == 1 ? fmt::format("\n  rank {}: {}", first, its_text)
                              : fmt::format("\n  {} ranks alike, {}; rank {}: {}", alike.size(),
                                            first_of(alike, ranks), first, its_text);
  }
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
