#include "models/base/component_registry.h"

#include "models/base/errors.h"

namespace kernbench {

void ComponentRegistry::add(Implementation implementation) {
  const std::string name = implementation.name;
  if (!implementations_.emplace(name, std::move(implementation)).second) {
    throw UsageError("component implementation '" + name + "' is registered twice");
  }
}

void ComponentRegistry::add_alias(const std::string& alias, const std::string& name) {
  const Implementation* target = find(name);
  if (target == nullptr) throw UsageError("component implementation '" + name + "' is not known");
  Implementation copy = *target;
  copy.name = alias;
  add(std::move(copy));
}

const Implementation* ComponentRegistry::find(std::string_view name) const {
  const auto found = implementations_.find(name);
  return found == implementations_.end() ? nullptr : &found->second;
}

std::vector<const Implementation*> ComponentRegistry::list() const {
  std::vector<const Implementation*> all;
  for (const auto& entry : implementations_) all.push_back(&entry.second);
  return all;
}

}  // namespace kernbench
