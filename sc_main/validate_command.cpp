// `kernbench validate`: the models beside independent references.
#include <algorithm>
#include <iostream>
#include <memory>

#include "platform/assembly/builtin_components.h"
#include "platform/validate/validation_run.h"
#include "sc_main/command.h"
#include "sc_main/config_files.h"
#include "sc_main/machine_options.h"

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
  const auto outcomes = run_validation(select_group(all_validation_cases(), options.group), registry,
                                       [](const std::string& topology) { return find_config(topology, "topology"); });
  if (options.json) {
    std::cout << validation_json(outcomes).dump(2) << '\n';
  } else {
    std::cout << validation_text(outcomes);
  }
  const bool all = std::all_of(outcomes.begin(), outcomes.end(), [](const ValidationOutcome& outcome) { return outcome.passed(); });
  return all ? exit_done : exit_failed;
}

}  // namespace

void add_validate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Holds the models against textbook closed forms, each on a machine made for it");
  command->add_option("--group", options->group, "Only these references: network or hbm")->type_name("NAME");
  command->add_flag("--json", options->json, "As JSON, with the machine of every reference");
  add_max_memory_to(*command, options->max_memory);
  command->footer(
      "Examples:\n"
      "  kernbench validate\n"
      "  kernbench validate --group hbm\n"
      "  kernbench validate --json > references.json\n\n"
      "Exit status 1 if a reference does not hold within its tolerance.\n");
  command->callback([options, &invocation] { invocation.action = [options] { return validate(*options); }; });
}

}  // namespace kernbench
