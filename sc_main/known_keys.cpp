#include "sc_main/known_keys.h"

#include "platform/config/machine_keys.h"
#include "sc_main/ccl_file.h"

namespace kernbench {
namespace {

class MachineKeyLister final : public KeyVisitor {
 public:
  explicit MachineKeyLister(const ComponentRegistry& registry) : registry_(registry) {}

  std::vector<KnownKey> keys;

 private:
  void on_value(const KeyRow& row, const Parameter& parameter,
                const ParameterMember& member) override {
    const std::optional<ParameterValue> value = member.value();
    if (row.is_written && value) keys.push_back({path(), parameter, *value});
  }
  void on_component(const ComponentRow& row, ComponentSpec& spec) override {
    const Implementation* implementation = registry_.find(spec.impl);
    keys.push_back({path() + ".impl",
                    Parameter::choice("impl", "implementation", names_for(row.role), ""),
                    implementation->factory});
    for (const Parameter& parameter : implementation->schema) {
      const auto value = spec.attributes.values().find(parameter.name());
      if (!parameter.is_from_machine() && value != spec.attributes.values().end())
        keys.push_back({path() + ".attrs." + parameter.name(), parameter, value->second});
    }
  }
  // Implementations for the role, without aliases.
  std::vector<std::string> names_for(Role role) const {
    std::vector<std::string> names;
    for (const std::string& name : registry_.names_for(role)) {
      const Implementation* each = registry_.find(name);
      if (each->factory == name && each->unavailable.empty()) names.push_back(name);
    }
    return names;
  }

  const ComponentRegistry& registry_;
};

}  // namespace

std::vector<KnownKey> topology_keys(MachineSpec& machine, const ComponentRegistry& registry) {
  MachineKeyLister lister(registry);
  visit_keys(lister, machine);
  return std::move(lister.keys);
}

std::vector<KnownKey> ccl_keys(const CclFile& file, const AlgorithmRegistry& algorithms) {
  std::vector<KnownKey> keys;
  const ConfigSchema schema = ccl_schema(algorithms);
  const std::string section = "defaults.";
  for (const ConfigKey& key : schema.keys()) {
    if (key.kind != ConfigKey::Kind::value || key.path.compare(0, section.size(), section) != 0)
      continue;
    const std::string name = key.path.substr(section.size());
    const auto given = file.defaults.values().find(name);
    std::optional<ParameterValue> value = key.value->default_value();
    if (given != file.defaults.values().end()) value = given->second;
    if (name == "algorithm") value = file.algorithm;
    if (value) keys.push_back({"ccl:" + key.path, *key.value, *value});
  }
  return keys;
}

}  // namespace kernbench
