#include "platform/report/option_values.h"

#include <map>
#include <utility>

namespace kernbench {
namespace {

std::map<const CLI::Option*, CompletionValues>& declared_values() {
  static std::map<const CLI::Option*, CompletionValues> values;
  return values;
}

}  // namespace

Candidates candidates_of(const std::vector<std::string>& words) {
  Candidates candidates;
  for (const std::string& word : words) candidates.push_back({word});
  return candidates;
}

CLI::Option* completes(CLI::Option* option, CompletionValues values) {
  declared_values()[option] = std::move(values);
  return option;
}

const CompletionValues* completion_values_of(const CLI::Option& option) {
  const auto found = declared_values().find(&option);
  return found == declared_values().end() ? nullptr : &found->second;
}

}  // namespace kernbench
