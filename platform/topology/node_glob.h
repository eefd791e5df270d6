// Patterns of node names. A name is a list of steps with dots between: `*`, `?` and `[0-3]` stand
// for characters of one step, `**` as a step of its own for any number of steps, also none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

class NodeGlob {
 public:
  explicit NodeGlob(const std::string& pattern);

  bool is_literal() const { return literal_.size() == pattern_.size(); }
  bool matches(std::string_view name) const;
  // What every name that it matches begins with.
  const std::string& literal_prefix() const { return literal_; }

 private:
  std::string pattern_, literal_;
  std::vector<std::string> steps_;
};

}  // namespace kernbench
