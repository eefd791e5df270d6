#include "sw/distributed/spawn_error.h"

#include <fmt/format.h>

#include <vector>

#include "models/base/alike_texts.h"
#include "models/base/exception_text.h"

namespace kernbench {
namespace {

std::string listed(const std::map<int, std::exception_ptr>& causes) {
  std::vector<std::string> ranks, texts;
  for (const auto& [rank, cause] : causes) {
    ranks.push_back(std::to_string(rank));
    texts.push_back(text_of(cause));
  }
  std::string text =
      causes.size() == 1 ? "a rank has failed" : fmt::format("{} ranks have failed", causes.size());
  for (const std::vector<std::size_t>& alike : group_alike(texts)) {
    std::vector<std::string> members;
    for (const std::size_t i : alike) members.push_back(ranks[i]);
    text += members.size() == 1
                ? fmt::format("\n  rank {}: {}", members.front(), texts[alike.front()])
                : fmt::format("\n  {} ranks alike, {}; rank {}: {}", members.size(),
                              first_of(members), members.front(), texts[alike.front()]);
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
