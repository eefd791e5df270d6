// Resolves the parameters of every component: user values, facts of the machine, defaults.
#include <fmt/format.h>

#include <algorithm>

#include "platform/config/component_resolver.h"
#include "platform/config/machine_keys.h"
#include "platform/config/machine_reader.h"

namespace kernbench {
namespace {

class Resolver final : public KeyVisitor {
 public:
  Resolver(const MachineSpec& machine, MachineFaults& faults)
      : resolver_(machine, faults), faults_(faults) {}

 private:
  void on_component(const ComponentRow& row, ComponentSpec& spec) override {
    const ComponentEntry* entry = faults_.config().component(path());
    if (entry == nullptr || entry->implementation == nullptr) return;  // already reported
    std::vector<ConfigIssue> issues;
    spec = resolver_.resolve(*entry, row, issues);
    for (const ConfigIssue& issue : issues) faults_.add(issue);
  }

  ComponentResolver resolver_;
  MachineFaults& faults_;
};

bool declares(const Implementation& implementation, const char* name) {
  return std::any_of(implementation.schema.begin(), implementation.schema.end(),
                     [name](const Parameter& parameter) { return parameter.name() == name; });
}

// one_to_one requires a dedicated link per pseudo-channel.
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
  if (!hbm.has("mapping")) return;
  const std::string& mapping = hbm.text("mapping");
  if (mapping.find_first_not_of("P0123456789 ", mapping.find('P')) == std::string::npos) return;
  faults.add(issue_at(entry->place, key + ".attrs.mapping",
                      fmt::format("found '{}', allowed with hbm_mapping_mode one_to_one are the "
                                  "bits of the pseudo-channel (P) as the last ones: its links "
                                  "interleave bursts",
                                  mapping)));
}

}  // namespace

void resolve_components(MachineSpec& machine, MachineFaults& faults) {
  Resolver resolver(machine, faults);
  visit_keys(resolver, machine);
  CubeSpec& cube = machine.cube;
  cube.hbm_channel = cube.router;  // the mini-routers of ADR-0017 D8
  for (const char* time : {"overhead_ns", "latency_ns", "occupancy_ns", "flit_occupancy_ns"}) {
    if (cube.hbm_channel.attributes.has(time)) cube.hbm_channel.attributes.set(time, Rational(0));
  }
  if (cube.memory_map.hbm_mapping_mode == HbmMapping::one_to_one) check_channels(cube, faults);
}

}  // namespace kernbench
