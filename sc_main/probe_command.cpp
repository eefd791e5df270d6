// `kernbench probe`: catalogue of single transfers: simulated and analytical times, and invariants
// between them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "platform/assembly/machine_routes.h"
#include "platform/assembly/platform.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/output/text_layout.h"
#include "platform/probe/probe_figure.h"
#include "platform/probe/probe_report.h"
#include "platform/topology/build_graph.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

struct ProbeOptions {
  MachineOptions machine;
  std::vector<std::string> cases;
  bool strict = false;
  bool json = false;
  bool csv = false;
  std::string figure;
};

int probe(const ProbeOptions& options, const Invocation& invocation) {
  if (!options.figure.empty()) check_figure_file(options.figure);
  check_result_files(options.machine.files_in_use(), {options.figure});
  const Catalogue catalogue = options.machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  Graph machine = build_graph(spec);
  const std::vector<ProbeCase> cases = select_cases(probe_catalogue(machine), options.cases);
  Platform platform(std::move(machine), catalogue.components, platform_options);
  if (!options.figure.empty())
    open_result(options.figure,
                configuration_text(invocation, {{"topology", options.machine.topology_path()}},
                                   spec, catalogue))
        .close();  // fails early
  const Simulate simulate = simulate_in_children(platform);
  std::vector<ProbeOutcome> outcomes;
  for (const ProbeCase& each : cases)
    outcomes.push_back(run_probe(platform.graph(), platform.machine_routes(), each, simulate));
  const std::vector<ProbeCheck> checks = check_probes(outcomes);

  if (!options.figure.empty()) write_figure(probe_figure(outcomes), options.figure);
  if (options.json) {
    std::cout << json_text(probe_json(platform.graph(), outcomes, checks), 2) << '\n';
  } else if (options.csv) {
    std::cout << probe_csv(platform.graph(), outcomes);
    std::cerr << checks_text(checks);  // not part of the table
  } else {
    std::cout << fitted(probe_text(platform.graph(), outcomes, checks), 2);
  }
  const bool failed = std::any_of(checks.begin(), checks.end(), [](const ProbeCheck& check) {
    return check.verdict == Verdict::fail;
  });
  return options.strict && failed ? exit_failed : exit_done;
}

Candidates case_candidates(const MachineOptions& machine) {
  const Graph graph = build_graph(machine.load_spec(machine.load_catalogue().components));
  std::vector<std::string> names{"all"};
  for (const ProbeCase& each : probe_catalogue(graph)) names.push_back(each.name);
  return candidates_of(names);
}

void declare_probe(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<ProbeOptions>();
  completes(command
                .add_option("--case", options->cases,
                            "Case to run; repeatable (default: all). h2d-{1..4}hop, d2h-{1..4}hop, "
                            "pe-local-hbm, pe-same-half-hbm, "
                            "pe-cross-half-hbm, "
                            "pe-cross-cube-hbm-best, pe-cross-cube-hbm-worst, pe-cross-sip-hbm")
                ->type_name("NAME")
                ->allow_extra_args(false),
            [options](const std::string&) { return case_candidates(options->machine); });
  command.add_flag("--strict", options->strict, "Exit status 1 if a check fails");
  CLI::Option* json = command.add_flag(
      "--json", options->json, "As JSON, units in the key names; with the checks and the routes");
  command
      .add_flag("--csv", options->csv,
                "As CSV, a row per case and size; the checks go to standard error")
      ->excludes(json);
  command
      .add_option("--figure", options->figure,
                  "Draw effective GB/s over size, a line per case (.svg, .png or .pdf)")
      ->type_name("F.svg");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench probe\n"
      "  kernbench probe --case pe-local-hbm --case pe-cross-sip-hbm\n"
      "  kernbench probe --strict --topology six_sip\n"
      "  kernbench probe --case pe-local-hbm --figure local.svg\n"
      "  kernbench probe --csv --set cube.components.router.attrs.overhead_ns=4 > probe.csv\n\n"
      "A check that fails is printed as [x] FAIL; it changes the exit status with --strict "
      "only.\n");
  invocation.on(command, [options, &invocation] { return probe(*options, invocation); });
}
const CommandRegistration probe_registration(
    70, "probe",
    "Simulate single transfers, each alone on a new machine; compare them with the formula and "
    "check invariants",
    declare_probe);

}  // namespace
}  // namespace kernbench
