#include "models/base/component_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

bool Implementation::may_stand_at(Role role) const {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

void ComponentRegistry::add(Implementation implementation) {
  const std::string name = implementation.name;
  if (implementation.factory.empty()) implementation.factory = name;
  if (!implementations_.emplace(name, std::move(implementation)).second) {
    throw UsageError(fmt::format("component implementation '{}' is registered twice", name));
  }
}

void ComponentRegistry::add_alias(const std::string& alias, const std::string& name) {
  const Implementation* target = find(name);
  if (target == nullptr)
    throw UsageError(fmt::format("component implementation '{}' is not known", name));
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
  for (const auto& entry : implementations_) {
    if (entry.second.unavailable.empty()) all.push_back(&entry.second);
  }
  return all;
}

std::vector<std::string> ComponentRegistry::names_for(Role role) const {
  std::vector<std::string> names;
  for (const auto& [name, implementation] : implementations_) {
    if (implementation.may_stand_at(role) && implementation.unavailable.empty())
      names.push_back(name);
  }
  return names;
}

}  // namespace kernbench
