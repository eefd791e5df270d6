// One component entry of a configuration: {impl: NAME, attrs: {...}}.
#include <stdexcept>

#include "platform/topology/config_schema.h"
#include "platform/topology/nearest_name.h"

namespace kernbench {
namespace {

const Parameter* find_parameter(const ParameterSchema& schema, const std::string& name) {
  for (const Parameter& parameter : schema) {
    if (parameter.name() == name) return &parameter;
  }
  return nullptr;
}

std::vector<std::string> names_of(const ComponentRegistry& registry) {
  std::vector<std::string> names;
  for (const Implementation* implementation : registry.list()) names.push_back(implementation->name);
  return names;
}

void check_attribute(const ConfigEntry& entry, ComponentEntry& component, std::vector<ConfigIssue>& issues) {
  const std::string path = component.path + ".attrs." + entry.key;
  const Parameter* parameter = find_parameter(component.implementation->schema, entry.key);
  const auto refuse = [&](const ConfigPlace& place, std::string message) {
    component.refused.push_back(entry.key);
    issues.push_back(issue_at(place, path, std::move(message)));
  };
  if (parameter == nullptr) {
    std::vector<std::string> known;
    std::string all;
    for (const Parameter& candidate : component.implementation->schema) {
      if (candidate.is_from_machine()) continue;
      known.push_back(candidate.name());
      all += (all.empty() ? "" : ", ") + candidate.name();
    }
    return refuse(entry.place, "unknown attribute of " + component.implementation->name + did_you_mean(entry.key, known) +
                                   "; it knows " + (all.empty() ? "none" : all));
  }
  if (parameter->is_from_machine()) {
    return refuse(entry.place, "found " + entry.value.described() +
                                   ", but this is a fact of the machine that the topology fills in; leave it out");
  }
  const bool quoted_number = entry.value.quoted && parameter->type() != Parameter::Type::choice;
  if (entry.value.kind != ConfigNode::Kind::scalar || quoted_number) {
    return refuse(entry.value.place, "found " + entry.value.described() + ", allowed is " + parameter->allowed());
  }
  try {
    component.given.set(entry.key, parameter->parse(entry.value.text));
  } catch (const std::exception& error) {
    refuse(entry.value.place, error.what() + did_you_mean(entry.value.text, parameter->choices()));
  }
}

}  // namespace

ComponentEntry check_component(const ConfigNode& node, const std::string& path, const ComponentRegistry& registry,
                               std::vector<ConfigIssue>& issues) {
  ComponentEntry component;
  component.path = path;
  component.place = node.place;
  const ConfigNode* attrs = nullptr;
  for (const ConfigEntry& entry : node.entries) {
    if (entry.key == "attrs") {
      attrs = &entry.value;
    } else if (entry.key != "impl") {
      issues.push_back(issue_at(entry.place, path + '.' + entry.key,
                                "unknown key" + did_you_mean(entry.key, {"impl", "attrs"}) + "; known here: impl, attrs"));
    }
  }
  const ConfigNode* impl = node.find("impl");
  if (impl == nullptr) {
    issues.push_back(issue_at(node.place, path + ".impl", "the key is missing; allowed is the name of an implementation"));
  } else if (impl->kind != ConfigNode::Kind::scalar) {
    issues.push_back(
        issue_at(impl->place, path + ".impl", "found " + impl->described() + ", allowed is the name of an implementation"));
  } else {
    component.implementation = registry.find(impl->text);
    if (component.implementation == nullptr) {
      issues.push_back(
          issue_at(impl->place, path + ".impl",
                   "found '" + impl->text + "', allowed is a known implementation" + did_you_mean(impl->text, names_of(registry))));
    }
  }
  if (attrs == nullptr || attrs->kind == ConfigNode::Kind::null) return component;
  if (attrs->kind != ConfigNode::Kind::map) {
    issues.push_back(issue_at(attrs->place, path + ".attrs", "found " + attrs->described() + ", allowed is a section"));
  } else if (component.implementation != nullptr) {
    for (const ConfigEntry& entry : attrs->entries) check_attribute(entry, component, issues);
  }
  return component;
}

}  // namespace kernbench
