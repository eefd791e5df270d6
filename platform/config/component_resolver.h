// Resolution of the parameters of one component: user values, facts of the machine, defaults.
#pragma once

#include <map>
#include <vector>

#include "platform/config/key_visitor.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

class ComponentResolver {
 public:
  // Both arguments outlive it.
  ComponentResolver(const MachineSpec& machine, const MachineFaults& faults);

  // Component of an entry whose implementation is known. `row`: its position in the machine.
  ComponentSpec resolve(const ComponentEntry& entry, const ComponentRow& row,
                        std::vector<ConfigIssue>& issues) const;
  // Returns the component with the attributes of the entry replacing its own.
  ComponentSpec with_given(const ComponentSpec& component, const ComponentEntry& entry,
                           std::vector<ConfigIssue>& issues) const;

 private:
  void resolve(const Parameter& parameter, const ComponentRow& row, const ComponentEntry& entry,
               ComponentSpec& spec, std::vector<ConfigIssue>& issues) const;
  void take_fact(ComponentSpec& spec, const Parameter& parameter, const std::string& key,
                 const ComponentEntry& entry, std::vector<ConfigIssue>& issues) const;
  void ask(const ComponentEntry& entry, const ComponentSpec& spec,
           std::vector<ConfigIssue>& issues) const;
  const void* fact_for(const Parameter& parameter, const ComponentRow& row) const;

  std::vector<MachineFact> facts_;
  const MachineFaults& faults_;
};

// Rows of the machine's components; hbm_channel uses the row of the router.
std::map<const ComponentSpec*, ComponentRow> rows_of_components(MachineSpec& machine);

}  // namespace kernbench
