// Registry of implementations: name -> factory and declared parameters. Created by the program,
// filled by a plain function.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component.h"
#include "models/base/parameter_set.h"

namespace kernbench {

struct Implementation {
  std::string name;         // "builtin.hbm_ctrl"
  std::string description;  // one line, for `list components`
  Roles roles;              // roles it can take
  ParameterSchema schema;
  std::function<std::unique_ptr<Component>(const ComponentInit&)> create;
  // Check of the resolved parameters of one instance, before elaboration; may be empty.
  std::function<std::optional<ParameterFault>(const Attributes&)> check = {};
  std::string factory =
      {};  // the name under which it was registered first; an alias has another name
  // Computes values of operations itself: a run with data is eager (spec 9).
  bool computes_values = false;
  // Reason why this build cannot create it; such an implementation exists for messages only. Empty:
  // available.
  std::string unavailable = {};

  bool may_stand_at(Role role) const;
};

class ComponentRegistry {
 public:
  void add(Implementation implementation);  // throws UsageError on a duplicate name
  // A second name of a registered implementation (components.yaml: implementation name -> factory).
  void add_alias(const std::string& alias, const std::string& name);
  const Implementation* find(std::string_view name) const;  // null if unknown
  std::vector<const Implementation*> list() const;          // sorted by name
  // Sorted names of the implementations that can take the role.
  std::vector<std::string> names_for(Role role) const;

 private:
  std::map<std::string, Implementation, std::less<>> implementations_;
};

template <class T, class = void>
struct CheckOf {
  static constexpr std::nullptr_t check = nullptr;
};
template <class T>
struct CheckOf<T, std::void_t<decltype(T::check(std::declval<const typename T::Parameters&>()))>> {
  static std::optional<ParameterFault> check(const Attributes& attributes) {
    return T::check(typename T::Parameters(attributes));
  }
};

template <class T, class = void>
struct ComputesValues : std::false_type {};
template <class T>
struct ComputesValues<T, std::void_t<decltype(T::computes_values)>>
    : std::bool_constant<T::computes_values> {};

// Implementation of a class with `static constexpr const char* description`, `static constexpr
// std::array roles{Role::...}`, a struct `Parameters` (models/base/parameter_set.h), a constructor
// from ComponentInit, and, where values have to suit each other, `static
// std::optional<ParameterFault> check(const Parameters&)`. `static constexpr bool computes_values =
// true`: see Implementation.
template <class T>
Implementation implementation_of(std::string name) {
  return {std::move(name),
          T::description,
          Roles(T::roles.begin(), T::roles.end()),
          schema_of<typename T::Parameters>(),
          [](const ComponentInit& init) { return make_component<T>(init); },
          CheckOf<T>::check,
          {},
          ComputesValues<T>::value};
}

}  // namespace kernbench
