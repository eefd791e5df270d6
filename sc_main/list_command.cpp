// `kernbench list`: benches, component implementations, shipped topologies, algorithms of
// collectives, keys, trace signals.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/output/text_layout.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/command.h"
#include "sc_main/list_keys.h"
#include "sc_main/machine_options.h"
#include "sc_main/parameter_text.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) { std::cout << json_text(json, 2) << '\n'; }

// --- components

std::string places_of(const Implementation& implementation) {
  std::string text;
  for (const Role role : implementation.roles)
    text += (text.empty() ? "" : ", ") + std::string(name_of(role));
  return text;
}

int list_components(const MachineOptions& machine, bool as_json) {
  const Catalogue catalogue = machine.load_catalogue();
  auto json = Json::array();
  for (const Implementation* implementation : catalogue.components.list()) {
    const std::string file = catalogue.file_of_component(implementation->factory);
    if (as_json) {
      Json entry;
      entry["name"] = implementation->name;
      entry["description"] = implementation->description;
      entry["roles"] = Json::array();
      for (const Role role : implementation->roles) entry["roles"].push_back(name_of(role));
      entry["attrs"] = Json::array();
      for (const Parameter& parameter : implementation->schema)
        entry["attrs"].push_back(parameter_json(parameter));
      if (!file.empty()) entry["plugin"] = file;
      json.push_back(std::move(entry));
      continue;
    }
    std::cout << fitted(
        fmt::format("{}: {}  [{}]{}\n", implementation->name, implementation->description,
                    places_of(*implementation), of_plugin(file)),
        4);
    Table table({{"attribute"},
                 {"default", Table::Align::right},
                 {"unit"},
                 {"allowed"},
                 {"meaning"},
                 {"source"}});
    for (const Parameter& parameter : implementation->schema) {
      table.add({parameter.name(), default_text(parameter), parameter.unit(), parameter.allowed(),
                 parameter.description(), parameter.source()});
    }
    if (!table.empty()) std::cout << table.text("  ");
    std::cout << '\n';
  }
  if (as_json) print(json);
  return exit_done;
}

// --- algorithms

void print_parameters(const ParameterSchema& schema) {
  Table table({{"key"}, {"default", Table::Align::right}, {"unit"}, {"allowed"}, {"meaning"}});
  for (const Parameter& parameter : schema)
    table.add({parameter.name(), parameter.default_value() ? default_text(parameter) : "-",
               parameter.unit(), parameter.allowed(), parameter.description()});
  if (!table.empty()) std::cout << table.text("  ");
}

Json parameters_json(const ParameterSchema& schema) {
  auto json = Json::array();
  for (const Parameter& parameter : schema) json.push_back(parameter_json(parameter));
  return json;
}

int list_algorithms(const MachineOptions& machine, bool as_json) {
  const Catalogue catalogue = machine.load_catalogue();
  auto json = Json::array();
  for (const CollectiveAlgorithm& algorithm : catalogue.algorithms->algorithms()) {
    const std::string file = catalogue.file_of_algorithm(algorithm.name);
    if (as_json) {
      Json entry;
      entry["name"] = algorithm.name;
      entry["description"] = algorithm.description;
      entry["op"] = name_of(algorithm.op);
      entry["sip_topologies"] = algorithm.sip_topologies;
      entry["layout"] = algorithm.layout;
      entry["keys"] = parameters_json(algorithm.parameters);
      if (!file.empty()) entry["plugin"] = file;
      json.push_back(std::move(entry));
      continue;
    }
    std::cout << fitted(fmt::format("{} ({}): {}{}\n  takes {}; works on {}\n", algorithm.name,
                                    name_of(algorithm.op), algorithm.description, of_plugin(file),
                                    algorithm.layout, fmt::join(algorithm.sip_topologies, ", ")),
                        4);
    print_parameters(algorithm.parameters);
    std::cout << '\n';
  }
  if (as_json) {
    print({{"algorithms", std::move(json)}, {"keys", parameters_json(ccl_parameters())}});
  } else {
    std::cout << "Keys of ccl.yaml for all of them:\n";
    print_parameters(ccl_parameters());
  }
  return exit_done;
}

// --- topologies

int list_topologies(bool as_json) {
  const MachineOptions defaults;
  const Catalogue catalogue = defaults.load_catalogue();
  auto json = Json::array();
  Table table({{"topology"},
               {"SIPs", Table::Align::right},
               {"cubes per SIP", Table::Align::right},
               {"PEs per cube", Table::Align::right},
               {"arrangement of SIPs"}});
  for (const std::string& name : shipped_files("topology")) {
    MachineOptions machine;
    machine.topology = (shipped_configs() / name).string();
    const MachineSpec spec = machine.load_spec(catalogue.components);
    const std::string arrangement(name_of(spec.system.sips.topology));
    if (as_json) {
      Json entry;
      entry["name"] = name;
      entry["sips"] = spec.system.sips.count;
      entry["cubes_per_sip"] = spec.sip.cubes();
      entry["pes_per_cube"] = spec.cube.pe_layout.pes();
      entry["sip_topology"] = arrangement;
      json.push_back(std::move(entry));
    } else {
      table.add({name, fmt::format("{}", spec.system.sips.count),
                 fmt::format("{} ({} x {})", spec.sip.cubes(), spec.sip.mesh_w, spec.sip.mesh_h),
                 fmt::format("{}", spec.cube.pe_layout.pes()),
                 fmt::format("{} ({} x {})", arrangement, spec.system.sips.w, spec.system.sips.h)});
    }
  }
  if (as_json) {
    print(json);
  } else {
    std::cout << table.text();
  }
  return exit_done;
}

// --- the commands

void declare_list_topologies(CLI::App& command, Invocation& invocation) {
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "As JSON");
  command.footer("Examples:\n  kernbench list topologies\n");
  invocation.on(command, [json, &list = *command.get_parent()] {
    if (list.count("--plugin") > 0 || list.count("--set") > 0)
      throw UsageError("list topologies: --plugin and --set have no effect here");
    return list_topologies(*json);
  });
}
const CommandRegistration list_topologies_registration(
    26, "list topologies", "Shipped topologies: names that --topology takes",
    declare_list_topologies);

struct ListOptions {
  MachineOptions machine;
  bool json = false, markdown = false;
};

void declare_list(CLI::App& list, Invocation& invocation) {
  const auto options = std::make_shared<ListOptions>();  // also accepted before the nested command
  list.add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(list);
  list.require_subcommand(0, 1);
  list.footer(
      "Examples:\n"
      "  kernbench list                 benches with their parameters\n"
      "  kernbench list components      implementations with their attributes\n"
      "  kernbench list topologies --json\n"
      "  kernbench list algorithms      collectives, and the keys of ccl.yaml\n"
      "  kernbench list --plugin libacme.so\n"
      "  kernbench list components --plugin libacme.so\n"
      "  kernbench list keys            all keys of topology.yaml, ccl.yaml, components.yaml, "
      "energy.yaml\n"
      "  kernbench list signals         trace signals by kind of component\n"
      "  kernbench list statistics      what --stats writes, with units\n");
  invocation.on(
      list, [options] { return list_benches(options->machine.load_catalogue(), options->json); });

  CLI::App* components = list.add_subcommand(
      "components", "Implementations that `impl:` may name, their roles and attributes");
  components->add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(*components);
  components->footer(
      "Examples:\n  kernbench list components\n  kernbench list components --json | jq "
      "'.[].name'\n");
  invocation.on(*components,
                [options] { return list_components(options->machine, options->json); });

  CLI::App* algorithms =
      list.add_subcommand("algorithms", "Algorithms of collectives, and the keys of ccl.yaml");
  algorithms->add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(*algorithms);
  algorithms->footer(
      "Examples:\n  kernbench list algorithms\n  kernbench list algorithms --json | jq "
      "'.algorithms[].name'\n");
  invocation.on(*algorithms,
                [options] { return list_algorithms(options->machine, options->json); });

  CLI::App* keys = list.add_subcommand(
      "keys", "Keys of topology.yaml, ccl.yaml, components.yaml and energy.yaml: what --set takes");
  CLI::Option* json = keys->add_flag("--json", options->json, "As JSON");
  keys->add_flag("--markdown", options->markdown,
                 "As the tables in configs/README.md, with the attributes of components")
      ->excludes(json);
  keys->footer(
      "Examples:\n  kernbench list keys | grep hbm\n  kernbench list keys --json | jq -r "
      "'.\"topology.yaml\"[].key'\n");
  invocation.on(*keys, [options] {
    return list_keys(options->machine.load_catalogue(), options->json       ? ListFormat::json
                                                        : options->markdown ? ListFormat::markdown
                                                                            : ListFormat::text);
  });
}
const CommandRegistration list_registration(
    20, "list",
    "List benches, components, topologies, algorithms of collectives, configuration keys, trace "
    "signals or statistics",
    declare_list);

}  // namespace
}  // namespace kernbench
