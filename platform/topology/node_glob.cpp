#include "platform/topology/node_glob.h"

#include <fnmatch.h>

namespace kernbench {
namespace {

constexpr const char* any_steps = "**";

std::vector<std::string> steps_of(std::string_view name) {
  std::vector<std::string> steps(1);
  for (const char c : name) {
    if (c == '.') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

using Step = std::vector<std::string>::const_iterator;

bool match(Step pattern, Step pattern_end, Step name, Step name_end) {
  for (; pattern != pattern_end; ++pattern, ++name) {
    if (*pattern == any_steps) {
      while (pattern != pattern_end && *pattern == any_steps) ++pattern;
      for (; name != name_end; ++name) {
        if (match(pattern, pattern_end, name, name_end)) return true;
      }
      return pattern == pattern_end;
    }
    if (name == name_end || ::fnmatch(pattern->c_str(), name->c_str(), FNM_NOESCAPE) != 0)
      return false;
  }
  return name == name_end;
}

}  // namespace

NodeGlob::NodeGlob(const std::string& pattern)
    : pattern_(pattern), literal_(pattern.substr(0, pattern.find_first_of("*?["))),
      steps_(steps_of(pattern)) {
  // `**` may stand for nothing, and the dot before it then too.
  const bool may_end_here = pattern_.compare(literal_.size(), 2, any_steps) == 0;
  if (may_end_here && !literal_.empty() && literal_.back() == '.') literal_.pop_back();
}

bool NodeGlob::matches(std::string_view name) const {
  if (is_literal()) return name == pattern_;
  const std::vector<std::string> steps = steps_of(name);
  return match(steps_.begin(), steps_.end(), steps.begin(), steps.end());
}

}  // namespace kernbench
