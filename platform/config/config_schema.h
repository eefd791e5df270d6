// Declared schema for a configuration file, and the check of a file against it.
//
// The schema is a table of keys. `*` in a path represents every element of a list, or any key of a
// section with free keys. A fault never stops the check: all faults are collected, and valid values
// can still be read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/config_tree.h"

namespace kernbench {

struct ConfigKey {
  enum class Kind : std::uint8_t {
    section,    // keys below it
    list,       // elements below it (`path.*`)
    value,      // number, boolean or choice: `value` holds type, unit, range and default
    name,       // a word of letters, digits, '_' and '-'
    text,       // any text
    component,  // {impl: NAME, attrs: {...}}, checked against the implementation's declared
                // parameters
    attributes  // {NAME: VALUE, ...} of components that are not known yet
  };
  std::string path;  // "sip.io_chiplets.*.side"
  Kind kind = Kind::section;
  std::string description;
  bool required = true;  // a value with a default is never required
  std::optional<Parameter> value;
  std::size_t least_items = 0, most_items = 4096;  // lists
  std::optional<Role> role = {};  // components: the role that an implementation must have
  std::string family = {};  // common name of similar keys of the section, in the key reference

  static ConfigKey of(Kind kind, std::string path, std::string description, bool required = true);
  static ConfigKey of_list(std::string path, std::string description, std::size_t least,
                           std::size_t most, bool required = true);
  // Key with the description of the parameter.
  static ConfigKey of_value(std::string path, Parameter parameter, bool required = true);
  static ConfigKey of_component(std::string path, std::string description, Role role,
                                bool required = true);
  std::string allowed() const;  // "a section", "an integer, 1 to 16 (B)": for messages
};

class ConfigSchema {
 public:
  explicit ConfigSchema(std::vector<ConfigKey> keys);
  const std::vector<ConfigKey>& keys() const { return keys_; }
  const ConfigKey* find(const std::string& pattern) const;
  std::vector<const ConfigKey*> below(
      const std::string& pattern) const;  // one level down, in table order; "" = top

 private:
  std::vector<ConfigKey> keys_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::vector<std::size_t>> children_;
};

// Component entry as written: the implementation found, and the attributes that the user gave.
struct ComponentEntry {
  std::string path;
  ConfigLocation place;
  const Implementation* implementation = nullptr;  // null: faulty and already reported
  Attributes given;
  std::map<std::string, ConfigLocation> given_at;
  std::vector<std::string> refused;  // attributes that were given but are faulty; already reported

  ConfigLocation place_of(
      const std::string& attribute) const;  // place of the entry if the attribute was not given
  // Place of the given attribute that a fault is about: one that `fault` names, those of --set
  // before those of a file; of the entry if none of them was given.
  ConfigLocation place_of(const ParameterFault& fault) const;
};

// Valid values of a file, by concrete path ("sip.io_chiplets.0.side"). A value missing here was
// absent or faulty.
class ResolvedConfig {
 public:
  const ParameterValue* value(const std::string& path) const;
  const Rational* number(const std::string& path) const;
  const std::string* text(const std::string& path) const;
  std::size_t items(const std::string& path) const;  // length of a list; 0 if absent
  bool has(const std::string& path) const {
    return places_.find(path) != places_.end();
  }  // the file has this key, valid or not
  std::vector<std::string> keys(
      const std::string& path) const;  // keys of a section with free keys, in file order
  const ComponentEntry* component(const std::string& path) const;
  const ConfigNode* attributes(
      const std::string& path) const;  // attributes as written; null if absent
  const std::map<std::string, ComponentEntry>& components() const { return components_; }
  ConfigLocation place(const std::string& path)
      const;  // place of the value, or of the nearest enclosing section that exists

 private:
  friend class SchemaCheck;
  std::map<std::string, ParameterValue> values_;
  std::map<std::string, std::size_t> lists_;
  std::map<std::string, std::vector<std::string>> free_keys_;
  std::map<std::string, ComponentEntry> components_;
  std::map<std::string, ConfigNode> attributes_;
  std::map<std::string, ConfigLocation> places_;
};

// `registry` is needed only for schemas with components.
ResolvedConfig check_config(const ConfigNode& root, const ConfigSchema& schema,
                            const ComponentRegistry* registry, std::vector<ConfigIssue>& issues);

// Returns the implementation that `impl` names if it suits `role`, else null and an issue.
const Implementation* find_implementation(const ConfigNode& impl, const std::string& path,
                                          Role role, const ComponentRegistry& registry,
                                          std::vector<ConfigIssue>& issues);
// Reads the attributes of an entry whose implementation is known; `attrs` is a section.
void check_attributes(const ConfigNode& attrs, const ComponentRegistry& registry,
                      ComponentEntry& component, std::vector<ConfigIssue>& issues);

// Checks the implementation's name, its role and the attributes of one entry; `node` is a section.
ComponentEntry check_component(const ConfigNode& node, const std::string& path, Role role,
                               const ComponentRegistry& registry, std::vector<ConfigIssue>& issues);

}  // namespace kernbench
