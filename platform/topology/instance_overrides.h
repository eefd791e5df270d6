// Settings of single instances from the list `overrides`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

// Pattern of node names. A name is a list of steps separated by dots: `*`, `?` and `[0-3]` match
// characters of one step; `**` as a step of its own matches any number of steps, including none.
class NodeGlob {
 public:
  explicit NodeGlob(const std::string& pattern);

  bool is_literal() const { return literal_.size() == pattern_.size(); }
  bool matches(std::string_view name) const;
  // Prefix of every matching name.
  const std::string& literal_prefix() const { return literal_; }

 private:
  std::string pattern_, literal_;
  std::vector<std::string> steps_;
};

// Fills in MachineSpec::instances. Except for `overrides` the machine is complete and valid. Faults
// of the overrides are added to the faults.
void apply_overrides(MachineSpec& machine, const ComponentRegistry& registry,
                     MachineFaults& faults);

}  // namespace kernbench
