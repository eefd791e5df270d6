// Resolves the parameters of every component: what the user gave, facts of the machine, defaults.
#include <algorithm>
#include <stdexcept>

#include "platform/topology/machine_reader.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

class Resolver {
 public:
  Resolver(const ResolvedConfig& config, std::vector<ConfigIssue>& issues)
      : config_(config), issues_(issues) {}

  // `link`: key of the bandwidth between this component and its router, where it has one.
  ComponentSpec resolve(const std::string& path, const std::string& link = "") {
    ComponentSpec spec;
    const ComponentEntry* entry = config_.component(path);
    if (entry == nullptr || entry->implementation == nullptr) return spec;  // reported already
    spec.impl = entry->implementation->name;
    for (const Parameter& parameter : entry->implementation->schema) {
      const std::string& name = parameter.name();
      if (std::find(entry->refused.begin(), entry->refused.end(), name) != entry->refused.end())
        continue;
      if (entry->given.has(name)) {
        spec.attributes.set(name, entry->given.values().find(name)->second);
        continue;
      }
      const std::string fact = fact_for(parameter, path, link);
      if (!fact.empty()) {
        take_fact(spec, parameter, *entry, fact);
      } else if (parameter.default_value()) {
        spec.attributes.set(name, *parameter.default_value());
      } else if (parameter.is_from_machine()) {
        issues_.push_back(issue_at(entry->place, path,
                                   "the implementation " + spec.impl + " asks for '" + name +
                                       "', which the machine does not know for this component"));
      } else {
        issues_.push_back(issue_at(entry->place, path + ".attrs." + name,
                                   "the key is missing; allowed is " + parameter.allowed()));
      }
    }
    const bool complete = spec.attributes.values().size() == entry->implementation->schema.size();
    if (complete && entry->implementation->check) ask(*entry, spec.attributes);
    return spec;
  }

 private:
  // Whether the implementation takes these values together.
  void ask(const ComponentEntry& entry, const Attributes& attributes) {
    try {
      if (const auto fault = entry.implementation->check(attributes))
        issues_.push_back(issue_at(entry.place_of(fault->parameter),
                                   entry.path + ".attrs." + fault->parameter, fault->message));
    } catch (const std::exception& error) {
      issues_.push_back(
          issue_at(entry.place, entry.path,
                   entry.implementation->name + " refuses its attributes: " + error.what()));
    }
  }

  // The key whose value fills a parameter, or "".
  static std::string fact_for(const Parameter& parameter, const std::string& path,
                              const std::string& link) {
    const std::string& name = parameter.name();
    if (name == "num_pcs" && path == "cube.components.hbm_ctrl")
      return "cube.memory_map.hbm_channels_per_pe";
    if (!parameter.is_from_machine()) return "";
    if (name == "flit_bytes") return "system.flit_bytes";
    if (name == "link_bw_gbs") return link;
    if (name == "channels_per_pe") return "cube.memory_map.hbm_channels_per_pe";
    if (name == "channel_bw_gbs") return "cube.memory_map.hbm_channel_bw_gbs";
    return "";
  }

  void take_fact(ComponentSpec& spec, const Parameter& parameter, const ComponentEntry& entry,
                 const std::string& key) {
    const Rational* value = config_.number(key);
    if (value == nullptr) return;  // reported already
    try {
      spec.attributes.set(parameter.name(), parameter.parse(value->str()));
    } catch (const std::invalid_argument& error) {
      issues_.push_back(issue_at(config_.place(key), key,
                                 std::string(error.what()) + " (it becomes '" + parameter.name() +
                                     "' of " + entry.path + ")"));
    }
  }

  const ResolvedConfig& config_;
  std::vector<ConfigIssue>& issues_;
};

bool declares(const Implementation& implementation, const char* name) {
  return std::any_of(implementation.schema.begin(), implementation.schema.end(),
                     [name](const Parameter& parameter) { return parameter.name() == name; });
}

}  // namespace

void resolve_components(MachineSpec& machine, const ResolvedConfig& config,
                        std::vector<ConfigIssue>& issues) {
  Resolver resolver(config, issues);
  machine.system.switch0 = resolver.resolve("system.switch");
  for (std::size_t i = 0; i < machine.system.tlm_initiators.size(); ++i) {
    const std::string path = "system.tlm_initiators." + std::to_string(i);
    machine.system.tlm_initiators[i].bridge = resolver.resolve(path + ".bridge", path + ".bw_gbs");
  }
  for (std::size_t i = 0; i < machine.sip.io_chiplets.size(); ++i) {
    IoChipletSpec& io = machine.sip.io_chiplets[i];
    const std::string path = "sip.io_chiplets." + std::to_string(i);
    io.pcie_ep =
        resolver.resolve(path + ".components.pcie_ep", path + ".links.pcie_ep_to_noc_bw_gbs");
    if (io.ual_ep)
      io.ual_ep =
          resolver.resolve(path + ".components.ual_ep", path + ".links.ual_ep_to_noc_bw_gbs");
    io.io_cpu = resolver.resolve(path + ".components.io_cpu");
    io.io_noc = resolver.resolve(path + ".components.io_noc");
    io.io_ucie = resolver.resolve(path + ".components.io_ucie");
    io.conn = resolver.resolve(path + ".components.conn", path + ".links.per_connection_bw_gbs");
  }
  CubeSpec& cube = machine.cube;
  cube.ucie_port = resolver.resolve("cube.ucie.port");
  cube.ucie_conn = resolver.resolve("cube.ucie.conn", "cube.ucie.per_connection_bw_gbs");
  cube.router = resolver.resolve("cube.components.router", "cube.links.router_link_bw_gbs");
  cube.hbm_channel = cube.router;  // the mini-routers of ADR-0017 D8
  if (cube.hbm_channel.attributes.has("overhead_ns"))
    cube.hbm_channel.attributes.set("overhead_ns", Rational(0));
  cube.m_cpu = resolver.resolve("cube.components.m_cpu");
  cube.sram = resolver.resolve("cube.components.sram", "cube.links.sram_to_router_bw_gbs");
  cube.hbm_ctrl = resolver.resolve("cube.components.hbm_ctrl", "cube.links.hbm_to_router_bw_gbs");
  for (const auto& [engine, stages] : engines_of_pe) {
    const std::string link = engine == PeEngine::pe_dma ? "cube.links.pe_to_router_bw_gbs" : "";
    const std::string name(name_of(engine));
    cube.engines[name] = resolver.resolve("cube.pe_template.components." + name, link);
  }
  const Attributes& hbm = cube.hbm_ctrl.attributes;
  const std::int64_t channels = cube.memory_map.hbm_channels_per_pe;
  const bool one_to_one = cube.memory_map.hbm_mapping_mode == HbmMapping::one_to_one;
  const std::string hbm_path = "cube.components.hbm_ctrl";
  const ComponentEntry* entry = config.component(hbm_path);
  if (one_to_one && entry != nullptr && entry->implementation != nullptr &&
      !(declares(*entry->implementation, "num_pcs") &&
        declares(*entry->implementation, "burst_bytes"))) {
    issues.push_back(issue_at(
        entry->place, hbm_path + ".impl",
        "found " + cube.hbm_ctrl.impl +
            ", which has no pseudo-channels; allowed with hbm_mapping_mode one_to_one is an "
            "implementation with num_pcs and burst_bytes"));
  }
  if (one_to_one && hbm.has("num_pcs") && hbm.decimal("num_pcs") != Rational(channels)) {
    issues.push_back(
        issue_at(entry->place, hbm_path + ".attrs.num_pcs",
                 "found " + hbm.decimal("num_pcs").str() +
                     ", allowed with hbm_mapping_mode one_to_one is hbm_channels_per_pe = " +
                     std::to_string(channels)));
  }
}

}  // namespace kernbench
