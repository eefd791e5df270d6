// `kernbench validate`: compares the models with independent references.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "platform/assembly/builtin_components.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/validate/validation_run.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"
#include "sc_main/reference_bench.h"

namespace kernbench {
namespace {

struct ValidateOptions {
  std::string group;
  bool json = false;
  std::string max_memory;
};

int validate(const ValidateOptions& options) {
  guard_memory(memory_limit(options.max_memory));
  ComponentRegistry registry;
  register_builtin_components(registry);
  const auto outcomes =
      run_validation(select_group(all_references(run_reference_bench), options.group), registry,
                     [](const std::string& topology) { return find_config(topology, "topology"); });
  if (options.json) {
    std::cout << json_text(validation_json(outcomes), 2) << '\n';
  } else {
    std::cout << fitted(validation_text(outcomes), 2);
  }
  const bool all = std::all_of(outcomes.begin(), outcomes.end(),
                               [](const ValidationOutcome& outcome) { return outcome.passed(); });
  return all ? exit_done : exit_failed;
}

Candidates group_candidates() {
  std::vector<std::string> groups;
  for (const ValidationCase& each : all_references(run_reference_bench)) {
    if (std::find(groups.begin(), groups.end(), each.group) == groups.end())
      groups.push_back(each.group);
  }
  return candidates_of(groups);
}

void declare_validate(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<ValidateOptions>();
  completes(command
                .add_option("--group", options->group,
                            "Only these references: network, hbm, figures, systolic, collectives, "
                            "source or correlation")
                ->type_name("NAME"),
            [](const std::string&) { return group_candidates(); });
  command.add_flag("--json", options->json, "As JSON, with the machine of every reference");
  add_max_memory_to(command, options->max_memory);
  command.footer(
      "Examples:\n"
      "  kernbench validate\n"
      "  kernbench validate --group hbm\n"
      "  kernbench validate --group source\n"
      "  kernbench validate --json > references.json\n\n"
      "Groups:\n"
      "  network      a message over a chain of links, steps and collectives of a ring: "
      "cut-through, store-and-forward\n"
      "  hbm          rates of all channels, of one, of one bank, and with changes of direction\n"
      "  figures      peak rates of memory stacks and of a die-to-die link\n"
      "  systolic     cycles of a GEMM on a systolic array\n"
      "  collectives  lower bounds of all-reduce and other collectives, with the program's own "
      "kernels\n"
      "  source       figures published by the Python system, each with ours in brackets and the "
      "reason if it differs\n"
      "  correlation  banked HBM against Ramulator 2.1 and DRAMSys 5.1, virtual-channel routers "
      "against BookSim 2, rings against ASTRA-sim and NCCL\n\n"
      "Relation of a simulated number to its reference: = equal within the tolerance; >= or <= the "
      "reference is a bound, because it includes effects that the models omit "
      "(docs/approximations.md). The deviation is then the omitted part.\n"
      "Exit status 1 if a reference does not hold.\n");
  invocation.on(command, [options] { return validate(*options); });
}
const CommandRegistration validate_registration(
    80, "validate", "Validate the models against closed forms and published figures",
    declare_validate);

}  // namespace
}  // namespace kernbench
