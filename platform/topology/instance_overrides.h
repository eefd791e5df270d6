// Single instances with the settings of the list `overrides`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

// Patterns of node names. A name is a list of steps with dots between: `*`, `?` and `[0-3]` stand
// for characters of one step, `**` as a step of its own for any number of steps, also none.
class NodeGlob {
 public:
  explicit NodeGlob(const std::string& pattern);

  bool is_literal() const { return literal_.size() == pattern_.size(); }
  bool matches(std::string_view name) const;
  // Prefix of every name that it matches.
  const std::string& literal_prefix() const { return literal_; }

 private:
  std::string pattern_, literal_;
  std::vector<std::string> steps_;
};

// Fills in MachineSpec::instances. The machine is complete and sound but for `overrides`; what is
// wrong with these is added to the faults.
void apply_overrides(MachineSpec& machine, const ComponentRegistry& registry,
                     MachineFaults& faults);

}  // namespace kernbench
