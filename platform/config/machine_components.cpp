// Resolves the parameters of every component: what the user gave, facts of the machine, defaults.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "platform/config/machine_keys.h"
#include "platform/config/machine_reader.h"

namespace kernbench {
namespace {

class Resolver final : public KeyVisitor {
 public:
  Resolver(std::vector<MachineFact> facts, MachineFaults& faults)
      : facts_(std::move(facts)), faults_(faults) {}

 private:
  void on_component(const ComponentRow& row, ComponentSpec& spec) override {
    const ComponentEntry* entry = faults_.config().component(path());
    if (entry == nullptr || entry->implementation == nullptr) return;  // reported already
    const Implementation& implementation = *entry->implementation;
    spec.impl = implementation.name;
    for (const Parameter& parameter : implementation.schema) {
      if (std::find(entry->refused.begin(), entry->refused.end(), parameter.name()) ==
          entry->refused.end())
        resolve(parameter, row, *entry, spec);
    }
    const bool complete = spec.attributes.values().size() == implementation.schema.size();
    if (complete && implementation.check) ask(*entry, spec.attributes);
  }

  void resolve(const Parameter& parameter, const ComponentRow& row, const ComponentEntry& entry,
               ComponentSpec& spec) {
    const std::string name = parameter.name();
    const void* fact = fact_for(parameter, row);
    if (entry.given.has(name)) {
      spec.attributes.set(name, entry.given.values().find(name)->second);
    } else if (fact != nullptr) {
      take_fact(spec, parameter, faults_.key_at(fact));
    } else if (parameter.default_value()) {
      spec.attributes.set(name, *parameter.default_value());
    } else if (parameter.is_from_machine()) {
      faults_.add(issue_at(entry.place, path(),
                           fmt::format("the implementation {} asks for '{}', which the machine "
                                       "does not know for this component",
                                       spec.impl, name)));
    } else {
      faults_.add(issue_at(entry.place, fmt::format("{}.attrs.{}", path(), name),
                           "the key is missing; allowed is " + parameter.allowed()));
    }
  }

  // Whether the implementation takes these values together.
  void ask(const ComponentEntry& entry, const Attributes& attributes) {
    try {
      if (const auto fault = entry.implementation->check(attributes))
        faults_.add(issue_at(entry.place_of(fault->parameter),
                             fmt::format("{}.attrs.{}", path(), fault->parameter), fault->message));
    } catch (const std::exception& error) {
      faults_.add(issue_at(
          entry.place, path(),
          fmt::format("{} refuses its attributes: {}", entry.implementation->name, error.what())));
    }
  }

  // The member whose value fills a parameter, or null.
  const void* fact_for(const Parameter& parameter, const ComponentRow& row) const {
    for (const std::vector<MachineFact>* facts : {&row.facts, &facts_}) {
      for (const MachineFact& fact : *facts) {
        if (parameter.name() == fact.parameter &&
            (parameter.is_from_machine() || fact.only_default))
          return fact.member;
      }
    }
    return nullptr;
  }

  void take_fact(ComponentSpec& spec, const Parameter& parameter, const std::string& key) {
    const Rational* value = faults_.config().number(key);
    if (value == nullptr) return;  // reported already
    try {
      spec.attributes.set(parameter.name(), parameter.parse(value->str()));
    } catch (const std::invalid_argument& error) {
      faults_.add_at(
          key, fmt::format("{} (it becomes '{}' of {})", error.what(), parameter.name(), path()));
    }
  }

  std::vector<MachineFact> facts_;
  MachineFaults& faults_;
};

bool declares(const Implementation& implementation, const char* name) {
  return std::any_of(implementation.schema.begin(), implementation.schema.end(),
                     [name](const Parameter& parameter) { return parameter.name() == name; });
}

// With one_to_one every pseudo-channel has a link of its own.
void check_channels(const CubeSpec& cube, MachineFaults& faults) {
  const std::int64_t channels = cube.memory_map.hbm_channels_per_pe;
  const std::string& key = faults.key_of(cube.hbm_ctrl);
  const ComponentEntry* entry = faults.config().component(key);
  if (entry != nullptr && entry->implementation != nullptr &&
      !(declares(*entry->implementation, "num_pcs") &&
        declares(*entry->implementation, "burst_bytes"))) {
    faults.add(issue_at(
        entry->place, key + ".impl",
        fmt::format("found {}, which has no pseudo-channels; allowed with hbm_mapping_mode "
                    "one_to_one is an implementation with num_pcs and burst_bytes",
                    cube.hbm_ctrl.impl)));
  }
  const Attributes& hbm = cube.hbm_ctrl.attributes;
  if (hbm.has("num_pcs") && hbm.decimal("num_pcs") != Rational(channels)) {
    faults.add(issue_at(
        entry->place, key + ".attrs.num_pcs",
        fmt::format(
            "found {}, allowed with hbm_mapping_mode one_to_one is hbm_channels_per_pe = {}",
            hbm.decimal("num_pcs").str(), channels)));
  }
}

}  // namespace

void resolve_components(MachineSpec& machine, MachineFaults& faults) {
  Resolver resolver(facts_of(machine), faults);
  visit_keys(resolver, machine);
  CubeSpec& cube = machine.cube;
  cube.hbm_channel = cube.router;  // the mini-routers of ADR-0017 D8
  if (cube.hbm_channel.attributes.has("overhead_ns"))
    cube.hbm_channel.attributes.set("overhead_ns", Rational(0));
  if (cube.memory_map.hbm_mapping_mode == HbmMapping::one_to_one) check_channels(cube, faults);
}

}  // namespace kernbench
