// Resolution of the parameters of one component: what the user gave, facts of the machine,
// defaults.
#pragma once

#include <map>
#include <vector>

#include "platform/config/key_visitor.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

class ComponentResolver {
 public:
  // Both outlive it.
  ComponentResolver(const MachineSpec& machine, const MachineFaults& faults);

  // The component of an entry whose implementation is known; `row`: its place in the machine.
  ComponentSpec resolve(const ComponentEntry& entry, const ComponentRow& row,
                        std::vector<ConfigIssue>& issues) const;
  // The same component with the attributes of the entry in the place of its own.
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

// The rows of the machine's components; hbm_channel has that of the router.
std::map<const ComponentSpec*, ComponentRow> rows_of_components(MachineSpec& machine);

}  // namespace kernbench
