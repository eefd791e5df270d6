#include "platform/config/component_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "platform/config/machine_keys.h"

namespace kernbench {

ComponentResolver::ComponentResolver(const MachineSpec& machine, const MachineFaults& faults)
    : facts_(facts_of(machine)), faults_(faults) {}

ComponentSpec ComponentResolver::resolve(const ComponentEntry& entry, const ComponentRow& row,
                                         std::vector<ConfigIssue>& issues) const {
  const Implementation& implementation = *entry.implementation;
  ComponentSpec spec;
  spec.impl = implementation.name;
  for (const Parameter& parameter : implementation.schema) {
    if (std::find(entry.refused.begin(), entry.refused.end(), parameter.name()) ==
        entry.refused.end())
      resolve(parameter, row, entry, spec, issues);
  }
  ask(entry, spec, issues);
  return spec;
}

ComponentSpec ComponentResolver::with_given(const ComponentSpec& component,
                                            const ComponentEntry& entry,
                                            std::vector<ConfigIssue>& issues) const {
  ComponentSpec spec;
  spec.impl = entry.implementation->name;
  for (const auto& [name, value] : component.attributes.values()) spec.attributes.set(name, value);
  for (const auto& [name, value] : entry.given.values()) spec.attributes.set(name, value);
  if (entry.refused.empty()) ask(entry, spec, issues);
  return spec;
}

void ComponentResolver::resolve(const Parameter& parameter, const ComponentRow& row,
                                const ComponentEntry& entry, ComponentSpec& spec,
                                std::vector<ConfigIssue>& issues) const {
  const std::string name = parameter.name();
  const void* fact = fact_for(parameter, row);
  if (entry.given.has(name)) {
    spec.attributes.set(name, entry.given.values().find(name)->second);
  } else if (fact != nullptr) {
    take_fact(spec, parameter, faults_.key_at(fact), entry, issues);
  } else if (parameter.default_value()) {
    spec.attributes.set(name, *parameter.default_value());
  } else if (parameter.is_from_machine()) {
    issues.push_back(issue_at(entry.place, entry.path,
                              fmt::format("the implementation {} asks for '{}', which the machine "
                                          "does not know for this component",
                                          spec.impl, name)));
  } else {
    issues.push_back(issue_at(entry.place, fmt::format("{}.attrs.{}", entry.path, name),
                              "the key is missing; allowed is " + parameter.allowed()));
  }
}

void ComponentResolver::take_fact(ComponentSpec& spec, const Parameter& parameter,
                                  const std::string& key, const ComponentEntry& entry,
                                  std::vector<ConfigIssue>& issues) const {
  const Rational* value = faults_.config().number(key);
  if (value == nullptr) return;  // reported already
  try {
    spec.attributes.set(parameter.name(), parameter.parse(value->str()));
  } catch (const std::invalid_argument& error) {
    issues.push_back(issue_at(
        faults_.config().place(key), key,
        fmt::format("{} (it becomes '{}' of {})", error.what(), parameter.name(), entry.path)));
  }
}

// Asks whether the implementation accepts this combination of values.
void ComponentResolver::ask(const ComponentEntry& entry, const ComponentSpec& spec,
                            std::vector<ConfigIssue>& issues) const {
  const Implementation& implementation = *entry.implementation;
  const bool complete = spec.attributes.values().size() == implementation.schema.size();
  if (!complete || !implementation.check) return;
  try {
    if (const auto fault = implementation.check(spec.attributes))
      issues.push_back(issue_at(entry.place_of(*fault),
                                fmt::format("{}.attrs.{}", entry.path, fault->parameter),
                                fault->message));
  } catch (const std::exception& error) {
    issues.push_back(
        issue_at(entry.place, entry.path,
                 fmt::format("{} refuses its attributes: {}", implementation.name, error.what())));
  }
}

// Member whose value fills a parameter, or null.
const void* ComponentResolver::fact_for(const Parameter& parameter, const ComponentRow& row) const {
  for (const std::vector<MachineFact>* facts : {&row.facts, &facts_}) {
    for (const MachineFact& fact : *facts) {
      if (parameter.name() == fact.parameter && (parameter.is_from_machine() || fact.only_default))
        return fact.member;
    }
  }
  return nullptr;
}

namespace {

class RowsOfComponents final : public KeyVisitor {
 public:
  std::map<const ComponentSpec*, ComponentRow> rows;

 private:
  void on_component(const ComponentRow& row, ComponentSpec& spec) override {
    rows.emplace(&spec, row);
  }
};

}  // namespace

std::map<const ComponentSpec*, ComponentRow> rows_of_components(MachineSpec& machine) {
  RowsOfComponents visitor;
  visit_keys(visitor, machine);
  visitor.rows.emplace(&machine.cube.hbm_channel, visitor.rows.at(&machine.cube.router));
  return std::move(visitor.rows);
}

}  // namespace kernbench
