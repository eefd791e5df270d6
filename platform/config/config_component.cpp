// One component entry of a configuration: {impl: NAME, attrs: {...}}.
#include <fmt/format.h>

#include <stdexcept>

#include "models/base/quote.h"
#include "platform/config/config_schema.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

const Parameter* find_parameter(const ParameterSchema& schema, const std::string& name) {
  for (const Parameter& parameter : schema) {
    if (parameter.name() == name) return &parameter;
  }
  return nullptr;
}

// True if the attribute was given for an implementation that `impl` no longer names. Aliases of one
// implementation count as the same.
bool is_of_former(const ConfigEntry& attribute, const Implementation& present,
                  const ComponentRegistry& registry) {
  if (attribute.former_impl.empty()) return false;
  const Implementation* former = registry.find(attribute.former_impl);
  return former == nullptr || former->factory != present.factory;
}

}  // namespace

const Implementation* find_implementation(const ConfigNode& impl, const std::string& path,
                                          Role role, const ComponentRegistry& registry,
                                          std::vector<ConfigIssue>& issues) {
  const std::vector<std::string> allowed = registry.names_for(role);
  const auto refuse = [&](const std::string& found, const std::string& meant) {
    issues.push_back(issue_at(impl.place, path + ".impl",
                              fmt::format("found {}; allowed are those with the role {}: {}{}",
                                          found, name_of(role), listed(allowed, "none"), meant)));
    return nullptr;
  };
  if (impl.kind != ConfigNode::Kind::scalar) return refuse(impl.described(), "");
  const Implementation* implementation = registry.find(impl.text);
  if (implementation == nullptr)
    return refuse(quote(impl.text) + ", which is not known", did_you_mean(impl.text, allowed));
  if (!implementation->unavailable.empty())
    return refuse(quote(impl.text) + ", and " + implementation->unavailable, "");
  if (!implementation->may_stand_at(role))
    return refuse(quote(impl.text) + ", which is not made for this place", "");
  return implementation;
}

namespace {

void check_attribute(const ConfigEntry& entry, ComponentEntry& component,
                     std::vector<ConfigIssue>& issues) {
  const std::string path = fmt::format("{}.attrs.{}", component.path, entry.key);
  const Parameter* parameter = find_parameter(component.implementation->schema, entry.key);
  const auto refuse = [&](const ConfigLocation& place, std::string message) {
    component.refused.push_back(entry.key);
    issues.push_back(issue_at(place, path, std::move(message)));
  };
  if (parameter == nullptr) {
    std::vector<std::string> known;
    for (const Parameter& candidate : component.implementation->schema) {
      if (!candidate.is_from_machine()) known.push_back(candidate.name());
    }
    const char* renamed = entry.key == "serial_per" ? "; its name is now 'servers'" : "";
    return refuse(entry.place, fmt::format("unknown attribute of {}{}{}; it knows {}",
                                           component.implementation->name, renamed,
                                           did_you_mean(entry.key, known), listed(known, "none")));
  }
  if (parameter->is_from_machine()) {
    return refuse(
        entry.place,
        fmt::format(
            "found {}, but this is a fact of the machine that the topology fills in; leave it out",
            entry.value.described()));
  }
  const bool quoted_number = entry.value.quoted && !parameter->is_text();
  if (entry.value.kind != ConfigNode::Kind::scalar || quoted_number) {
    const std::string meaning = parameter->is_text() && parameter->choices().empty()
                                    ? " (" + parameter->description() + ")"
                                    : "";
    return refuse(entry.value.place,
                  fmt::format("found {}, allowed is {}{}", entry.value.described(),
                              parameter->allowed(), meaning));
  }
  try {
    component.given.set(entry.key, parameter->parse(entry.value.text));
    component.given_at[entry.key] = entry.value.place;
  } catch (const std::exception& error) {
    refuse(entry.value.place, error.what() + did_you_mean(entry.value.text, parameter->choices()));
  }
}

}  // namespace

void check_attributes(const ConfigNode& attrs, const ComponentRegistry& registry,
                      ComponentEntry& component, std::vector<ConfigIssue>& issues) {
  for (const ConfigEntry& entry : attrs.entries) {
    if (!is_of_former(entry, *component.implementation, registry))
      check_attribute(entry, component, issues);
  }
}

ComponentEntry check_component(const ConfigNode& node, const std::string& path, Role role,
                               const ComponentRegistry& registry,
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
                                fmt::format("unknown key{}; known here: impl, attrs",
                                            did_you_mean(entry.key, {"impl", "attrs"}))));
    }
  }
  const ConfigNode* impl = node.find("impl");
  if (impl == nullptr) {
    issues.push_back(issue_at(node.place, path + ".impl",
                              "the key is missing; allowed is the name of an implementation"));
  } else {
    component.implementation = find_implementation(*impl, path, role, registry, issues);
  }
  if (attrs == nullptr || attrs->kind == ConfigNode::Kind::null) return component;
  if (attrs->kind != ConfigNode::Kind::map) {
    issues.push_back(issue_at(attrs->place, path + ".attrs",
                              fmt::format("found {}, allowed is a section", attrs->described())));
  } else if (component.implementation != nullptr) {
    check_attributes(*attrs, registry, component, issues);
  }
  return component;
}

}  // namespace kernbench
