// `kernbench list`: benches, component implementations, shipped topologies, algorithms of
// collectives, keys, trace signals.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/command.h"
#include "sc_main/config_files.h"
#include "sc_main/list_keys.h"
#include "sc_main/list_signals.h"
#include "sc_main/list_statistics.h"
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
    std::cout << implementation->name << ": " << implementation->description << "  ["
              << places_of(*implementation) << ']' << of_plugin(file) << '\n';
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
    std::cout << algorithm.name << " (" << name_of(algorithm.op) << "): " << algorithm.description
              << of_plugin(file) << '\n';
    std::cout << "  takes " << algorithm.layout << "; works on "
              << fmt::format("{}", fmt::join(algorithm.sip_topologies, ", ")) << '\n';
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

// --- signals

void add_list_signals(CLI::App& list, Invocation& invocation) {
  struct Options {
    MachineOptions machine;
    std::string glob;
    bool json = false, markdown = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* signals = list.add_subcommand(
      "signals", "Trace signals of a machine: what --trace can record; by kind of component");
  signals->add_option("glob", options->glob,
                      "Only those that --trace-scope GLOB would select, by their full names");
  CLI::Option* json = signals->add_flag("--json", options->json, "As JSON");
  signals->add_flag("--markdown", options->markdown, "As Markdown")->excludes(json);
  options->machine.add_to(*signals);
  signals->footer(
      "Examples:\n"
      "  kernbench list signals                          by kind of component\n"
      "  kernbench list signals 'sip0.cube0.pe0.*'       of one PE\n"
      "  kernbench list signals '*.to_*_busy' --json     of every link\n"
      "  kernbench list signals --topology tiny --markdown\n");
  signals->callback([options, &invocation] {
    invocation.action = [options] {
      return list_signals(options->machine, options->glob,
                          list_format(options->json, options->markdown));
    };
  });
}

}  // namespace

void add_list_command(CLI::App& app, Invocation& invocation) {
  struct Options {
    MachineOptions machine;
    bool json = false, markdown = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* list = app.add_subcommand(
      "list",
      "Lists the benches; or components, topologies, algorithms of collectives, configuration "
      "keys, trace signals, or statistics");
  list->add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(*list);
  list->require_subcommand(0, 1);
  list->footer(
      "Examples:\n"
      "  kernbench list                 benches with their parameters\n"
      "  kernbench list components      implementations with their attributes\n"
      "  kernbench list topologies --json\n"
      "  kernbench list algorithms      collectives, and the keys of ccl.yaml\n"
      "  kernbench list --plugin libacme.so\n"
      "  kernbench list components --plugin libacme.so\n"
      "  kernbench list keys            all keys of topology.yaml, ccl.yaml and components.yaml\n"
      "  kernbench list signals         trace signals by kind of component\n"
      "  kernbench list statistics      what --stats writes, with units\n");
  list->callback([list, options, &invocation] {
    if (list->get_subcommands().empty())
      invocation.action = [options] {
        return list_benches(options->machine.load_catalogue(), options->json);
      };
  });

  CLI::App* components = list->add_subcommand(
      "components",
      "Implementations that `impl:` may name, where each may stand, and their attributes");
  components->add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(*components);
  components->footer(
      "Examples:\n  kernbench list components\n  kernbench list components --json | jq "
      "'.[].name'\n");
  components->callback([options, &invocation] {
    invocation.action = [options] { return list_components(options->machine, options->json); };
  });

  CLI::App* algorithms =
      list->add_subcommand("algorithms", "Algorithms of collectives, and the keys of ccl.yaml");
  algorithms->add_flag("--json", options->json, "As JSON");
  options->machine.add_components_to(*algorithms);
  algorithms->footer(
      "Examples:\n  kernbench list algorithms\n  kernbench list algorithms --json | jq "
      "'.algorithms[].name'\n");
  algorithms->callback([options, &invocation] {
    invocation.action = [options] { return list_algorithms(options->machine, options->json); };
  });

  CLI::App* keys = list->add_subcommand(
      "keys", "Keys of topology.yaml, ccl.yaml and components.yaml: what --set takes");
  CLI::Option* json = keys->add_flag("--json", options->json, "As JSON");
  keys->add_flag("--markdown", options->markdown,
                 "As the tables in configs/README.md, with the attributes of components")
      ->excludes(json);
  keys->footer(
      "Examples:\n  kernbench list keys | grep hbm\n  kernbench list keys --json | jq -r "
      "'.\"topology.yaml\"[].key'\n");
  keys->callback([options, &invocation] {
    invocation.action = [options] {
      return list_keys(options->machine.load_catalogue(),
                       list_format(options->json, options->markdown));
    };
  });

  add_list_signals(*list, invocation);
  add_list_statistics(*list, invocation);

  CLI::App* topologies =
      list->add_subcommand("topologies", "Shipped topologies: names that --topology takes");
  topologies->add_flag("--json", options->json, "As JSON");
  topologies->footer("Examples:\n  kernbench list topologies\n");
  topologies->callback([options, &invocation] {
    invocation.action = [options] {
      if (!options->machine.plugins.empty() || !options->machine.set.empty())
        throw UsageError("list topologies: --plugin and --set change nothing here");
      return list_topologies(options->json);
    };
  });
}

}  // namespace kernbench
