// Points of a plan: the product of its groups of axes, or a sample of it, without those that its
// condition leaves out. Points are in the order of nested loops, the first axis outermost; sampled
// points in the order of their draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/sweep/sweep_plan.h"

namespace kernbench {

class SweepPoints {
 public:
  // Throws UsageError for more than `most` points before the condition, without enumerating them;
  // for a condition that is no valid SQL or leaves nothing; for a sample of more points than there
  // are. `plan` outlives this object. At most `kept` points are enumerated: for a list of the first
  // ones of a billion.
  SweepPoints(const SweepPlan& plan, std::uint64_t most, std::uint64_t kept = UINT64_MAX);

  // Whether all points are here. Else total() is the number before the condition.
  bool is_complete() const { return complete_; }
  std::uint64_t total() const { return complete_ ? size() : total_; }

  std::size_t size() const { return plan_.groups.empty() ? 0 : digits_.size() / groups(); }
  // Value of each axis, for a point from 0.
  std::vector<std::string> axis_values(std::size_t point) const;

 private:
  using Digits = std::vector<std::uint32_t>;  // index of the value, for each group

  std::size_t groups() const { return plan_.groups.size(); }
  std::uint64_t length(std::size_t group) const;  // values of a group; 0: drawn
  void check_count(std::uint64_t most);
  std::vector<std::string> values_of(const std::uint32_t* digits) const;
  std::uint32_t index_of_drawn(std::size_t group, double share);

  void enumerate();
  void draw_randomly();
  void draw_latin_hypercube();
  void keep(const Digits& digits) { digits_.insert(digits_.end(), digits.begin(), digits.end()); }
  // Whether no further point is enumerated, after this number of candidates.
  bool is_enough(std::uint64_t candidates);

  class Condition;

  const SweepPlan& plan_;
  std::vector<std::vector<std::string>> drawn_;  // values of drawn axes, by group
  std::vector<std::map<std::string, std::uint32_t>> drawn_index_;
  Digits digits_;  // digits of each point
  std::uint64_t kept_ = UINT64_MAX, total_ = 0;
  bool complete_ = true;
};

}  // namespace kernbench
