// Implementation name -> factory and declared parameters. Created by the program, filled by a plain function.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component.h"

namespace kernbench {

struct Implementation {
  std::string name;         // "builtin.hbm_ctrl"
  std::string description;  // one line, for `list components`
  ParameterSchema schema;
  std::function<std::unique_ptr<Component>(const ComponentInit&)> create;
};

class ComponentRegistry {
 public:
  void add(Implementation implementation);  // throws UsageError on a duplicate name
  // A second name for what is registered already (components.yaml: implementation name -> factory).
  void add_alias(const std::string& alias, const std::string& name);
  const Implementation* find(std::string_view name) const;  // null if unknown
  std::vector<const Implementation*> list() const;          // sorted by name

 private:
  std::map<std::string, Implementation, std::less<>> implementations_;
};

// For a class with `static constexpr const char* description` and `static ParameterSchema schema()` and a constructor from
// ComponentInit.
template <class T>
Implementation implementation_of(std::string name) {
  return {std::move(name), T::description, T::schema(), [](const ComponentInit& init) { return make_component<T>(init); }};
}

}  // namespace kernbench
