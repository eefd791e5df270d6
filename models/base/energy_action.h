// EnergyAction: a statistic of a component of which each count, or byte, costs energy (spec 11.8).
// A member of the component:
//
//   EnergyAction walks_{*this, "tlb_misses"};
//
// The energy table has its entry below the component's role; without one the energy report lists
// the action as unknown.
#pragma once

#include <string>
#include <systemc>

namespace kernbench {

// An attribute of the module, so that components without one take no memory.
class EnergyAction final : public sc_core::sc_attr_base {
 public:
  // `statistic`: declared by the component, a count or bytes.
  EnergyAction(sc_core::sc_object& component, const std::string& statistic)
      : sc_attr_base(name_of(statistic)) {
    component.add_attribute(*this);
  }
  EnergyAction(const EnergyAction&) = delete;
  EnergyAction& operator=(const EnergyAction&) = delete;

  static bool is_marked(const sc_core::sc_object& component, const std::string& statistic) {
    return component.get_attribute(name_of(statistic)) != nullptr;
  }

 private:
  static std::string name_of(const std::string& statistic) { return "energy action " + statistic; }
};

}  // namespace kernbench
